package io.millrace.rdma.endpoint;

import static java.nio.charset.StandardCharsets.US_ASCII;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.millrace.bindings.NativeMemory;
import io.millrace.rdma.RdmaException;
import java.net.InetSocketAddress;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;

/**
 * What datagram queue pairs do, whatever the device: on a model in each build, on soft-RoCE in the lab.
 */
public abstract class DatagramContractTest extends RdmaEndpointFixture
{
    private static final int RECEIVE_BUFFER_BYTES = 256;
    private static final long RESOLVE_NS = TimeUnit.SECONDS.toNanos(30);

    /** One side, which writes down what is reported to it. */
    private static final class Side implements DatagramHandler
    {
        private final RdmaNode node;
        private final LinkedBlockingQueue<String> events = new LinkedBlockingQueue<>();
        private final LinkedBlockingQueue<DatagramPeer> resolved = new LinkedBlockingQueue<>();
        private volatile DatagramQueuePair pair;
        private volatile InetSocketAddress asking;

        Side(final RdmaNode node, final InetSocketAddress local)
        {
            this.node = node;
            pair = node.call(() -> node.manager().openDatagrams(local, SIZES, this));
        }

        @Override
        public void onOpen(final DatagramQueuePair opened)
        {
            for (int i = 0; i < 4; i++)
            {
                assertTrue(at(opened, node.address() + i * RECEIVE_BUFFER_BYTES, RECEIVE_BUFFER_BYTES)
                    .postReceive(i));
            }
            events.add("open");
        }

        private DatagramQueuePair at(final DatagramQueuePair at, final long address, final int bytes)
        {
            return at.segment(address, bytes, (int)at.domain().keys().localKey(address, bytes));
        }

        @Override
        public boolean onRequest(final InetSocketAddress peer, final byte[] data)
        {
            asking = peer;
            final String said = new String(data, US_ASCII).trim();
            events.add("asked " + said);
            return !said.equals("no");
        }

        @Override
        public void onSent(final long id, final CompletionStatus status)
        {
            events.add("sent " + id + " " + status);
        }

        @Override
        public void onReceived(
            final long id, final CompletionStatus status, final int bytes, final int immediate, final int source)
        {
            if (CompletionStatus.FLUSHED != status)
            {
                events.add("received " + id + " " + status + " " + bytes + " " + immediate + " from " + source);
            }
        }

        @Override
        public void onClosed(final DatagramQueuePair closed, final String reason)
        {
            events.add("closed: " + reason);
        }

        String next() throws InterruptedException
        {
            return events.poll(60, TimeUnit.SECONDS);
        }

        DatagramPeer resolve(final InetSocketAddress address) throws InterruptedException
        {
            ask(address, "hello");
            return resolved.poll(60, TimeUnit.SECONDS);
        }

        void ask(final InetSocketAddress address, final String data)
        {
            node.run(() -> pair.resolve(address, data.getBytes(US_ASCII), RESOLVE_NS, new DatagramResolver()
            {
                @Override
                public void onResolved(final DatagramPeer peer)
                {
                    resolved.add(peer);
                }

                @Override
                public void onFailed(final String reason)
                {
                    events.add("failed: " + reason);
                }
            }));
        }
    }

    private Side one;
    private Side two;

    private void openBoth() throws InterruptedException
    {
        two = new Side(target, targetAddress());
        assertEquals("open", two.next());
        // One of the host's addresses: that of its connections.
        open();
        one = new Side(host, new InetSocketAddress(client.connection().localAddress().getAddress(), 0));
        assertEquals("open", one.next());
    }

