package io.millrace.nvmf.initiator;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.millrace.nvmf.transport.TransportAddress;
import io.millrace.reactor.Reactor;
import io.millrace.reactor.ReactorConfig;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.Test;

/** The end of a poll group with a transport that is broken. */
class HostPollGroupTest
{
    /** A connection that cannot be ended: whoever closes the group learns of it, and does not wait for ever. */
    @Test
    void shouldLeaveItsReactorAndSayWhyWhenAConnectionFailsToEnd()
    {
        final Reactor reactor = new Reactor(ReactorConfig.of("group", -1));
        reactor.start();
        try
        {
            final OneTransport transport = new OneTransport();
            final HostPollGroup group = new HostPollGroup(reactor, List.of(transport));
            Waits.get(reactor.call(() ->
            {
                group.add(new FailingQueue());
                return null;
            }));
            final Throwable failure = Waits.failure(CompletableFuture.runAsync(group::close));
            final Throwable cause = failure instanceof IllegalStateException ? failure : failure.getCause();
            assertEquals("the end fails", assertInstanceOf(IllegalStateException.class, cause).getMessage());
            assertTrue(transport.isClosed);
        }
        finally
        {
            reactor.close();
        }
    }

    private static final class OneTransport implements HostTransport
    {
        private volatile boolean isClosed;

        @Override
        public TransportAddress.Type type()
        {
            return TransportAddress.Type.TCP;
        }

        @Override
        public int adminInCapsuleBytes()
        {
            return 0;
        }

        @Override
        public int transferBytesMax()
        {
            return 0;
        }

        @Override
        public HostQueueTransport queue(
            final HostPollGroup group, final int slotMax, final ConnectionListener listener)
        {
            return new FailingQueue();
        }

        @Override
        public void close()
        {
            isClosed = true;
        }
    }

    private static final class FailingQueue implements HostQueueTransport
    {
        @Override
        public void open(
            final ConnectionConfig config,
            final HostConfig host,
            final int queueId,
            final int controllerId,
            final int entries,
            final CapsuleLimits capsules)
        {
            throw new UnsupportedOperationException();
        }

        @Override
        public boolean isReady()
        {
            return true;
        }

        @Override
        public boolean isClosed()
        {
            return false;
        }

        @Override
        public int controllerId()
        {
            return 0;
        }

        @Override
        public int depth()
        {
            return 0;
        }

        @Override
        public int inFlight()
        {
            return 0;
        }

        @Override
        public boolean submit(final HostRequest request)
        {
            return false;
        }

        @Override
        public int flush()
        {
            return 0;
        }

        @Override
        public boolean wantsPoll()
        {
            return false;
        }

        @Override
        public int poll()
        {
            return 0;
        }

        @Override
        public int pollWithoutReceive()
        {
            return 0;
        }

        @Override
        public boolean arm()
        {
            return true;
        }

        @Override
        public void onTick(final long nowNs)
        {
            // Nothing is due.
        }

        @Override
        public void close(final String reason)
        {
            throw new IllegalStateException("the end fails");
        }

        @Override
        public void free()
        {
            // It has nothing.
        }
    }
}
