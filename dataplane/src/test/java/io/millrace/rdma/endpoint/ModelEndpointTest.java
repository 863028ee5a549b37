package io.millrace.rdma.endpoint;

import static java.nio.charset.StandardCharsets.US_ASCII;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.millrace.bindings.NativeMemory;
import io.millrace.memory.DmaMemory;
import io.millrace.memory.MemoryException;
import io.millrace.memory.MemoryRole;
import io.millrace.rdma.model.ModelRdmaCore;
import io.millrace.rdma.model.RdmaModel;
import io.millrace.rdma.model.RdmaProcesses;
import java.lang.foreign.Arena;
import java.net.InetSocketAddress;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import java.util.function.Function;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

/** The contract on the model. */
class ModelEndpointTest extends RdmaEndpointContractTest
{
    private final RdmaModel model = new RdmaModel();

    @Override
    protected RdmaProcesses processes()
    {
        return model;
    }

    /** A device reads memory when it sends, not when a request is posted. */
    @Test
    void shouldSendWhatIsInMemoryThen() throws Exception
    {
        open();
        final int key = targetKey();
        model.network().timeouts(100_000_000L, 500_000_000L);
        model.network().cut(model.hostDevice(), model.targetDevice(), true);
        NativeMemory.putLong(hostData(), 1);
        // Not inline, as that is copied.
        host.run(() -> assertTrue(client.at(hostData(), 4096).postWrite(1, true, targetData(), key)));
        NativeMemory.putLong(hostData(), 2);
        model.network().cut(model.hostDevice(), model.targetDevice(), false);
        client.expect("sent 1 SUCCESS");
        assertEquals(2, NativeMemory.getLong(targetData()));
    }

    @Test
    void shouldEndWhenThePeerDoesNotAnswer() throws Exception
    {
        open();
        model.network().timeouts(1_000_000L, 20_000_000L);
        model.network().cut(model.hostDevice(), model.targetDevice(), true);
        host.run(() -> assertTrue(client.at(hostData(), 8).postSend(1, false)));
        client.expect("sent 1 RETRIES");
        final String why = client.closed();
        assertTrue(why.contains("the peer does not answer"), why);
        final String unreachable = connect(listening, "hello").closed();
        assertTrue(unreachable.contains("the peer does not answer"), unreachable);
    }

    /** Retries hide loss from those above. */
    @Test
    void shouldKeepTheContractWithLossAndDelay() throws Exception
    {
        model.network().timeouts(1_000_000L, 500_000_000L);
        model.network().delay(0, 200_000);
        model.network().loss(20);
        shouldCarryAStreamOfMessagesInOrder();
    }

    /** Queue pairs are made so that it cannot be; a device reports it by an event alone while nobody polls. */
    @Test
    void shouldEndConnectionsOfACompletionQueueThatOverranAndNoOthers() throws Exception
    {
        open();
        final RecordingPeer ofFirst = server;
        try (RdmaNode other = new RdmaNode("other", model.targetCore()))
        {
            final InetSocketAddress address = other.call(() -> other.manager().listen(targetAddress(), 8, acceptor()));
            onServerQueuePair = (peer) -> postReceives(other, peer);
            client = connect(address, "hello");
            client.expect("established");
            server = accepted.poll(60, TimeUnit.SECONDS);
            server.expect("established");
            model.targetDevice().overrun();
            assertEquals(CompletionStatus.DEVICE.text(), ofFirst.closed());
            host.run(() -> assertTrue(client.at(hostData(), 8).postSend(1, true)));
            client.expect("sent 1 SUCCESS");
            server.expect("received 0 SUCCESS 8 0");
            close();
        }
    }

    @Test
    void shouldEndConnectionsOfARemovedDeviceAndUseItAgain() throws Exception
    {
        final LinkedBlockingQueue<String> devices = new LinkedBlockingQueue<>();
        target.run(() -> target.manager().deviceListener(new DeviceListener()
        {
            @Override
            public void onPort(final String device, final int port, final boolean isActive)
            {
                devices.add(device + " port " + port + " " + isActive);
            }

            @Override
            public void onRemoved(final String device)
            {
                devices.add(device + " removed");
            }
        }));
        open();
        model.targetDevice().port(false);
        assertEquals("model2 port 1 false", devices.poll(60, TimeUnit.SECONDS));
        model.targetDevice().port(true);
        assertEquals("model2 port 1 true", devices.poll(60, TimeUnit.SECONDS));
        model.network().timeouts(1_000_000L, 20_000_000L);
        model.targetDevice().remove();
        assertEquals("the RDMA device was removed", server.closed());
        assertEquals("model2 removed", devices.poll(60, TimeUnit.SECONDS));
        host.run(() -> assertTrue(client.at(hostData(), 8).postSend(1, true)));
        client.expect("sent 1 RETRIES");
        client.closed();
        model.targetCore().addDevice(targetAddress().getAddress());
        listening = target.call(() -> target.manager().listen(targetAddress(), 8, acceptor()));
        open();
        close();
    }

