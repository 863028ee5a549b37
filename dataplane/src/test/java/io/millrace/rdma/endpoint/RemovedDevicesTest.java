package io.millrace.rdma.endpoint;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;

import io.millrace.rdma.RdmaException;
import io.millrace.rdma.model.ModelDevice;
import io.millrace.rdma.model.RdmaModel;
import java.net.InetSocketAddress;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** The kernel's removal of a device ends though the process lives on: librdmacm is made to close its context. */
@Timeout(value = 120, unit = TimeUnit.SECONDS)
class RemovedDevicesTest
{
    private static final long CONNECT_NS = TimeUnit.SECONDS.toNanos(30);
    private static final long LIMIT_S = 60;

    private final RdmaModel model = new RdmaModel();
    private final RecordingPeer client = new RecordingPeer((_) ->
    {
    });
    private RdmaNode host;
    private RdmaNode target;

    @BeforeEach
    void start()
    {
        model.hostCore().keepRemovedDevices();
        host = new RdmaNode("host", model.hostCore());
        target = new RdmaNode("target", model.targetCore());
    }

    @AfterEach
    void stop()
    {
        host.close();
        target.close();
        model.close();
    }

    private void connect() throws InterruptedException
    {
        final InetSocketAddress at = target.call(() -> target.manager().listen(
            new InetSocketAddress(model.targetDevice().address(), 0), 8,
            (request) -> request.accept(RdmaEndpointFixture.SIZES, new RecordingPeer((_) ->
            {
            }), new byte[0])));
        host.call(() ->
            host.manager().connect(at, RdmaEndpointFixture.SIZES, client, new byte[0], CONNECT_NS));
        client.expect("established");
    }

    private static void awaitClosed(final ModelDevice device)
    {
        device.closed().orTimeout(LIMIT_S, TimeUnit.SECONDS).join();
    }

    @Test
    void shouldCloseADeviceThatWasInUse() throws InterruptedException
    {
        connect();
        model.hostCore().addDevice(RdmaModel.address(3));
        model.hostDevice().remove();
        assertEquals("the RDMA device was removed", client.closed());
        awaitClosed(model.hostDevice());
    }

    @Test
    void shouldCloseADeviceThatWasListenedAt()
    {
        model.hostCore().addDevice(RdmaModel.address(3));
        listen(1);
        model.hostDevice().remove();
        awaitClosed(model.hostDevice());
    }

    private InetSocketAddress listen(final int address)
    {
        return host.call(() -> host.manager().listen(
            new InetSocketAddress(RdmaModel.address(address), 0), 8, (request) -> request.reject(new byte[0])));
    }

    /** Librdmacm does not see that the last device is gone before there is another one. */
    @Test
    void shouldCloseTheOnlyDeviceWhenThereIsAnother() throws InterruptedException
    {
        connect();
        model.hostDevice().remove();
        assertEquals("the RDMA device was removed", client.closed());
        host.call(() -> 0);
        assertFalse(model.hostDevice().closed().isDone());
        final ModelDevice other = model.hostCore().addDevice(RdmaModel.address(3));
        retryUntilClosed();
        assertFalse(other.closed().isDone());
    }

    /** As a target tries to listen again: the comparison before, which found no device, may not have ended. */
    private void retryUntilClosed()
    {
        final long deadlineNs = System.nanoTime() + TimeUnit.SECONDS.toNanos(LIMIT_S);
        while (!model.hostDevice().closed().isDone() && System.nanoTime() - deadlineNs < 0)
        {
            host.call(() ->
            {
                try
                {
                    return host.manager().listen(
                        new InetSocketAddress(RdmaModel.address(1), 0), 8, (request) -> request.reject(new byte[0]));
                }
                catch (final RdmaException e)
                {
                    return e;
                }
            });
        }
        awaitClosed(model.hostDevice());
    }
}
