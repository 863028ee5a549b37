package io.millrace.cli.control;

import io.millrace.cli.control.ControlOptions.AnswerTimeout;
import io.millrace.cli.control.view.OutputOptions;
import io.millrace.cli.control.view.Views;
import io.millrace.console.CommandException;
import io.millrace.console.CommandGroup;
import io.millrace.console.Confirmation;
import io.millrace.console.ExitCode;
import io.millrace.console.Terminal;
import io.millrace.control.client.Call;
import io.millrace.control.client.ControlClient;
import io.millrace.control.codec.ReconcileMode;
import io.millrace.control.codec.Role;
import io.millrace.control.codec.State;
import io.millrace.control.message.Command.SetState;
import io.millrace.control.message.DataPlaneInfo;
import io.millrace.control.message.DriftInfo;
import io.millrace.control.message.ManagedInfo;
import io.millrace.control.setting.Units;
import java.util.List;
import java.util.Set;
import java.util.concurrent.locks.LockSupport;
import java.util.stream.Collectors;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/**
 * {@code millrace dataplane}: data planes as a whole.
 */
@Command(
    name = "dataplane",
    description = "List, reconcile, drain, pause, resume and stop data planes.",
    footerHeading = "%nExamples:%n",
    footer = {
        "  millrace dataplane list",
        "  millrace dataplane drain     # before maintenance",
        "  millrace dataplane resume"})
public final class DataPlaneCommand extends CommandGroup
{
    private static final long IDLE_NS = 100_000;

    /**
     * Called by picocli.
     */
    public DataPlaneCommand()
    {
    }

    @Command(name = "list", mixinStandardHelpOptions = true,
        description = "List the data planes of a manager, or the data plane of the session.",
        footerHeading = "%nExamples:%n", footer = {"  millrace dataplane list", "  millrace dataplane list --json"})
    int list(@Mixin final ControlOptions control, @Mixin final OutputOptions output)
    {
        return control.run(Role.READ, (link) -> link.isManager() ?
            output.print(Views.MANAGED, link.client().manager().managed("")) :
            output.print(Views.DATA_PLANES, List.of(link.client().dataPlane())));
    }

    @Command(name = "status", mixinStandardHelpOptions = true,
        description = "Show one data plane.", footerHeading = "%nExamples:%n", footer = {
            "  millrace dataplane status", "  millrace dataplane status --data-plane storage-1 --output yaml"})
    int status(@Mixin final ControlOptions control, @Mixin final OutputOptions output)
    {
        return control.run(Role.READ, (link) -> output.printOne(Views.DATA_PLANES, link.client().dataPlane()));
    }

    @Command(name = "drift", mixinStandardHelpOptions = true,
        description = {
            "List differences between desired and actual state that a manager has not resolved.",
            "Steps that remove resources wait for 'reconcile --allow-destroy', unless the desired state created " +
                "those resources, and so do steps that revert settings."},
        footerHeading = "%nExamples:%n", footer = {"  millrace dataplane drift"})
    int drift(@Mixin final ControlOptions control, @Mixin final OutputOptions output)
    {
        return control.run(Role.READ, (link) ->
        {
            final List<ManagedInfo> unknown = link.client().manager().managed("").stream()
                .filter((each) -> !each.isConnected()).toList();
            final Set<String> names = unknown.stream().map(ManagedInfo::name).collect(Collectors.toSet());
            final List<DriftInfo> found = link.client().manager().drift("").stream()
                .filter((each) -> !names.contains(each.dataPlane())).toList();
            if (!found.isEmpty() || unknown.isEmpty())
            {
                output.print(Views.DRIFT, found);
            }
            if (!unknown.isEmpty())
            {
                throw new CommandException(ExitCode.FAILURE,
                    unknown.stream().map(DataPlaneCommand::unknown).collect(Collectors.joining("; ")));
            }
            return ExitCode.OK;
        });
    }

    private static String unknown(final ManagedInfo plane)
    {
        return "data plane " + plane.name() + " is not connected: its actual state is unknown" +
            (plane.desiredVersion() == plane.appliedVersion() ? "" :
            ", and version " + plane.desiredVersion() + " of its desired state is not applied yet");
    }

