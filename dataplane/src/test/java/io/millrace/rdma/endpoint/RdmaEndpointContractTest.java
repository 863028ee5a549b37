package io.millrace.rdma.endpoint;

import static java.nio.charset.StandardCharsets.US_ASCII;
import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.millrace.bindings.NativeMemory;
import io.millrace.memory.DmaMemory;
import io.millrace.memory.MemoryRole;
import io.millrace.rdma.RdmaException;
import java.net.InetSocketAddress;
import java.util.Arrays;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;

/**
 * What endpoints can rely on, whatever the device: on a model in each build, on soft-RoCE in the lab.
 */
public abstract class RdmaEndpointContractTest extends RdmaEndpointFixture
{
    private static final int CONNECTIONS = 18;

    @Test
    void shouldExchangePrivateDataAndAddresses() throws Exception
    {
        open();
        assertEquals(listening, client.connection().peerAddress());
        assertEquals(client.connection().localAddress(), server.connection().peerAddress());
        final byte[] atServer = server.connection().peerData();
        assertArrayEquals("hello".getBytes(US_ASCII), Arrays.copyOf(atServer, 5));
        assertArrayEquals(new byte[atServer.length - 5], Arrays.copyOfRange(atServer, 5, atServer.length));
        assertArrayEquals("welcome".getBytes(US_ASCII), Arrays.copyOf(client.connection().peerData(), 7));
        close();
    }

    @Test
    void shouldCarryMessages() throws Exception
    {
        open();
        NativeMemory.putLong(hostData(), 0x1122334455667788L);
        host.run(() ->
        {
            assertTrue(client.queuePair().inlineBytes() >= 8);
            assertTrue(client.at(hostData(), 8).postSend(1, true));
            // Sent inline: its memory is free.
            NativeMemory.putLong(hostData(), 0L);
            client.at(hostData(), 4);
            assertTrue(client.at(hostData() + 8, 4).postSendWithImmediate(2, false, -7));
            assertTrue(client.queuePair().postSend(3, true));
        });
        client.expect("sent 1 SUCCESS");
        client.expect("sent 3 SUCCESS");
        server.expect("received 0 SUCCESS 8 0");
        assertEquals(0x1122334455667788L, NativeMemory.getLong(target.address()));
        server.expect("received 1 SUCCESS 8 -7");
        server.expect("received 2 SUCCESS 0 0");
        close();
    }

    @Test
    void shouldReadWriteAndChangeMemoryOfThePeer() throws Exception
    {
        open();
        final int key = targetKey();
        for (int i = 0; i < HALF; i += Long.BYTES)
        {
            NativeMemory.putLong(hostData() + i, i * 0x9E3779B97F4A7C15L);
        }
        host.run(() -> assertTrue(client.at(hostData(), HALF).postWrite(1, true, targetData(), key)));
        client.expect("sent 1 SUCCESS");
        assertEquals(-1, NativeMemory.mismatch(hostData(), targetData(), HALF));
        NativeMemory.fill(hostData(), HALF, (byte)0);
        host.run(() -> assertTrue(client.at(hostData(), HALF).postRead(2, true, targetData(), key)));
        client.expect("sent 2 SUCCESS");
        assertEquals(-1, NativeMemory.mismatch(hostData(), targetData(), HALF));
        NativeMemory.putLong(targetData(), 40);
        host.run(() ->
        {
            assertTrue(client.at(hostData(), 8).postFetchAndAdd(3, targetData(), key, 2));
            assertTrue(client.at(hostData() + 8, 8).postCompareAndSwap(4, targetData(), key, 42, 43));
            assertTrue(client.at(hostData() + 16, 8).postCompareAndSwap(5, targetData(), key, 42, 44));
            assertTrue(client.at(host.address(), 16).fence()
                .postWriteWithImmediate(6, true, targetData() + 64, key, 5));
        });
        for (int i = 3; i <= 6; i++)
        {
            client.expect("sent " + i + " SUCCESS");
        }
        server.expect("received 0 SUCCESS 16 5");
        assertEquals(40, NativeMemory.getLong(hostData()));
        assertEquals(42, NativeMemory.getLong(hostData() + 8));
        assertEquals(43, NativeMemory.getLong(hostData() + 16));
        assertEquals(43, NativeMemory.getLong(targetData()));
        close();
    }