    @Test
    void shouldCarryDatagramsBothWays() throws Exception
    {
        openBoth();
        assertNotEquals(0, two.pair.localAddress().getPort());
        final DatagramPeer there = one.resolve(two.pair.localAddress());
        assertEquals("asked hello", two.next());
        assertEquals(one.pair.localAddress().getAddress(), two.asking.getAddress());
        assertEquals(two.pair.number(), there.number());
        NativeMemory.putLong(hostData(), 0x1122334455667788L);
        host.run(() ->
        {
            assertTrue(one.at(one.pair, hostData(), 100).postSend(1, true, there));
            assertTrue(one.at(one.pair, hostData(), 8).postSendWithImmediate(2, false, there, 77));
            assertTrue(one.at(one.pair, hostData(), 0).postSend(3, true, there));
        });
        assertEquals("sent 1 SUCCESS", one.next());
        assertEquals("sent 3 SUCCESS", one.next());
        assertEquals("received 0 SUCCESS 100 0 from " + one.pair.number(), two.next());
        assertEquals(0x1122334455667788L,
            NativeMemory.getLong(target.address() + DatagramQueuePair.HEADER_BYTES));
        assertEquals("received 1 SUCCESS 8 77 from " + one.pair.number(), two.next());
        assertEquals("received 2 SUCCESS 0 0 from " + one.pair.number(), two.next());
        final DatagramPeer back = two.resolve(one.pair.localAddress());
        assertEquals("asked hello", one.next());
        target.run(() -> assertTrue(two.at(two.pair, targetData(), 16).postSend(4, true, back)));
        assertEquals("received 0 SUCCESS 16 0 from " + two.pair.number(), one.next());
        host.run(() ->
        {
            there.close();
            there.close();
            assertThrows(IllegalArgumentException.class, () ->
                one.at(one.pair, hostData(), 8).postSend(5, true, there), "its handle is gone");
            assertThrows(IllegalArgumentException.class, () ->
                one.at(one.pair, hostData(), 8).postSend(5, true, back), "it is the other side's");
        });
    }

    /** Nobody is told that it was dropped. */
    @Test
    void shouldDropWhatDoesNotFit() throws Exception
    {
        openBoth();
        final DatagramPeer there = one.resolve(two.pair.localAddress());
        assertEquals("asked hello", two.next());
        host.run(() ->
        {
            final int most = one.pair.bytesMax();
            assertTrue(most >= RECEIVE_BUFFER_BYTES && most <= 4096, "MTU " + most);
            final IllegalArgumentException refused = assertThrows(IllegalArgumentException.class, () ->
                one.at(one.pair, hostData(), most + 1).postSend(1, true, there));
            assertTrue(refused.getMessage().contains("at most " + most), refused.getMessage());
            assertTrue(one.at(one.pair, hostData(), RECEIVE_BUFFER_BYTES - DatagramQueuePair.HEADER_BYTES)
                .postSend(2, true, there), "what was refused is not part of it");
        });
        assertEquals("sent 2 SUCCESS", one.next());
        assertEquals("received 0 SUCCESS " + (RECEIVE_BUFFER_BYTES - DatagramQueuePair.HEADER_BYTES) + " 0 from " +
            one.pair.number(), two.next());
    }

    @Test
    void shouldSayWhyAPeerIsNotResolved() throws Exception
    {
        openBoth();
        one.ask(two.pair.localAddress(), "no");
        assertEquals("asked no", two.next());
        assertEquals("failed: the peer refused to be sent datagrams", one.next());
        one.ask(new InetSocketAddress(targetAddress().getAddress(), 9), "hello");
        assertEquals("failed: nobody takes datagrams at the address of the peer", one.next());
        final RdmaException unknown = assertThrows(RdmaException.class, () -> new Side(host,
            new InetSocketAddress("203.0.113.1", 0)));
        assertTrue(unknown.getMessage().contains("no RDMA device has that address"), unknown.getMessage());
        assertThrows(RdmaException.class, () -> new Side(host, new InetSocketAddress("0.0.0.0", 0)));
        final RdmaException used =
            assertThrows(RdmaException.class, () -> new Side(target, two.pair.localAddress()));
        assertTrue(used.getMessage().contains("cannot take datagrams at"), used.getMessage());
    }

    @Test
    void shouldCloseWithWhatIsOutstanding() throws Exception
    {
        openBoth();
        final DatagramPeer there = one.resolve(two.pair.localAddress());
        assertEquals("asked hello", two.next());
        host.run(() ->
        {
            one.pair.close("enough");
            one.pair.close("again");
            assertFalse(one.at(one.pair, hostData(), 8).postSend(1, true, there));
            assertEquals(0, one.pair.sendRoom());
        });
        assertEquals("closed: enough", one.next());
        target.run(() -> target.manager().close());
        assertEquals("closed: the connection manager was closed", two.next());
    }

    @Test
    void shouldFailWithMemoryThatIsNotRegistered() throws Exception
    {
        openBoth();
        final DatagramPeer there = one.resolve(two.pair.localAddress());
        host.run(() -> one.pair.segment(hostData(), 100, 0x7FFFFF01).postSend(1, true, there));
        final String sent = one.next();
        assertTrue(sent.matches("sent 1 (PROTECTION|REQUEST)"), sent);
        final String closed = one.next();
        assertTrue(closed.contains("check"), closed);
    }
}