    /** Nobody is connected by it, and librdmacm closes its context with the last identifier. */
    @Test
    void shouldLetGoOfADeviceThatIsRemovedWhileIdle() throws Exception
    {
        open();
        close();
        model.hostDevice().remove();
        model.hostCore().addDevice(RdmaModel.address(1));
        open();
        close();
    }

    @Test
    void shouldEndAQueuePairThatTheDeviceReports() throws Exception
    {
        open();
        model.hostDevice().failQueuePairs();
        final String why = client.closed();
        assertTrue(why.contains("the device reports that the queue pair has failed"), why);
        assertEquals("the peer ended the connection", server.closed());
    }

    @Test
    void shouldRefuseMemoryThatADeviceInUseDoesNotTake() throws Exception
    {
        open();
        model.targetCore().lockedBytesMax(RdmaNode.BYTES);
        final DmaMemory more = DmaMemory.map(1 << 20);
        final MemoryException refused =
            assertThrows(MemoryException.class, () -> target.registry().add(more, MemoryRole.BUFFERS));
        assertTrue(refused.getMessage().contains("ulimit -l"), refused.getMessage());
        more.close();
        close();
    }

    @Test
    void shouldRefuseConnectionsByADeviceThatDoesNotTakeTheMemory() throws Exception
    {
        model.hostCore().lockedBytesMax(RdmaNode.BYTES - 1);
        final String why = connect(listening, "hello").closed();
        assertTrue(why.contains("ulimit -l"), why);
        model.hostCore().lockedBytesMax(Long.MAX_VALUE);
        open();
        close();
    }

    /** Whatever an owner throws, its connection ends and leaves nothing; others go on. */
    @Test
    void shouldEndAConnectionWhoseOwnerThrows() throws Exception
    {
        onServerQueuePair = (_) ->
        {
            throw new IllegalStateException("no memory for capsules");
        };
        // The first one has to wait for the device, the second one not.
        for (int i = 0; i < 2; i++)
        {
            final RecordingPeer refused = connect(listening, "hello");
            final RecordingPeer thrower = accepted.poll(60, TimeUnit.SECONDS);
            assertEquals("java.lang.IllegalStateException: no memory for capsules", thrower.closed());
            refused.closed();
        }
        onServerQueuePair = (peer) -> postReceives(target, peer);
        final RecordingPeer throwing = new RecordingPeer((_) ->
        {
            throw new IllegalStateException("no memory for responses");
        });
        host.call(() -> host.manager().connect(
            listening, SIZES, throwing, "hello".getBytes(US_ASCII), 30_000_000_000L));
        assertEquals("java.lang.IllegalStateException: no memory for responses", throwing.closed());
        open();
        close();
    }

    /** A device that cannot be counted is not used, and what was made of it is given back. */
    @Test
    void shouldEndAConnectionWhoseDeviceCannotBeCounted() throws Exception
    {
        host.run(() -> host.manager().countDevices((_) ->
        {
            throw new IllegalStateException("no room for counters");
        }));
        final String why = connect(listening, "hello").closed();
        assertTrue(why.contains("no room for counters"), why);
    }

    /** Whose owner closes them too late, or not at all. */
    @Test
    void shouldCloseWithRegionsThatAreLeft() throws Exception
    {
        final ConnectionManager manager =
            host.call(() -> new ConnectionManager(host.reactor(), model.hostCore(), 1024));
        final LinkedBlockingQueue<RdmaRegion> regions = new LinkedBlockingQueue<>();
        final RecordingPeer peer = new RecordingPeer((made) -> regions.add(
            made.connection().domain().register(hostData(), 4096, RegionAccess.LOCAL)));
        host.call(() -> manager.connect(listening, SIZES, peer, "hello".getBytes(US_ASCII), 30_000_000_000L));
        peer.expect("established");
        host.run(manager::close);
        assertEquals("the connection manager was closed", peer.closed());
        regions.take().close();
    }

