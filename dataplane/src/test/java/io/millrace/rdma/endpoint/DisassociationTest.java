package io.millrace.rdma.endpoint;

import static java.nio.charset.StandardCharsets.US_ASCII;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.millrace.bindings.NativeMemory;
import io.millrace.rdma.model.RdmaModel;
import io.millrace.rdma.model.RdmaProcesses;
import java.net.InetSocketAddress;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * A device whose driver disassociates: the kernel answers {@code EIO} to whatever is asked of it, before the hardware
 * has ended what was asked before. Calls that destroy fail, too, unless rdma-core hides that.
 */
class DisassociationTest extends RdmaEndpointFixture
{
    private final RdmaModel model = new RdmaModel();
    private final LinkedBlockingQueue<String> devices = new LinkedBlockingQueue<>();

    @Override
    protected RdmaProcesses processes()
    {
        return model;
    }

    private void listenToDevices(final RdmaNode node)
    {
        node.run(() -> node.manager().deviceListener(new DeviceListener()
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
    }

    private void disassociate(final boolean isHidden)
    {
        if (isHidden)
        {
            model.targetCore().allowDisassociatedDestroy();
        }
        model.network().timeouts(1_000_000L, 20_000_000L);
        model.targetDevice().disassociate();
    }

    private void useAgain() throws InterruptedException
    {
        model.network().timeouts(20_000_000L, 500_000_000L);
        model.targetCore().addDevice(targetAddress().getAddress());
        listening = target.call(() -> target.manager().listen(targetAddress(), 8, acceptor()));
        open();
        close();
    }

    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    void shouldEndConnectionsAndUseTheDeviceAgain(final boolean isHidden) throws Exception
    {
        listenToDevices(target);
        open();
        final RecordingPeer first = server;
        open();
        disassociate(isHidden);
        model.targetDevice().endHardware();
        assertEquals("the RDMA device was removed", first.closed());
        assertEquals("the RDMA device was removed", server.closed());
        assertEquals("model2 removed", devices.poll(60, TimeUnit.SECONDS));
        useAgain();
    }

    /** What was posted to it comes back. */
    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    void shouldEndASharedReceiveQueue(final boolean isHidden) throws Exception
    {
        final LinkedBlockingQueue<Long> returned = new LinkedBlockingQueue<>();
        final SharedReceiveQueue[] shared = new SharedReceiveQueue[1];
        serverShared = (domain) ->
        {
            shared[0] = domain.sharedReceiveQueue(8, 1, new SharedReceiveListener()
            {
                @Override
                public void onReturned(final long id)
                {
                    returned.add(id);
                }

                @Override
                public void onLimit(final SharedReceiveQueue queue)
                {
                    throw new AssertionError("no limit was set");
                }
            });
            return shared[0];
        };
        onServerQueuePair = (peer) ->
        {
            final RegionKeys keys = peer.connection().keys();
            shared[0].segment(
                target.address(), RECEIVE_BYTES, (int)keys.localKey(target.address(), RECEIVE_BYTES));
            assertTrue(shared[0].postReceive(7));
        };
        open();
        disassociate(isHidden);
        model.targetDevice().endHardware();
        assertEquals("the RDMA device was removed", server.closed());
        assertEquals(7L, returned.poll(60, TimeUnit.SECONDS));
    }

    /** The manager may be closed before it has read any event of the device. */
    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    void shouldCloseBeforeItKnows(final boolean isHidden) throws Exception
    {
        open();
        target.run(() ->
        {
            disassociate(isHidden);
            model.targetDevice().endHardware();
            target.manager().close();
        });
        assertEquals("the connection manager was closed", server.closed());
    }

    /** Their structures are gone with the context of the device. */
    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    void shouldCloseRegionsAfterTheContext(final boolean isHidden) throws Exception
    {
        final ConnectionManager manager =
            target.call(() -> new ConnectionManager(target.reactor(), model.targetCore(), 1024));
        final InetSocketAddress hosts =
            host.call(() -> host.manager().listen(new InetSocketAddress(RdmaModel.address(1), 0), 8, acceptor()));
        final LinkedBlockingQueue<RdmaRegion> regions = new LinkedBlockingQueue<>();
        onServerQueuePair = (_) ->
        {
        };
        final RecordingPeer peer = new RecordingPeer((made) ->
        {
            regions.add(made.connection().domain().register(targetData(), 4096, RegionAccess.LOCAL));
            regions.add(made.connection().domain().register(targetData(), 4096, RegionAccess.REMOTE_READ));
        });
        target.call(() -> manager.connect(hosts, SIZES, peer, "hello".getBytes(US_ASCII), 30_000_000_000L));
        peer.expect("established");
        disassociate(isHidden);
        // One while there is a context, which answers that it cannot.
        target.run(regions.take()::close);
        model.targetDevice().endHardware();
        assertEquals("the RDMA device was removed", peer.closed());
        target.run(manager::close);
        target.run(regions.take()::close);
    }

    /**
     * Its memory is the device's as long as the hardware carries it out; and the peer's, whose requests the hardware
     * serves, when nothing of this side is outstanding any more.
     */
    @ParameterizedTest
    @CsvSource({"false, 32", "true, 32", "false, 0"})
    void shouldGiveNothingBackWhileTheHardwareUsesIt(final boolean isHidden, final int receives) throws Exception
    {
        listenToDevices(target);
        if (0 == receives)
        {
            onServerQueuePair = (_) ->
            {
            };
        }
        final LinkedBlockingQueue<Integer> keys = new LinkedBlockingQueue<>();
        open();
        keys.add(host.call(() -> (int)client.connection().keys().remoteKey(hostData(), HALF)));
        NativeMemory.putLong(hostData(), 5);
        NativeMemory.putLong(targetData(), 1);
        // Longer than a connection waits whose requests come back by themselves.
        model.network().delay(1_000_000_000L, 1_000_000_000L);
        final int key = keys.take();
        target.run(() -> assertTrue(server.at(targetData(), 4096).postRead(9, true, hostData(), key)));
        if (isHidden)
        {
            model.targetCore().allowDisassociatedDestroy();
        }
        model.targetDevice().disassociate();
        while (ConnectionState.ESTABLISHED == target.call(() -> server.connection().state()))
        {
            Thread.onSpinWait();
        }
        // The connection ends, and the READ goes on: it succeeds before anything was given back.
        server.expect("sent 9 SUCCESS");
        assertEquals(5, NativeMemory.getLong(targetData()));
        assertFalse(ConnectionState.CLOSED == target.call(() -> server.connection().state()));
        model.targetDevice().endHardware();
        assertEquals("the RDMA device was removed", server.closed());
        assertEquals("model2 removed", devices.poll(60, TimeUnit.SECONDS));
    }

    /**
     * The kernel takes what destroys, and nothing is waited for: what uses the memory may connect by another
     * device.
     */
    @Test
    void shouldEndConnectionsOfADeviceThatHasFailedAndStaysAtOnce() throws Exception
    {
        listenToDevices(target);
        open();
        model.targetDevice().fail();
        ConnectionState state = ConnectionState.ESTABLISHED;
        while (ConnectionState.ESTABLISHED == state)
        {
            state = target.call(() -> server.connection().state());
        }
        assertEquals(ConnectionState.CLOSED, state);
        // Who listens may do so again: a host that comes back is not refused.
        assertEquals("model2 removed", devices.poll());
        assertEquals("the RDMA device was removed", server.closed());
    }

    /** As when the driver does not end the hardware. */
    @Test
    void shouldWaitForTheHardwareOnlySoLong() throws Exception
    {
        open();
        disassociate(false);
        assertEquals("the RDMA device was removed", server.closed());
        model.targetDevice().endHardware();
    }

    /** The peer gets nothing that nobody sent. */
    @Test
    void shouldSendNothingToThePeer() throws Exception
    {
        open();
        // What has no completion of its own would have a message follow that has one.
        target.run(() -> assertTrue(server.at(targetData(), 8).postSend(1, false)));
        client.expect("received 0 SUCCESS 8 0");
        disassociate(false);
        while (ConnectionState.ESTABLISHED == target.call(() -> server.connection().state()))
        {
            Thread.onSpinWait();
        }
        host.run(() -> assertTrue(client.at(hostData(), 8).postSend(2, true)));
        client.expect("sent 2 SUCCESS");
        model.targetDevice().endHardware();
        server.expect("received 0 SUCCESS 8 0");
        assertEquals("the RDMA device was removed", server.closed());
        host.run(() -> client.connection().close("done"));
        assertEquals("done", client.closed());
    }

    /** A completion of before the removal is reported as completed, also when both are read in one cycle. */
    @Test
    void shouldReportWhatCompletedBeforeTheHardwareEnded() throws Exception
    {
        open();
        disassociate(false);
        while (ConnectionState.ESTABLISHED == target.call(() -> server.connection().state()))
        {
            Thread.onSpinWait();
        }
        target.call(() ->
        {
            host.run(() -> assertTrue(client.at(hostData(), 8).postSend(1, true)));
            client.expect("sent 1 SUCCESS");
            model.targetDevice().endHardware();
            return null;
        });
        server.expect("received 0 SUCCESS 8 0");
        assertEquals("the RDMA device was removed", server.closed());
    }
}
