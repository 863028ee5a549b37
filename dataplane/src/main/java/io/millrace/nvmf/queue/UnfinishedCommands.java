package io.millrace.nvmf.queue;

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;

/**
 * Commands that a device has not completed though access to their namespace was taken a while ago. They are answered
 * when it does; what they write may come later than what hosts have written by way of another path. Immutable.
 *
 * @param device   that has them.
 * @param nsid     of their namespace.
 * @param commands how many, on all reactors.
 */
public record UnfinishedCommands(String device, int nsid, int commands)
{
    /**
     * {@return done when all parts are, with what is in them}
     *
     * @param parts to wait for.
     */
    public static CompletableFuture<List<UnfinishedCommands>> all(
        final List<CompletableFuture<List<UnfinishedCommands>>> parts)
    {
        return CompletableFuture.allOf(parts.toArray(CompletableFuture[]::new)).thenApply((nothing) ->
            sum(parts.stream().flatMap((part) -> part.resultNow().stream()).toList()));
    }

    /**
     * {@return the same with those of one namespace of a device together}
     *
     * @param parts of reactors.
     */
    static List<UnfinishedCommands> sum(final List<UnfinishedCommands> parts)
    {
        final List<UnfinishedCommands> sums = new ArrayList<>();
        for (final UnfinishedCommands part : parts)
        {
            int i = 0;
            while (i < sums.size() && !(sums.get(i).nsid == part.nsid && sums.get(i).device.equals(part.device)))
            {
                i++;
            }
            if (i == sums.size())
            {
                sums.add(part);
            }
            else
            {
                sums.set(i, new UnfinishedCommands(part.device, part.nsid, part.commands + sums.get(i).commands));
            }
        }
        return List.copyOf(sums);
    }

    /**
     * {@return what happened and what to do about it, in one sentence}
     *
     * @param nqn   of the subsystem.
     * @param parts one or some.
     */
    public static String describe(final String nqn, final List<UnfinishedCommands> parts)
    {
        final StringBuilder text = new StringBuilder("ANA states of ").append(nqn).append(" are set, but ");
        for (int i = 0; i < parts.size(); i++)
        {
            final UnfinishedCommands each = parts.get(i);
            text.append(0 == i ? "" : ", ").append("device ").append(each.device).append(" has not completed ")
                .append(each.commands).append(" commands to namespace ").append(each.nsid);
        }
        return text.append(" that came before, within ")
            .append(TimeUnit.NANOSECONDS.toSeconds(DrainTimer.DEVICE_LIMIT_NS))
            .append(" s: a write among them may still replace what is written by another path; " +
                "set the state again to wait for them, or remove the namespace here, which ends them").toString();
    }
}
