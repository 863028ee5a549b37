package io.millrace.jfr;

import jdk.jfr.Category;
import jdk.jfr.Description;
import jdk.jfr.Event;
import jdk.jfr.Label;
import jdk.jfr.Name;
import jdk.jfr.Registered;
import jdk.jfr.StackTrace;

/**
 * A connection that the target ended because of an error or a time-out of its host.
 */
@Name("io.millrace.ConnectionFailed")
@Label("Connection Failed")
@Category("Millrace")
@Description("A host violated the transport protocol, or sent no Connect command in time")
@Registered(false)
@StackTrace(false)
final class ConnectionFailed extends Event
{
    @Label("Remote")
    String remote;
    @Label("Reason")
    String reason;
}
