/**
 * What every command prints with: terminal or not, tables, JSON. Knows nothing of storage. Used by one thread at a time.
 */
package io.millrace.console;
