package io.millrace.cli.control;

import io.millrace.cli.control.ControlOptions.AnswerTimeout;
import io.millrace.console.ExitCode;
import io.millrace.console.Terminal;
import io.millrace.control.codec.Role;
import io.millrace.control.message.DeviceSpec;
import java.util.Map;
import java.util.TreeMap;
import java.util.function.Function;
import java.util.stream.Collectors;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.Spec;

/** An array, and how its members are changed. Options of a command line. */
public final class ArrayOptions
{
    @Mixin
    private ControlOptions control;

    @Parameters(index = "0", paramLabel = "NAME", completionCandidates = LiveNames.Arrays.class,
        description = "Name of the array.")
    private String name;

    /**
     * Called by picocli.
     */
    ArrayOptions()
    {
    }

    /**
     * Called by picocli.
     *
     * @param mixee that the options are of.
     */
    @Spec(Spec.Target.MIXEE)
    void command(final CommandSpec mixee)
    {
        control.command(mixee);
    }

    ControlOptions control()
    {
        return control;
    }

    String name()
    {
        return name;
    }

    /**
     * Changes the members of the array.
     *
     * @param change  answers with the settings that change.
     * @param outcome sentence when that was done, which goes on with the name of the array.
     * @return exit code.
     */
    int change(final Function<ArrayDevices, Map<String, String>> change, final String outcome)
    {
        return control.run(Role.OPERATOR, AnswerTimeout.LONG, null, (link) ->
        {
            final DeviceSpec device = ArrayDevices.spec(link, name);
            return change(link, device, change.apply(new ArrayDevices(device)), outcome + " array " + name);
        });
    }

    /**
     * Changes settings of the array.
     *
     * @param link     to the data plane, or a manager.
     * @param device   as it is.
     * @param settings that change.
     * @param outcome  sentence when that was done.
     * @return exit code.
     */
    static int change(
        final ControlLink link, final DeviceSpec device, final Map<String, String> settings, final String outcome)
    {
        DeviceOptions.checkChange(device, settings);
        link.client().modifyDevice(device.name(), settings);
        Terminal.standard().line(link.outcome(outcome));
        noteUnstored(link, "set " + text(settings) + " of device " + device.name());
        return ExitCode.OK;
    }

    /** As a configuration file has them. */
    private static String text(final Map<String, String> settings)
    {
        return new TreeMap<>(settings).entrySet().stream()
            .map((each) -> each.getKey() + ": " + (ArrayDevices.LEVEL.equals(each.getKey()) ? each.getValue() :
                '[' + each.getValue().replace(" ", ", ") + ']'))
            .collect(Collectors.joining(" and "));
    }

    /**
     * Says that a change has to be written into the configuration file, where no manager stores it.
     *
     * @param link   to the peer that made the change.
     * @param remedy what to write, as a clause.
     */
    static void noteUnstored(final ControlLink link, final String remedy)
    {
        if (link.isUnstored())
        {
            link.note("not stored, as there is no manager: " + remedy +
                " in the configuration file of the data plane before its next start");
        }
    }
}