    /** Its identifier is on the event channel of the manager that gave it away until the other one has taken it. */
    @Test
    void shouldRefuseARequestThatIsOnItsWayToAnotherReactorWhenItCloses() throws Exception
    {
        final LinkedBlockingQueue<String> failed = new LinkedBlockingQueue<>();
        final CountDownLatch release = new CountDownLatch(1);
        try (RdmaNode other = new RdmaNode("other", model.targetCore()))
        {
            final RecordingPeer refused = connect(listening, "wait");
            final RdmaConnection request = waiting.poll(60, TimeUnit.SECONDS);
            other.reactor().execute(() -> await(release));
            target.run(() ->
            {
                request.moveTo(other.manager(), acceptor(), () -> failed.add("failed"));
                target.manager().close();
            });
            assertEquals("the peer refused the connection", refused.closed());
            release.countDown();
            assertEquals("failed", failed.poll(60, TimeUnit.SECONDS));
            other.run(() ->
            {
            });
            assertTrue(accepted.isEmpty());
        }
    }

    /** As the last listener ends while hosts connect; both outcomes are right. */
    @Test
    void shouldCloseWhileAnotherReactorTakesARequest() throws Exception
    {
        final String closed = "closed: ";
        try (RdmaNode other = new RdmaNode("other", model.targetCore()))
        {
            for (int i = 0; i < 100; i++)
            {
                final ConnectionManager manager =
                    target.call(() -> new ConnectionManager(target.reactor(), model.targetCore(), 1024));
                final InetSocketAddress address = target.call(() -> manager.listen(targetAddress(), 8, (request) ->
                {
                    request.moveTo(other.manager(), (moved) -> moved.accept(SIZES, new RecordingPeer((_) ->
                    {
                    }), new byte[0]));
                    manager.close();
                }));
                final RecordingPeer peer = connect(address, "hello");
                final String outcome = peer.next();
                if ("established".equals(outcome))
                {
                    host.run(() -> peer.connection().close("done"));
                    assertEquals("done", peer.closed());
                }
                else
                {
                    assertEquals("the peer refused the connection",
                        outcome.startsWith(closed) ? outcome.substring(closed.length()) : peer.closed());
                }
            }
        }
    }

    private static void await(final CountDownLatch latch)
    {
        try
        {
            assertTrue(latch.await(60, TimeUnit.SECONDS));
        }
        catch (final InterruptedException e)
        {
            throw new AssertionError(e);
        }
    }

    /** The counters are in memory of the caller, and outlast connections, devices and managers. */
    @Test
    void shouldCountWhatConnectionsDoByADevice() throws Exception
    {
        try (Arena arena = Arena.ofShared())
        {
            final Map<String, DeviceCounters> counted = new ConcurrentHashMap<>();
            final Function<String, DeviceCounters> counting = (name) -> counted.computeIfAbsent(name, (_) ->
                new DeviceCounters(arena.allocate(DeviceCounters.SIZE_BYTES, Long.BYTES).address()));
            host.run(() -> host.manager().countDevices(counting));
            target.run(() -> target.manager().countDevices(counting));
            open();
            final int key = targetKey();
            host.run(() ->
            {
                assertTrue(client.at(hostData(), 8).postSend(1, false));
                client.at(hostData(), 4);
                assertTrue(client.at(hostData() + 8, 4).postSendWithImmediate(2, false, -7));
                assertTrue(client.at(hostData(), 4096).postWrite(3, false, targetData(), key));
                assertTrue(client.at(hostData(), 100).postRead(4, false, targetData(), key));
                assertTrue(client.at(hostData(), 8).postFetchAndAdd(5, targetData(), key, 2));
                assertTrue(client.at(host.address(), 16).fence()
                    .postWriteWithImmediate(6, true, targetData() + 64, key, 5));
            });
            client.expect("sent 5 SUCCESS");
            client.expect("sent 6 SUCCESS");
            server.expect("received 0 SUCCESS 8 0");
            server.expect("received 1 SUCCESS 8 -7");
            server.expect("received 2 SUCCESS 16 5");
            assertEquals("SENDS 2, SENT_BYTES 16, READS 1, READ_BYTES 100, WRITES 2, WRITTEN_BYTES 4112, ATOMICS 1, " +
                "QUEUE_PAIRS 1, CONNECTIONS 1",
                text(counted.get("model1")).replaceAll(", [A-Z]+_NS [0-9]+", ""));
            assertEquals("RECEIVES 3, RECEIVED_BYTES 32, QUEUE_PAIRS 1, CONNECTIONS 1", text(counted.get("model2")));
            host.run(() -> assertTrue(client.at(hostData(), 8).postWrite(7, false, targetData(), 0x7FFFFF01)));
            client.expect("sent 7 REMOTE_ACCESS");
            client.closed();
            final DeviceCounters ended = counted.get("model1");
            assertEquals(1, ended.get(DeviceCounters.Value.FAILED_REMOTE_ACCESS));
            assertEquals(0, ended.get(DeviceCounters.Value.QUEUE_PAIRS));
            assertEquals(1, ended.get(DeviceCounters.Value.CONNECTIONS));
            assertEquals(0, ended.get(DeviceCounters.Value.REMOVALS));
            model.hostDevice().remove();
            model.hostCore().addDevice(RdmaModel.address(1));
            open();
            assertEquals(1, ended.get(DeviceCounters.Value.REMOVALS));
            assertEquals(2, counted.values().stream().filter((each) -> each != counted.get("model2"))
                .mapToLong((each) -> each.get(DeviceCounters.Value.CONNECTIONS)).sum());
            close();
            host.run(host.manager()::close);
            target.run(target.manager()::close);
        }
    }

