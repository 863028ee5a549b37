package io.millrace.cli.control;

import io.millrace.cli.control.ControlOptions.Patience;
import io.millrace.console.CommandException;
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
import java.util.List;
import java.util.concurrent.locks.LockSupport;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/**
 * {@code millrace dataplane}: the process as a whole.
 */
@Command(
    name = "dataplane",
    description = "See data planes, reconcile them, and drain, pause, resume and stop them.",
    footerHeading = "%nExamples:%n",
    footer = {
        "  millrace dataplane list",
        "  millrace dataplane drain        before maintenance",
        "  millrace dataplane resume"})
public final class DataPlaneCommand extends Group
{
    private static final long IDLE_NS = 100_000;

    /**
     * Made by the command line.
     */
    public DataPlaneCommand()
    {
    }

    @Command(name = "list", mixinStandardHelpOptions = true,
        description = "List the data planes of a manager, or the one that is asked.",
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
            "List differences between desired and actual state that a manager has not settled.",
            "Steps that take something away wait for 'reconcile --allow-destroy', unless the desired state " +
                "brought it."},
        footerHeading = "%nExamples:%n", footer = {"  millrace dataplane drift"})
    int drift(@Mixin final ControlOptions control, @Mixin final OutputOptions output)
    {
        return control.run(Role.READ, (link) -> output.print(Views.DRIFT, link.client().manager().drift("")));
    }

    @Command(name = "reconcile", mixinStandardHelpOptions = true,
        description = {
            "Have a manager compare a data plane with its desired state now.",
            "Without options it makes and changes what is missing, and takes nothing away that it did not bring."},
        footerHeading = "%nExamples:%n", footer = {
            "  millrace dataplane reconcile", "  millrace dataplane reconcile --allow-destroy"})
    int reconcile(
        @Mixin final ControlOptions control,
        @Mixin final Confirmation confirmation,
        @Option(names = "--allow-destroy", description =
            "Also take away what the desired state does not have, with its data. See 'millrace dataplane drift'.")
        final boolean allowDestroy,
        @Option(names = "--take-over", description =
            "Command a data plane that holds state of another lineage from now on.")
        final boolean takeOver)
    {
        if (allowDestroy && takeOver)
        {
            throw new CommandException(ExitCode.USAGE,
                "--allow-destroy and --take-over exclude each other: take over first, look at the drift, then " +
                "allow it");
        }
        return control.run(Role.ADMINISTER, Patience.LONG, null, (link) ->
        {
            if (allowDestroy)
            {
                final List<DriftInfo> steps =
                    link.client().manager().drift("").stream().filter(DriftInfo::isWithheld).toList();
                steps.forEach((step) -> Terminal.standard().line("- " + step.step()));
                if (!steps.isEmpty())
                {
                    confirmation.need(Terminal.standard(), steps.size() +
                        " steps take something away, and data in memory with it");
                }
            }
            else if (takeOver)
            {
                confirmation.need(Terminal.standard(), "the data plane is commanded by this manager from now on, " +
                    "whoever brought what it has");
            }
            Terminal.standard().line(link.client().manager().reconcile(allowDestroy ? ReconcileMode.ALLOW_DESTROY :
                takeOver ? ReconcileMode.TAKE_OVER : ReconcileMode.REPAIR));
            return ExitCode.OK;
        });
    }

    @Command(name = "adopt", mixinStandardHelpOptions = true,
        description = {
            "Make what a data plane has its manager's desired state, as a new version.",
            "Nothing is changed on the data plane. Versions of before stay, and can be rolled back to."},
        footerHeading = "%nExamples:%n", footer = {"  millrace dataplane adopt --data-plane storage-1"})
    int adopt(@Mixin final ControlOptions control, @Mixin final Confirmation confirmation)
    {
        return control.run(Role.ADMINISTER, Patience.LONG, null, (link) ->
        {
            confirmation.need(Terminal.standard(), "what the data plane has becomes the desired state");
            Terminal.standard().line(link.client().manager().reconcile(ReconcileMode.ADOPT));
            return ExitCode.OK;
        });
    }

    @Command(name = "drain", mixinStandardHelpOptions = true,
        description = {
            "Take no new hosts; those that are connected are served on.",
            "A host that comes is told to try again later. 'resume' ends it."},
        footerHeading = "%nExamples:%n", footer = {"  millrace dataplane drain"})
    int drain(@Mixin final ControlOptions control)
    {
        return set(control, State.DRAINING, "draining: takes no new hosts, serves those that are connected");
    }

    @Command(name = "pause", mixinStandardHelpOptions = true,
        description = {
            "Hold I/O: commands of hosts wait until 'resume'. Asks first when a host is connected.",
            "Hosts wait as long as their time-outs let them; then their I/O fails, or they connect again."},
        footerHeading = "%nExamples:%n", footer = {"  millrace dataplane pause --yes"})
    int pause(@Mixin final ControlOptions control, @Mixin final Confirmation confirmation)
    {
        return control.run(Role.OPERATE, (link) ->
        {
            new Losses(link, confirmation).ofPause();
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
        return control.say(Role.OPERATE, (client) -> set(client, state, text));
    }

    private static String set(final ControlClient client, final State state, final String text)
    {
        client.setState(state);
        return "data plane " + client.dataPlane().name() + " is " + text;
    }

    @Command(name = "stop", mixinStandardHelpOptions = true,
        description = {
            "End the process; hosts lose their connections.", "What is in memory is lost."},
        footerHeading = "%nExamples:%n", footer = {"  millrace dataplane stop --yes"})
    int stop(@Mixin final ControlOptions control, @Mixin final Confirmation confirmation)
    {
        return control.run(Role.ADMINISTER, (link) ->
        {
            final DataPlaneInfo info = link.client().dataPlane();
            confirmation.need(Terminal.standard(), "data plane " + info.name() + " would end, with " +
                (0 == info.controllers() ? "no host" : info.controllers() + " hosts") +
                " connected, and what its memory devices hold is lost");
            final Call call = link.client().submit(new SetState(State.STOPPING));
            // A process that is quick takes its answer with it.
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
