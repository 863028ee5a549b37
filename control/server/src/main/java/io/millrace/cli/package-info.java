/**
 * The {@code millrace} command: runs the subcommand and turns exceptions into one line and an exit code. Independent of
 * the data plane; subcommands are in the packages of their subjects. Main thread.
 */
package io.millrace.cli;
