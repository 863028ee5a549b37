package io.millrace.cli.control;

import io.millrace.cli.control.ControlOptions.AnswerTimeout;
import io.millrace.cli.control.view.View;
import io.millrace.console.CommandException;
import io.millrace.console.Confirmation;
import io.millrace.console.ExitCode;
import io.millrace.console.Terminal;
import io.millrace.control.client.ControlClient;
import io.millrace.control.codec.Code;
import io.millrace.control.codec.Role;
import io.millrace.control.message.Command;
import io.millrace.control.message.ControlException;
import io.millrace.control.message.Resource;
import io.millrace.control.setting.SettingType;
import io.millrace.control.state.Names;
import io.millrace.control.state.NoChange;
import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;
import java.util.function.BiConsumer;
import java.util.function.BiFunction;
import java.util.function.Function;
import java.util.stream.Collectors;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/**
 * Options and course of the commands that remove resources. A data plane or manager takes the removal of a missing
 * resource as done, since a client repeats a command after a lost connection; here a name that does not exist is taken
 * for a typing error, before anything is removed. One thread.
 */
final class Removal
{
    @Mixin
    private Confirmation confirmation;

    @Option(names = "--ignore-not-found", description = "Succeed also if a resource does not exist.")
    private boolean ignoresNotFound;

    /**
     * Removes resources, and prints the result of each, up to the first failure.
     *
     * @param control   options of the session.
     * @param view      of the kind of resource.
     * @param subsystem that the resources are of; empty: of none.
     * @param items     to remove.
     * @param itemOf    what a listed resource would be named by in the items.
     * @param ask       asks for confirmation where data or hosts are concerned.
     * @param action    removes an item; returns the line to print.
     * @param <T>       type of the listed resources.
     * @param <I>       type of the items.
     * @return exit code.
     * @throws CommandException if a resource does not exist, or the command failed.
     */
    <T extends Resource, I> int run(
        final ControlOptions control,
        final View<T> view,
        final String subsystem,
        final List<I> items,
        final Function<T, I> itemOf,
        final BiConsumer<ImpactCheck, I> ask,
        final BiFunction<ControlClient, I, String> action)
    {
        return control.run(Role.ADMIN, AnswerTimeout.LONG, null, (link) ->
        {
            final Set<I> existing = existing(link, view, subsystem).stream().map(itemOf)
                .collect(Collectors.toCollection(LinkedHashSet::new));
            final List<I> found = new ArrayList<>(items);
            found.retainAll(existing);
            for (final I item : items)
            {
                if (!existing.contains(item))
                {
                    report(SettingType.word(view.kind()) + ' ' + item +
                        (subsystem.isEmpty() ? "" : " of subsystem " + subsystem) + ' ', Names.missing(item.toString(),
                        existing.stream().map(Object::toString).toList(), view.plural()));
                }
            }
            final ImpactCheck check = new ImpactCheck(link, confirmation);
            found.forEach((item) -> ask.accept(check, item));
            found.forEach((item) -> Terminal.standard().line(link.outcome(action.apply(link.client(), item))));
            return ExitCode.OK;
        });
    }

    private void report(final String subject, final String missing)
    {
        if (!ignoresNotFound)
        {
            throw new CommandException(ExitCode.FAILURE, subject + missing);
        }
        Terminal.standard().line(subject + NoChange.IS_NOT_THERE);
    }

    /** As the peer would find it: of a manager the desired state. */
    private <T extends Resource> List<T> existing(final ControlLink link, final View<T> view, final String subsystem)
    {
        try
        {
            return view.cast(link.client().execute(
                new Command.List(view.kind(), subsystem, Reports.shown(link, false))).resources());
        }
        catch (final ControlException e)
        {
            if (Code.NOT_FOUND != e.code() || !ignoresNotFound)
            {
                throw e;
            }
            return List.of();
        }
    }
}
