/**
 * {@code millrace spdk}: SPDK in a data plane of this machine, through its JSON-RPC.
 */
package io.millrace.cli.local.spdk;
