/**
 * The {@code millrace} command: finds the subcommand, turns what it throws into one line and an exit code. Knows
 * nothing of the data plane; subcommands live with what they drive. Main thread.
 */
package io.millrace.cli;