    @Command(name = "reconcile", mixinStandardHelpOptions = true,
        description = {
            "Have a manager compare a data plane with its desired state now.",
            "Without options it creates and updates resources, and removes only those that the desired state created."},
        footerHeading = "%nExamples:%n", footer = {
            "  millrace dataplane reconcile", "  millrace dataplane reconcile --allow-destroy"})
    int reconcile(
        @Mixin final ControlOptions control,
        @Mixin final Confirmation confirmation,
        @Option(names = "--allow-destroy", description =
            "Also remove resources that are not in the desired state, with their data. See 'millrace dataplane drift'.")
        final boolean allowDestroy,
        @Option(names = "--take-over", description =
            "Take over a data plane that holds state of another lineage.")
        final boolean takeOver)
    {
        if (allowDestroy && takeOver)
        {
            throw new CommandException(ExitCode.USAGE,
                "--allow-destroy and --take-over exclude each other: take over first, inspect the drift, then allow " +
                "it");
        }
        return control.run(Role.ADMIN, AnswerTimeout.LONG, null, (link) ->
        {
            if (allowDestroy)
            {
                final List<DriftInfo> steps =
                    link.client().manager().drift("").stream().filter(DriftInfo::isWithheld).toList();
                steps.forEach((step) -> Terminal.standard().line("- " + step.step()));
                if (!steps.isEmpty())
                {
                    confirmation.require(Terminal.standard(), Units.count(steps.size(), "withheld step") +
                        (1 == steps.size() ? " is" : " are") + " applied" +
                        (steps.stream().anyMatch(DriftInfo::isDestructive) ? ", and data is lost" : ""));
                }
            }
            else if (takeOver)
            {
                confirmation.require(Terminal.standard(), "this manager takes over the data plane, whoever created " +
                    "its resources");
            }
            Terminal.standard().line(link.client().manager().reconcile(allowDestroy ? ReconcileMode.ALLOW_DESTROY :
                takeOver ? ReconcileMode.TAKE_OVER : ReconcileMode.REPAIR));
            return ExitCode.OK;
        });
    }

    @Command(name = "adopt", mixinStandardHelpOptions = true,
        description = {
            "Make the actual state of a data plane its desired state, as a new version.",
            "The data plane is not changed. Earlier versions remain available for rollback."},
        footerHeading = "%nExamples:%n", footer = {"  millrace dataplane adopt --data-plane storage-1"})
    int adopt(@Mixin final ControlOptions control, @Mixin final Confirmation confirmation)
    {
        return control.run(Role.ADMIN, AnswerTimeout.LONG, null, (link) ->
        {
            confirmation.require(Terminal.standard(), "the actual state of the data plane becomes the desired state");
            Terminal.standard().line(link.client().manager().reconcile(ReconcileMode.ADOPT));
            return ExitCode.OK;
        });
    }

    @Command(name = "drain", mixinStandardHelpOptions = true,
        description = {
            "Accept no new hosts; connected hosts continue.",
            "A new host gets a status that lets it retry later. 'resume' ends draining."},
        footerHeading = "%nExamples:%n", footer = {"  millrace dataplane drain"})
    int drain(@Mixin final ControlOptions control)
    {
        return set(control, State.DRAINING, "draining: accepts no new hosts, connected hosts continue");
    }

    @Command(name = "pause", mixinStandardHelpOptions = true,
        description = {
            "Hold I/O: commands of hosts wait until 'resume'. Asks for confirmation if a host is connected.",
            "When the time-outs of a host expire, its I/O fails, or it reconnects."},
        footerHeading = "%nExamples:%n", footer = {"  millrace dataplane pause --yes"})
    int pause(@Mixin final ControlOptions control, @Mixin final Confirmation confirmation)
    {
        return control.run(Role.OPERATOR, (link) ->
        {
            new ImpactCheck(link, confirmation).confirmPause();
            Terminal.standard().line(set(link.client(), State.PAUSED, "paused: I/O waits"));
            return ExitCode.OK;
        });
    }

    @Command(name = "resume", mixinStandardHelpOptions = true,
        description = "End draining or pausing.",
        footerHeading = "%nExamples:%n", footer = {"  millrace dataplane resume"})
    int resume(@Mixin final ControlOptions control)
    {
        return set(control, State.SERVING, "serving");
    }

    private static int set(final ControlOptions control, final State state, final String text)
    {
        return control.report(Role.OPERATOR, (client) -> set(client, state, text));
    }

    private static String set(final ControlClient client, final State state, final String text)
    {
        client.setState(state);
        return "data plane " + client.dataPlane().name() + " is " + text;
    }

    @Command(name = "stop", mixinStandardHelpOptions = true,
        description = {
            "Stop the process; hosts lose their connections.", "Data of memory devices is lost."},
        footerHeading = "%nExamples:%n", footer = {"  millrace dataplane stop --yes"})
    int stop(@Mixin final ControlOptions control, @Mixin final Confirmation confirmation)
    {
        return control.run(Role.ADMIN, (link) ->
        {
            final DataPlaneInfo info = link.client().dataPlane();
            confirmation.require(Terminal.standard(), "data plane " + info.name() + " would stop, with " +
                (0 == info.controllers() ? "no host" : Units.count(info.controllers(), "host")) +
                " connected, and what its memory devices hold is lost");
            final Call call = link.client().submit(new SetState(State.STOPPING));
            // The process may stop before its answer is sent.
            while (!call.isDone() && link.client().isConnected())
            {
                if (0 == link.client().poll())
                {
                    LockSupport.parkNanos(IDLE_NS);
                }
            }
            if (call.isDone())
            {
                call.orThrow();
            }
            Terminal.standard().line("data plane " + info.name() + " stops");
            return ExitCode.OK;
        });
    }
}