    /** More than the queues hold, few of them signalled. */
    @Test
    void shouldCarryAStreamOfMessagesInOrder() throws Exception
    {
        onServerQueuePair = (peer) -> postReceives(target, peer);
        open();
        final int total = 2_000;
        int received = 0;
        for (int sent = 0; sent < total;)
        {
            final int from = sent;
            final int count = Math.min(RECEIVES, total - sent);
            // What the peer received is acknowledged later, and holds its place in the queue until then.
            final int[] posted = new int[1];
            while (posted[0] < count)
            {
                host.run(() ->
                {
                    NativeMemory.putInt(hostData(), from + posted[0]);
                    while (posted[0] < count &&
                        client.at(hostData(), 4).postSendWithImmediate(from + posted[0], false, from + posted[0]))
                    {
                        posted[0]++;
                        NativeMemory.putInt(hostData(), from + posted[0]);
                    }
                });
            }
            sent += count;
            for (int i = 0; i < count; i++, received++)
            {
                final int place = received % RECEIVES;
                server.expect("received " + place + " SUCCESS 4 " + received);
                assertEquals(received, NativeMemory.getInt(target.address() + place * RECEIVE_BYTES));
                target.run(() -> assertTrue(
                    server.at(target.address() + place * RECEIVE_BYTES, RECEIVE_BYTES).postReceive(place)));
            }
        }
        close();
    }

    /** A connection that fails leaves others alone. */
    private void shouldFail(final Runnable request, final Set<String> statuses, final String reason) throws Exception
    {
        open();
        final RecordingPeer otherClient = client;
        final RecordingPeer otherServer = server;
        open();
        host.run(request);
        final String sent = client.next();
        assertTrue(statuses.contains(sent.replace("sent 9 ", "")), sent);
        final String why = client.closed();
        assertTrue(why.contains(reason), why);
        client = otherClient;
        server = otherServer;
        host.run(() -> assertTrue(client.at(hostData(), 8).postSend(1, true)));
        client.expect("sent 1 SUCCESS");
        server.expect("received 0 SUCCESS 8 0");
        close();
    }

    @Test
    void shouldFailWithAKeyThatThePeerDoesNotHave() throws Exception
    {
        shouldFail(() -> client.at(hostData(), 8).postWrite(9, true, targetData(), 0x7FFFFF01),
            Set.of("REMOTE_ACCESS"), "the peer refused the access");
    }

    @Test
    void shouldFailBeyondTheEndOfARegion() throws Exception
    {
        shouldFail(() -> client.at(hostData(), 64).postRead(9, true, target.address() + RdmaNode.BYTES - 63,
            (int)server.connection().keys().remoteKey(targetData(), 8)),
            Set.of("REMOTE_ACCESS"), "the peer refused the access");
    }

    @Test
    void shouldFailWithALocalKeyThatIsNone() throws Exception
    {
        // The second status is soft-RoCE's.
        shouldFail(() -> client.queuePair().segment(hostData(), 4096, 0x7FFFFF01).postSend(9, true),
            Set.of("PROTECTION", "REQUEST"), ": check");
    }

    @Test
    void shouldFailWithAMessageThatIsTooLong() throws Exception
    {
        // The second status is soft-RoCE's.
        shouldFail(() -> client.at(hostData(), RECEIVE_BYTES + 1).postSend(9, true),
            Set.of("REMOTE_INVALID", "REMOTE_OPERATION"), "the peer ");
    }

    @Test
    void shouldFailWithoutReceiveRequest() throws Exception
    {
        onServerQueuePair = (_) ->
        {
        };
        open();
        host.run(() -> assertTrue(client.at(hostData(), 8).postSend(9, true)));
        client.expect("sent 9 RECEIVER_NOT_READY");
        final String why = client.closed();
        assertTrue(why.contains("no receive request"), why);
        assertEquals("the peer ended the connection", server.closed());
    }

    @Test
    void shouldFindKeysOfMemoryThatComesAndGoes() throws Exception
    {
        open();
        final DmaMemory more = DmaMemory.map(1 << 20);
        final long address = more.address();
        final long bytes = more.lengthBytes();
        final RegionKeys keys = server.connection().keys();
        assertEquals(RegionKeys.NO_KEY, (long)target.call(() -> keys.localKey(address, 1)));
        target.registry().add(more, MemoryRole.BUFFERS);
        final long key = target.call(() -> keys.remoteKey(address, bytes));
        assertTrue(key >= 0 && key <= 0xFFFFFFFFL, "key " + key);
        target.run(() ->
        {
            assertEquals(RegionKeys.NO_KEY, keys.remoteKey(address, bytes + 1));
            assertEquals(RegionKeys.NO_KEY, keys.remoteKey(address, -1));
            // Another region may be next to it.
            assertNotEquals(key, keys.remoteKey(address + bytes, 1));
            assertNotEquals(key, keys.remoteKey(address - 1, 1));
            assertEquals(key, keys.remoteKey(address + bytes - 1, 1));
        });
        host.run(() -> assertTrue(client.at(hostData(), 4096).postRead(1, true, address, (int)key)));
        client.expect("sent 1 SUCCESS");
        more.close();
        assertEquals(RegionKeys.NO_KEY, (long)target.call(() -> keys.remoteKey(address, 1)));
        host.run(() -> assertTrue(client.at(hostData(), 4096).postRead(2, true, address, (int)key)));
        client.expect("sent 2 REMOTE_ACCESS");
    }

