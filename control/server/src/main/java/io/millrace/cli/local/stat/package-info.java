/**
 * {@code millrace stat}: what the status file of a data plane says, running, stopped or dead. Main thread.
 */
package io.millrace.cli.local.stat;
