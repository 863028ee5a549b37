package io.millrace.jfr;

import jdk.jfr.Category;
import jdk.jfr.Description;
import jdk.jfr.Event;
import jdk.jfr.Label;
import jdk.jfr.Name;
import jdk.jfr.Registered;
import jdk.jfr.SettingDefinition;
import jdk.jfr.StackTrace;
import jdk.jfr.Timespan;

/**
 * A cycle of a reactor that delayed everything else on it.
 */
@Name("io.millrace.LongCycle")
@Label("Long Cycle")
@Category("Millrace")
@Description("The longest cycle of a reactor in about 100 ms took longerThan or more: all its connections waited")
@Registered(false)
@StackTrace(false)
final class LongCycle extends Event
{
    @Label("Reactor")
    String reactor;
    @Label("Elapsed")
    @Timespan(Timespan.NANOSECONDS)
    long elapsed;

    @SettingDefinition
    @Label("Longer Than")
    @Timespan
    boolean longerThan(final LatencySetting setting)
    {
        return elapsed >= setting.ns();
    }
}
