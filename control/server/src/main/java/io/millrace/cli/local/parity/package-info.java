/**
 * {@code millrace parity}: parity engines of this machine, without a data plane.
 */
package io.millrace.cli.local.parity;
