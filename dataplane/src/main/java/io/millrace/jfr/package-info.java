/**
 * Events of a data plane for JDK Flight Recorder: slow requests, changes of state, connections that failed, long
 * cycles. Only the recorder's listener interface is loaded before a recording begins:
 * {@link io.millrace.jfr.FlightEvents} is the only entry point.
 */
package io.millrace.jfr;
