/**
 * What a data plane tells JDK Flight Recorder: slow requests, changes of state, connections that failed, long cycles.
 * Nothing of the recorder but its announcement is loaded before something is recorded:
 * {@link io.millrace.jfr.FlightEvents} is the one way in.
 */
package io.millrace.jfr;
