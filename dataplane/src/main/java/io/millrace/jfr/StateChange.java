package io.millrace.jfr;

import jdk.jfr.Category;
import jdk.jfr.Description;
import jdk.jfr.Event;
import jdk.jfr.Label;
import jdk.jfr.Name;
import jdk.jfr.Registered;
import jdk.jfr.StackTrace;

/**
 * The data plane's own events.
 */
@Name("io.millrace.StateChange")
@Label("State Change")
@Category("Millrace")
@Description("Something came, went or changed: device, subsystem, namespace, host, listener, controller, ANA state")
@Registered(false)
@StackTrace(false)
final class StateChange extends Event
{
    @Label("Kind")
    String kind;
    @Label("Change")
    String change;
    @Label("Name")
    String name;
    @Label("Text")
    String text;
}
