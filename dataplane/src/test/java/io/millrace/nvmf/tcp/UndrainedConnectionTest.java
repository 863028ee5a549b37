package io.millrace.nvmf.tcp;

import static org.junit.jupiter.api.Assertions.assertEquals;

import io.millrace.nvme.NvmeStatus;
import io.millrace.nvmf.LaterDevice;
import io.millrace.nvmf.config.CapacityLimits;
import io.millrace.nvmf.tcp.pdu.PduType;
import java.io.IOException;
import org.junit.jupiter.api.Test;

/**
 * Connections that have ended while a device has their commands take memory until it is done with these: a host that
 * connects again and again meanwhile has no more of them than its address may have.
 */
class UndrainedConnectionTest
{
    private static final int BLOCK = TargetFixture.BLOCK_BYTES;
    private static final int PER_ADDRESS = 4;

    @Test
    void shouldCountUntilDevicesHaveEndedTheirCommands() throws IOException
    {
        final LaterDevice device = new LaterDevice(BLOCK, 16L << 20);
        try (ManualTarget target = new ManualTarget(device, TcpTransportConfig.defaults(), 8L << 20,
                new CapacityLimits(64, 2 * PER_ADDRESS, PER_ADDRESS, 8, 8));
            TestHost admin = open(target))
        {
            admin.connectAdmin(TargetFixture.NQN);
            device.hold(true);
            for (int queueId = 1; queueId < PER_ADDRESS; queueId++)
            {
                assertEquals(NvmeStatus.SUCCESS, readAndLeave(target, admin, queueId), "queue " + queueId);
                assertEquals(1, target.group().assignedCount().get());
                assertEquals(1 + queueId, target.group().admission().queues());
            }
            assertEquals(NvmeStatus.CONNECT_CONTROLLER_BUSY, readAndLeave(target, admin, PER_ADDRESS));
            assertEquals(PER_ADDRESS - 1, device.held());
            device.hold(false);
            target.turn();
            assertEquals(1, target.group().admission().queues());
            assertEquals(0, target.group().pollGroup().requestsInUse());
            assertEquals(NvmeStatus.SUCCESS, readAndLeave(target, admin, PER_ADDRESS));
        }
    }

    private static TestHost open(final ManualTarget target) throws IOException
    {
        final TestHost host = TestHost.open(target.address());
        host.manual(target, target.accept());
        host.initialize(Digests.NONE, 0);
        return host;
    }

    /** Connects a queue, begins to read and ends the connection; status of the Connect command. */
    private static int readAndLeave(final ManualTarget target, final TestHost admin, final int queueId)
        throws IOException
    {
        final TestHost host = TestHost.open(target.address());
        final TcpConnection connection = target.accept();
        host.manual(target, connection);
        try (host)
        {
            host.initialize(Digests.NONE, 0);
            host.sendCapsule(WireCommand.connect(1, queueId, 32),
                WireCommand.connectData(TargetFixture.NQN, TestHost.HOST_NQN, admin.controllerId()));
            final int status = host.expect(PduType.CAPSULE_RESPONSE).status();
            if (NvmeStatus.SUCCESS == status)
            {
                host.sendCapsule(WireCommand.read(1, 0, 1, BLOCK), WirePdu.NOTHING);
            }
            return status;
        }
        finally
        {
            TargetFixture.await("the end of the connection", () ->
            {
                connection.receive();
                target.turn();
                return ConnectionState.CLOSED == connection.state();
            });
        }
    }
}
