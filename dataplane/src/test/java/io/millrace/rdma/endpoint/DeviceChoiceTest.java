package io.millrace.rdma.endpoint;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;

import io.millrace.rdma.RdmaException;
import io.millrace.rdma.RdmaSettings;
import io.millrace.rdma.model.ModelDevice;
import io.millrace.rdma.model.RdmaModel;
import io.millrace.rdma.model.RdmaProcesses;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Which device connections go by, on machines with several: what settings choose, or none. */
class DeviceChoiceTest extends RdmaEndpointFixture
{
    private static final int SECOND = 4;
    private static final int SECOND_AT_TARGET = 5;

    private final RdmaModel model = new RdmaModel();
    private final ModelDevice second = model.hostCore().addDevice(RdmaModel.address(SECOND));
    private final ModelDevice secondAtTarget = model.targetCore().addDevice(RdmaModel.address(SECOND_AT_TARGET));

    @Override
    protected RdmaProcesses processes()
    {
        return model;
    }

    private RecordingPeer connect(final InetAddress source)
    {
        final RecordingPeer peer = new RecordingPeer((made) -> postReceives(host, made));
        host.call(() -> host.manager().connect(
            listening, source, SIZES, peer, "hello".getBytes(), TimeUnit.SECONDS.toNanos(30)));
        return peer;
    }

    private void open(final InetAddress source) throws InterruptedException
    {
        client = connect(source);
        client.expect("established");
        server = accepted.poll(60, TimeUnit.SECONDS);
        server.expect("established");
    }

    private static RdmaSettings settings(final String device, final int port, final int gidIndex)
    {
        return new RdmaSettings(device, port, gidIndex);
    }

    @Test
    void shouldConnectByTheDeviceThatHasTheSource() throws InterruptedException
    {
        open(null);
        assertEquals("model1", host.call(() -> client.connection().deviceName()));
        close();
        host.run(() -> host.manager().settings(settings("model3", 1, 1)));
        open(second.address());
        assertEquals("model3", host.call(() -> client.connection().deviceName()));
        assertEquals(second.address(), client.connection().localAddress().getAddress());
        assertEquals(second.address(), server.connection().peerAddress().getAddress());
        close();
    }

    @Test
    void shouldNotConnectFromAnAddressOfNoDevice()
    {
        assertThrows(RdmaException.class, () -> connect(RdmaModel.address(77)));
        assertThrows(RdmaException.class, () -> connect(model.targetDevice().address()));
    }

    /** The route to the peer gives model1 port 1, whose address is GID 1. */
    @ParameterizedTest
    @CsvSource({"model3, 1, -1", "model1, 2, -1", "model1, 1, 0", "auto, 1, 2", "auto, 2, 1", "none, -1, -1"})
    void shouldRefuseToConnectByAnotherDevice(final String device, final int port, final int gidIndex)
        throws InterruptedException
    {
        host.run(() -> host.manager().settings(settings(device, port, gidIndex)));
        client = connect((InetAddress)null);
        assertEquals("10.0.0.1 is an address of model1 port 1 GID 1, but RDMA is to go by " +
            settings(device, port, gidIndex) +
            ": use an address that is reached by that device, or change the settings", client.closed());
        assertEquals(0, accepted.size());
    }

    /** A port alone chooses no device: it is 1 where nobody has set it. */
    @ParameterizedTest
    @CsvSource({"model1, 1, 1", "model1, -1, -1", "auto, 1, 1", "auto, 1, -1", "auto, 2, -1", "model1, -1, 1"})
    void shouldConnectByADeviceThatIsAllowed(final String device, final int port, final int gidIndex)
        throws InterruptedException
    {
        host.run(() -> host.manager().settings(settings(device, port, gidIndex)));
        target.run(() -> target.manager().settings(settings("model2", 1, 1)));
        open((InetAddress)null);
        close();
    }

    @Test
    void shouldRefuseRequestsThatComeByAnotherDevice() throws InterruptedException
    {
        target.run(() -> target.manager().settings(settings("model4", 1, RdmaSettings.ANY)));
        client = connect((InetAddress)null);
        client.closed();
        assertEquals("10.0.0.2 is an address of model2 port 1 GID 1, but RDMA is to go by device model4, port 1, " +
            "gid-index auto: use an address that is reached by that device, or change the settings",
            accepted.poll(60, TimeUnit.SECONDS).closed());
    }

    @Test
    void shouldListenAtNoAddressOfAnotherDevice() throws InterruptedException
    {
        target.run(() -> target.manager().settings(settings("model4", 1, RdmaSettings.ANY)));
        final InetSocketAddress first = new InetSocketAddress(model.targetDevice().address(), 4420);
        final RdmaException refused = assertThrows(RdmaException.class,
            () -> target.call(() -> target.manager().listen(first, 8, acceptor())));
        assertEquals("10.0.0.2 is an address of model2 port 1 GID 1, but RDMA is to go by device model4, port 1, " +
            "gid-index auto: use an address that is reached by that device, or change the settings",
            refused.getMessage());
        target.run(() -> target.manager().settings(RdmaSettings.DEFAULT));
        assertEquals(first, target.call(() -> target.manager().listen(first, 8, acceptor())), "it was freed");
        target.run(() -> target.manager().settings(settings("model4", 1, RdmaSettings.ANY)));
        listening = target.call(() -> target.manager().listen(
            new InetSocketAddress(secondAtTarget.address(), 4420), 8, acceptor()));
        open((InetAddress)null);
        close();
        target.call(() -> target.manager().listen(new InetSocketAddress("0.0.0.0", 4421), 8, acceptor()));
    }
}
