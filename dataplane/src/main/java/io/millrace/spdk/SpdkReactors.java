package io.millrace.spdk;

import io.millrace.bindings.NativeException;
import io.millrace.reactor.Reactor;
import java.util.ArrayList;
import java.util.IdentityHashMap;
import java.util.List;
import java.util.Map;
import java.util.function.IntFunction;

/**
 * The SPDK threads of the reactors that have channels to bdevs, one each, from its first user to its last.
 */
public final class SpdkReactors
{
    private final IntFunction<SpdkExportSource> source;
    /** By the reactors that have them; each is used on its reactor's thread only. */
    private final Map<Reactor, SpdkReactor> reactors = new IdentityHashMap<>();
    private volatile SpdkReactor[] present = {};

    /**
     * @param source of exported devices, by their number.
     */
    SpdkReactors(final IntFunction<SpdkExportSource> source)
    {
        this.source = source;
    }

    /**
     * Returns the SPDK thread of a reactor, and makes it for its first user. On the reactor's thread;
     * {@link #release} follows when its user has closed what it opened.
     *
     * @param reactor that polls it.
     * @return the SPDK thread.
     * @throws NativeException when there is no memory for it.
     */
    public SpdkReactor acquire(final Reactor reactor)
    {
        synchronized (reactors)
        {
            final SpdkReactor found = reactors.get(reactor);
            if (null != found)
            {
                found.addUser();
                return found;
            }
        }
        final SpdkReactor made = new SpdkReactor(reactor, () -> false, source, ServingActivity.none());
        made.addUser();
        synchronized (reactors)
        {
            reactors.put(reactor, made);
            present = reactors.values().toArray(SpdkReactor[]::new);
        }
        return made;
    }

    /**
     * Ends the SPDK thread of a reactor with its last user. On the reactor's thread, once for each {@link #acquire}.
     *
     * @param spdkReactor that {@link #acquire} returned.
     * @param onReleased  run when the user of it need not wait any more, maybe before this returns.
     */
    public void release(final SpdkReactor spdkReactor, final Runnable onReleased)
    {
        if (spdkReactor.removeUser())
        {
            onReleased.run();
            return;
        }
        // Bdevs that it had open may have been of exported devices.
        spdkReactor.exports().closeAll(() -> end(spdkReactor, onReleased));
    }

    private void end(final SpdkReactor spdkReactor, final Runnable onReleased)
    {
        if (spdkReactor.hasUsers())
        {
            onReleased.run();
            return;
        }
        synchronized (reactors)
        {
            reactors.remove(spdkReactor.reactor(), spdkReactor);
            present = reactors.values().toArray(SpdkReactor[]::new);
        }
        spdkReactor.exit(onReleased);
    }

    /** {@return all that there are now; any thread} */
    List<SpdkReactor> all()
    {
        synchronized (reactors)
        {
            return new ArrayList<>(reactors.values());
        }
    }

    /** {@return whether one has something to do; any thread} */
    boolean isAnyActive()
    {
        for (final SpdkReactor each : present)
        {
            if (each.isActive())
            {
                return true;
            }
        }
        return false;
    }
}
