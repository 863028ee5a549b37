package io.millrace.jfr;

import jdk.jfr.Category;
import jdk.jfr.DataAmount;
import jdk.jfr.Description;
import jdk.jfr.Event;
import jdk.jfr.Label;
import jdk.jfr.Name;
import jdk.jfr.Registered;
import jdk.jfr.SettingDefinition;
import jdk.jfr.StackTrace;
import jdk.jfr.Throttle;
import jdk.jfr.Timespan;

/**
 * A command whose answer left late. Its moment is that at which the answer had left, its thread the reactor.
 */
@Name("io.millrace.SlowRequest")
@Label("Slow Request")
@Category({"Millrace", "I/O"})
@Description("A command of a host whose answer had left longerThan after its arrival, or later")
@Registered(false)
@StackTrace(false)
// When everything is slow, recording must not make it slower.
@Throttle("1000/s")
final class SlowRequest extends Event
{
    @Label("Opcode")
    String opcode;
    @Label("Subsystem")
    String subsystem;
    @Label("Namespace")
    int namespaceId;
    @Label("Host")
    String host;
    @Label("Controller")
    int controllerId;
    @Label("Queue")
    int queueId;
    @Label("Command Identifier")
    int commandId;
    @Label("Status")
    @Description("Status code type and code of the answer, 0 for success")
    int status;
    @Label("Bytes")
    @DataAmount
    int bytes;
    @Label("Latency")
    @Description("From the cycle in which the command arrived until the socket had taken all of its answer")
    @Timespan(Timespan.NANOSECONDS)
    long latency;

    @SettingDefinition
    @Label("Longer Than")
    @Timespan
    boolean longerThan(final SlowRequestSetting setting)
    {
        return latency >= setting.ns();
    }
}