    @Test
    void shouldSayWhyAConnectionIsRefused() throws Exception
    {
        final RecordingPeer refused = connect(listening, "no  ");
        assertEquals("the peer refused the connection", refused.closed());
        assertArrayEquals("full".getBytes(US_ASCII), Arrays.copyOf(refused.connection().peerData(), 4));
        assertEquals("connection refused: no RDMA listener at the peer's address and port",
            connect(new InetSocketAddress(listening.getAddress(), 9), "hello").closed());
        String unknown;
        try
        {
            unknown = connect(new InetSocketAddress("203.0.113.1", 9), "hello").closed();
        }
        catch (final RdmaException e)
        {
            unknown = e.getMessage();
        }
        assertTrue(unknown.contains("no RDMA device reaches the address"), unknown);
    }

    @Test
    void shouldReportRequestsBeforeTheEnd() throws Exception
    {
        open();
        target.run(() ->
        {
            server.connection().close("enough");
            assertEquals(ConnectionState.CLOSING, server.connection().state());
        });
        for (int i = 0; i < RECEIVES; i++)
        {
            server.expect("received " + i + " FLUSHED 0 0");
        }
        server.expect("closed: enough");
        assertEquals("the peer ended the connection", client.closed());
        assertFalse(target.call(() -> server.queuePair().postReceive(1)));
    }

    @Test
    void shouldEndConnectionsWithTheirManager() throws Exception
    {
        open();
        host.run(() -> host.manager().close());
        assertEquals("the connection manager was closed", client.closed());
        assertEquals("the peer ended the connection", server.closed());
    }

    @Test
    void shouldSayThatThePeerGaveUp() throws Exception
    {
        final RecordingPeer impatient = connect(listening, "wait");
        final RdmaConnection request = waiting.poll(60, TimeUnit.SECONDS);
        host.run(() -> impatient.connection().close("too slow"));
        assertEquals("too slow", impatient.closed());
        final RecordingPeer answering = new RecordingPeer(onServerQueuePair);
        target.run(() -> request.accept(SIZES, answering, new byte[0]));
        final String why = answering.closed();
        assertTrue(why.contains("the peer gave up"), why);
    }

    /** Of RoCE, as all of these devices are. */
    @Test
    void shouldKnowItsDeviceAndItsGid() throws Exception
    {
        open();
        target.run(() ->
        {
            final RdmaConnection connection = server.connection();
            assertFalse(connection.deviceName().isEmpty());
            assertEquals(1, connection.devicePort());
            assertTrue(connection.gidIndex() >= 0, () -> "no GID of " + connection.localAddress());
        });
        close();
    }

    @Test
    void shouldStopListening() throws Exception
    {
        open();
        assertTrue(target.call(() -> target.manager().stopListening(listening)));
        assertFalse(target.call(() -> target.manager().stopListening(listening)));
        assertEquals("connection refused: no RDMA listener at the peer's address and port",
            connect(listening, "hello").closed());
        host.run(() -> assertTrue(client.at(hostData(), 8).postSend(1, true)));
        client.expect("sent 1 SUCCESS");
        server.expect("received 0 SUCCESS 8 0");
        close();
    }

    /** More than one completion queue has entries for. */
    @Test
    void shouldTakeManyConnections() throws Exception
    {
        for (int i = 0; i < CONNECTIONS; i++)
        {
            open();
        }
        host.run(() -> assertTrue(client.at(hostData(), 8).postSend(1, true)));
        client.expect("sent 1 SUCCESS");
        server.expect("received 0 SUCCESS 8 0");
        close();
    }

    @Test
    void shouldAcceptLater() throws Exception
    {
        final RecordingPeer patient = connect(listening, "wait");
        final RdmaConnection request = waiting.poll(60, TimeUnit.SECONDS);
        final RecordingPeer answering = new RecordingPeer(onServerQueuePair);
        target.run(() -> request.accept(SIZES, answering, new byte[0]));
        patient.expect("established");
        answering.expect("established");
    }
}
