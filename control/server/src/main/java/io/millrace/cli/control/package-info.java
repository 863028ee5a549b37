/**
 * Commands that inspect and modify a running data plane, directly or through its manager: each opens a session over the
 * control channel. Depends on the control protocol, and on {@code view} for its output. Main thread.
 */
package io.millrace.cli.control;
