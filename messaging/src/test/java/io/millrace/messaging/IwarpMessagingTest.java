package io.millrace.messaging;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.millrace.messaging.transport.ExportAccess;
import io.millrace.messaging.transport.MessageMemory;
import io.millrace.rdma.model.RdmaModel;
import io.millrace.seed.TestSeeds;
import java.net.InetSocketAddress;
import java.util.List;
import org.agrona.concurrent.UnsafeBuffer;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** Messages by iWARP devices, which read only into memory that the peer may write, on the model of rdma-core. */
class IwarpMessagingTest
{
    private static final int BYTES = 1 << 20;

    private final RdmaModel model = new RdmaModel();

    private MessagingContext settings(final MessagingContext context)
    {
        return context.rdma(context.rdma().withEventChannel(true)).model(
            "server".equals(context.name()) ? model.targetCore() : model.hostCore(),
            (address) -> new InetSocketAddress(model.targetDevice().address(), address.getPort()));
    }

    private MessagingFixture connect()
    {
        model.hostDevice().iwarp();
        model.targetDevice().iwarp();
        return new MessagingFixture(this::settings).connect();
    }

    @AfterEach
    void checkModel()
    {
        assertEquals(List.of(), model.network().violations());
        assertEquals(0, model.hostCore().resources() + model.targetCore().resources());
        model.close();
    }

    @Test
    void shouldDeliverLargeMessages()
    {
        final byte[] expected = new byte[BYTES];
        TestSeeds.random().nextBytes(expected);
        try (MessagingFixture fixture = connect())
        {
            fixture.send(1, expected);
            assertArrayEquals(expected, fixture.server.awaitMessage());
            MessagingFixture.send(fixture.serving, fixture.serverEndpoint(), fixture.server, 2, expected);
            assertArrayEquals(expected, fixture.client.awaitMessage());
        }
    }

    /** What is only written from is not the peer's to write, until it is read into. */
    @Test
    void shouldOpenMemoryToThePeerWhenItIsReadInto()
    {
        try (MessagingFixture fixture = connect())
        {
            final MessageMemory local = fixture.memory(BYTES);
            final MessageMemory exported = fixture.memory(BYTES);
            final Endpoint server = fixture.serverEndpoint();
            final RemoteRegion remote = new RemoteRegion(new UnsafeBuffer(fixture.serving.call(() ->
                server.export(exported, 0, BYTES, ExportAccess.READ_WRITE).descriptor())), 0);
            local.buffer().putLong(8, 5);
            fixture.connecting.call(() -> fixture.endpoint.write(1, remote, 0, local, 0, BYTES));
            fixture.client.awaitSuccess(1);
            assertEquals(5, exported.buffer().getLong(8));
            assertFalse(model.hostDevice().mayBeWrittenByPeers(local.address()));
            exported.buffer().putLong(8, 6);
            fixture.connecting.call(() -> fixture.endpoint.read(2, remote, 0, local, 0, BYTES));
            fixture.client.awaitSuccess(2);
            assertEquals(6, local.buffer().getLong(8));
            assertTrue(model.hostDevice().mayBeWrittenByPeers(local.address()));
        }
    }
}
