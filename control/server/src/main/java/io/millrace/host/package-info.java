/**
 * The commands of a host: load against a target, what it offers, what it is. They talk to targets through the initiator
 * alone and run on the main thread; reactors do the I/O.
 */
package io.millrace.host;
