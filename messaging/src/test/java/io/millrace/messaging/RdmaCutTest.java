package io.millrace.messaging;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.millrace.bindings.NativeMemory;
import io.millrace.bindings.generated.verbs.verbs_h;
import io.millrace.bindings.verbs.Verbs;
import io.millrace.messaging.transport.EndpointStatus;
import io.millrace.messaging.transport.ExportAccess;
import io.millrace.messaging.transport.MessageMemory;
import io.millrace.messaging.transport.TransportKind;
import io.millrace.rdma.core.RdmaCore;
import io.millrace.rdma.model.InterceptedCore;
import io.millrace.rdma.model.RdmaModel;
import java.net.InetSocketAddress;
import org.agrona.concurrent.UnsafeBuffer;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/**
 * A peer whose machine is gone from the moment on in which an RDMA READ is posted, and which is back later, on the
 * model of rdma-core: it reports memory that is given back while a device has it, and what is left at the end.
 */
class RdmaCutTest
{
    private static final int LARGE_BYTES = 3 << 20;

    private final RdmaModel model = new RdmaModel();
    private volatile boolean isArmed;

    @AfterEach
    void closeModel()
    {
        model.close();
    }

    private void cut(final boolean isCut)
    {
        model.network().timeouts(1_000_000L, isCut ? 20_000_000L : 500_000_000L);
        model.network().cut(model.hostDevice(), model.targetDevice(), isCut);
    }

    private RdmaCore cuttingAtRead(final RdmaCore core)
    {
        return InterceptedCore.of(core, (method, arguments, call) ->
        {
            if (isArmed && "postSend".equals(method) && isRead((long)arguments[1]))
            {
                isArmed = false;
                cut(true);
            }
            return call.proceed();
        });
    }

    private static boolean isRead(final long requests)
    {
        for (long at = requests; 0 != at; at = NativeMemory.getLong(at + verbs_h.IBV_SEND_WR_NEXT()))
        {
            if (Verbs.IBV_WR_RDMA_READ == NativeMemory.getInt(at + verbs_h.IBV_SEND_WR_OPCODE()))
            {
                return true;
            }
        }
        return false;
    }

    private MessagingFixture fixture()
    {
        final MessagingFixture fixture = new MessagingFixture((context) ->
            context.rdma(context.rdma().withEventChannel(true)).model(
                cuttingAtRead("server".equals(context.name()) ? model.targetCore() : model.hostCore()),
                (address) -> new InetSocketAddress(model.targetDevice().address(), address.getPort())));
        return fixture.connect();
    }

    private void connectAgain(final MessagingFixture fixture)
    {
        fixture.client.awaitDisconnected();
        cut(false);
        Endpoint endpoint;
        do
        {
            // By TCP, while RDMA is cut.
            endpoint = fixture.client.awaitConnected();
            if (TransportKind.TCP == endpoint.transport().kind())
            {
                fixture.serving.call(() ->
                {
                    fixture.accepted.forEach(Endpoint::close);
                    return null;
                });
            }
        }
        while (TransportKind.RDMA != endpoint.transport().kind());
    }

    @Test
    void shouldFailAMessageWhosePeerIsGoneInTheRendezvous()
    {
        try (MessagingFixture fixture = fixture())
        {
            isArmed = true;
            fixture.send(1, new byte[LARGE_BYTES]);
            final Recorder.Completion failed = fixture.client.awaitCompletion();
            assertEquals(1, failed.id());
            assertNotEquals(EndpointStatus.SUCCESS, failed.status());
            assertTrue(fixture.server.messages.isEmpty(), "half a message was delivered");
            connectAgain(fixture);
            final byte[] message = new byte[LARGE_BYTES];
            message[LARGE_BYTES - 1] = 7;
            fixture.send(2, message);
            fixture.client.awaitSuccess(2);
            assertArrayEquals(message, fixture.server.awaitMessage());
        }
    }

    @Test
    void shouldFailAReadWhosePeerIsGone()
    {
        try (MessagingFixture fixture = fixture())
        {
            final MessageMemory exported = fixture.memory(LARGE_BYTES);
            final MessageMemory local = fixture.memory(LARGE_BYTES);
            final Endpoint server = fixture.serverEndpoint();
            final RemoteRegion remote = new RemoteRegion(new UnsafeBuffer(fixture.serving.call(() ->
                server.export(exported, 0, LARGE_BYTES, ExportAccess.READ).descriptor())), 0);
            isArmed = true;
            assertEquals(SubmitResult.ACCEPTED,
                fixture.connecting.call(() -> fixture.endpoint.read(1, remote, 0, local, 0, LARGE_BYTES)));
            final Recorder.Completion failed = fixture.client.awaitCompletion();
            assertEquals(1, failed.id());
            assertNotEquals(EndpointStatus.SUCCESS, failed.status());
            connectAgain(fixture);
            fixture.send(2, new byte[LARGE_BYTES]);
            fixture.client.awaitSuccess(2);
        }
    }
}
