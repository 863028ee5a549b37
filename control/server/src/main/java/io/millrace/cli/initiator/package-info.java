/**
 * Commands of a host: perf, discover and identify. They use targets through the initiator alone and run on the main
 * thread; reactors do the I/O.
 */
package io.millrace.cli.initiator;