    private static String text(final DeviceCounters counters)
    {
        return Stream.of(DeviceCounters.Value.values()).filter((each) -> 0 != counters.get(each))
            .map((each) -> each + " " + counters.get(each)).collect(Collectors.joining(", "));
    }

    /** What the device never gets it would never give back; the last messages of a side leave before its end, too. */
    @Test
    void shouldPostWhatIsCollectedBeforeItDisconnects() throws InterruptedException
    {
        open();
        host.run(() ->
        {
            client.queuePair().holdUntilPolled();
            assertTrue(client.at(hostData(), 8).postSend(1, true));
            assertTrue(client.at(hostData(), 8).postSend(2, true));
            final ModelRdmaCore.Posted before = model.hostCore().posted();
            client.connection().close("done");
            assertEquals(new ModelRdmaCore.Posted(1, 2, 0, 0), model.hostCore().posted().since(before));
        });
        // What ends first is the network's matter.
        String last = client.next();
        while (!last.startsWith("closed: "))
        {
            last = client.next();
        }
        assertEquals("closed: done", last);
    }

    /** The device gives back what it took before; the others are nobody's to wait for. */
    @Test
    void shouldNotWaitForReceiveRequestsThatTheProviderRefused() throws InterruptedException
    {
        open();
        host.run(() ->
        {
            final int before = client.queuePair().outstanding();
            client.queuePair().holdUntilPolled();
            for (int i = 0; i < 3; i++)
            {
                assertTrue(client.at(hostData() + i * RECEIVE_BYTES, RECEIVE_BYTES).postReceive(100 + i));
            }
            model.hostCore().refuseReceiveAfter(1);
            client.queuePair().ring();
            assertEquals(before + 1, client.queuePair().outstanding());
            assertFalse(client.at(hostData(), RECEIVE_BYTES).postReceive(103), "it would end those before it");
        });
        final List<String> reports = new ArrayList<>();
        while (reports.isEmpty() || !reports.getLast().startsWith("closed: "))
        {
            reports.add(client.next());
        }
        for (int i = 0; i < RECEIVES; i++)
        {
            assertEquals(1, Collections.frequency(reports, "received " + i + " FLUSHED 0 0"), "of " + reports);
        }
        assertEquals(List.of("received 100 FLUSHED 0 0", "received 101 FLUSHED 0 0", "received 102 FLUSHED 0 0"),
            reports.subList(RECEIVES, RECEIVES + 3));
    }

    /** The peer may send as soon as it is accepted. */
    @Test
    void shouldPostReceiveRequestsThatAreCollectedBeforeItAccepts() throws InterruptedException
    {
        open();
        final RecordingPeer asking = connect(listening, "wait");
        final RdmaConnection request = waiting.poll(60, TimeUnit.SECONDS);
        final RecordingPeer accepting = new RecordingPeer((made) ->
        {
            made.queuePair().holdUntilPolled();
            // Fewer than a list has, which would leave when it is full.
            for (int i = 0; i < 5; i++)
            {
                assertTrue(made.at(target.address() + i * RECEIVE_BYTES, RECEIVE_BYTES).postReceive(i));
            }
        });
        target.run(() ->
        {
            final ModelRdmaCore.Posted before = model.targetCore().posted();
            request.accept(SIZES, accepting, new byte[0]);
            assertEquals(new ModelRdmaCore.Posted(0, 0, 1, 5), model.targetCore().posted().since(before));
        });
        asking.expect("established");
        accepting.expect("established");
        close();
    }
}
