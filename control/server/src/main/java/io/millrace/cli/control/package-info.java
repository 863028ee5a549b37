/**
 * Commands that look at a running data plane and change it, or have its manager do so: each opens a session over the
 * control channel, does its work and prints. Knows the control protocol and nothing of what is behind it. Main thread.
 */
package io.millrace.cli.control;
