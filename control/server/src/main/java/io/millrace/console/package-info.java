/**
 * What every command shares: exit codes and errors, terminal or not, tables, JSON, the version. Knows nothing of
 * storage. Used by one thread at a time.
 */
package io.millrace.console;
