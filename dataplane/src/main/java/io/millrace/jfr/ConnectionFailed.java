package io.millrace.jfr;

import jdk.jfr.Category;
import jdk.jfr.Description;
import jdk.jfr.Event;
import jdk.jfr.Label;
import jdk.jfr.Name;
import jdk.jfr.Registered;
import jdk.jfr.StackTrace;

/**
 * A connection that the target ended for what its host did, or did not do in time.
 */
@Name("io.millrace.ConnectionFailed")
@Label("Connection Failed")
@Category("Millrace")
@Description("A host broke the rules of the transport, or did not say in time what it wants")
@Registered(false)
@StackTrace(false)
final class ConnectionFailed extends Event
{
    @Label("Remote")
    String remote;
    @Label("Reason")
    String reason;
}
