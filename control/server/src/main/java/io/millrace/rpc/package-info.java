/**
 * A client of SPDK's JSON-RPC.
 */
package io.millrace.rpc;
