package io.millrace.nvmf.initiator;

import io.millrace.reactor.Reactor;
import java.util.HashMap;
import java.util.Map;
import java.util.function.Function;

/**
 * The poll groups of users that share them, one a reactor, made for its first user and taken off the reactor after the
 * last. Any thread.
 */
public final class HostPollGroups
{
    private final Function<Reactor, HostPollGroup> factory;
    private final Map<Reactor, Shared> groups = new HashMap<>();

    /**
     * Has no group yet.
     *
     * @param factory of the poll group of a reactor.
     */
    public HostPollGroups(final Function<Reactor, HostPollGroup> factory)
    {
        this.factory = factory;
    }

    /**
     * {@return the poll group of a reactor, for one more user, who calls {@link #release}}
     *
     * @param reactor to live on.
     */
    public synchronized HostPollGroup acquire(final Reactor reactor)
    {
        final Shared shared = groups.computeIfAbsent(reactor, (key) -> new Shared(factory.apply(key)));
        shared.users++;
        return shared.group;
    }

    /**
     * A user needs a poll group no longer: its controllers and queue pairs are closed.
     *
     * @param group from {@link #acquire}.
     */
    public synchronized void release(final HostPollGroup group)
    {
        final Shared shared = groups.get(group.reactor());
        if (0 == --shared.users)
        {
            groups.remove(group.reactor());
            // Later, since the last user may end within a turn of the group.
            group.reactor().execute(group::leave);
        }
    }

    private static final class Shared
    {
        private final HostPollGroup group;
        private int users;

        Shared(final HostPollGroup group)
        {
            this.group = group;
        }
    }
}
