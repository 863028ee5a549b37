package io.millrace.manager;

import io.millrace.dataplane.HostTransports;
import io.millrace.nvme.AnaGroupDescriptor;
import io.millrace.nvme.AnaLogHeader;
import io.millrace.nvme.AnaState;
import io.millrace.nvme.LogPageId;
import io.millrace.nvmf.initiator.ConnectionConfig;
import io.millrace.nvmf.initiator.ControllerListener;
import io.millrace.nvmf.initiator.HostConfig;
import io.millrace.nvmf.initiator.HostPollGroup;
import io.millrace.nvmf.initiator.InitiatorException;
import io.millrace.nvmf.initiator.RemoteController;
import io.millrace.reactor.Reactor;
import io.millrace.reactor.ReactorConfig;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.util.Set;
import java.util.concurrent.CompletionException;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicInteger;
import org.agrona.CloseHelper;
import org.agrona.concurrent.UnsafeBuffer;

/**
 * A host that connects again and again, as fast as it can, and looks which ANA states the groups with namespaces have.
 * It has a thread of its own.
 */
final class WatchingHost implements AutoCloseable
{
    private static final int ALL_NAMESPACES = 0xFFFFFFFF;
    private static final int STATE_MASK = 0xF;

    private final Set<AnaState> seen = ConcurrentHashMap.newKeySet();
    private final AtomicInteger connects = new AtomicInteger();
    private final Reactor reactor = new Reactor(ReactorConfig.of("host", -1));
    private final HostConfig host = HostConfig.random();
    private final ConnectionConfig config;
    private final Thread thread;
    private volatile boolean isClosed;

    WatchingHost(final String nqn, final int port)
    {
        config = ConnectionConfig.to(new InetSocketAddress(InetAddress.getLoopbackAddress(), port), nqn)
            .connectTimeoutMs(1_000).controllerLossTimeoutMs(0).build();
        reactor.start();
        thread = Thread.ofPlatform().start(this::watch);
    }

    /** States of groups with namespaces that it ever saw. */
    Set<AnaState> seen()
    {
        return Set.copyOf(seen);
    }

    /** How often it was let in and saw namespaces. */
    int looks()
    {
        return connects.get();
    }

    private void watch()
    {
        try (HostPollGroup group = HostTransports.pollGroup(reactor))
        {
            while (!isClosed)
            {
                try (RemoteController controller =
                    RemoteController.connect(group, host, config, ControllerListener.NONE).join())
                {
                    look(controller);
                }
                catch (final CompletionException | InitiatorException _)
                {
                    // Nobody listens, the subsystem is not there yet, or all went away meanwhile.
                    Thread.onSpinWait();
                }
            }
        }
    }

    private void look(final RemoteController controller)
    {
        final int page = LogPageId.ANA | AnaLogHeader.GROUPS_ONLY;
        final UnsafeBuffer log = new UnsafeBuffer(controller.logPage(page, ALL_NAMESPACES, 0,
            AnaLogHeader.SIZE_BYTES + AnaGroupDescriptor.SIZE_BYTES).join());
        final AnaLogHeader header = new AnaLogHeader();
        header.wrap(log, 0);
        if (header.groups() > 0)
        {
            final AnaGroupDescriptor descriptor = new AnaGroupDescriptor();
            descriptor.wrap(log, AnaLogHeader.SIZE_BYTES);
            seen.add(AnaState.of(descriptor.state() & STATE_MASK));
            connects.incrementAndGet();
        }
    }

    @Override
    public void close()
    {
        isClosed = true;
        try
        {
            thread.join();
        }
        catch (final InterruptedException e)
        {
            throw new IllegalStateException(e);
        }
        CloseHelper.close(reactor);
    }
}
