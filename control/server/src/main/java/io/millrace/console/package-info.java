/**
 * Shared by all commands: exit codes and errors, terminal, tables, JSON, the version. Independent of storage. Used by
 * one thread at a time.
 */
package io.millrace.console;
