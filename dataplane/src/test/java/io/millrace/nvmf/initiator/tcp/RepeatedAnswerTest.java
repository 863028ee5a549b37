package io.millrace.nvmf.initiator.tcp;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.millrace.nvmf.initiator.HostRequest;
import io.millrace.nvmf.initiator.Waits;
import java.io.IOException;
import java.lang.foreign.MemorySegment;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.UnaryOperator;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * A target that answers a command whose bytes still fill the socket, then sends something for that command again: the
 * connection ends with a reason that names the PDU, the command and the queue; each command has one completion or is
 * lost once, and other connections of the reactor go on.
 */
class RepeatedAnswerTest
{
    private static final int ALL = 1 << 20;
    private static final int WRITE_BYTES = 64 << 20;
    private static final int INTERNAL_ERROR = 0x006;

    /** What comes for a command that was answered. */
    @FunctionalInterface
    private interface Repeat
    {
        byte[] bytes(ScriptedPeer peer, int commandId);
    }

    private record Case(String pdu, Repeat repeat)
    {
        @Override
        public String toString()
        {
            return pdu;
        }
    }

    static Stream<Case> cases()
    {
        return Stream.of(
            new Case("CapsuleResp", (peer, id) -> peer.response(id, INTERNAL_ERROR, 0)),
            new Case("CapsuleResp", (peer, id) -> peer.response(id, 0, 0)),
            new Case("R2T", (peer, id) -> peer.readyToTransfer(id, 2, 0, 4096)),
            new Case("C2HData", (peer, id) -> peer.data(id, 0, new byte[512], ScriptedPeer.LAST)),
            new Case("C2HData", (peer, id) ->
                peer.data(id, 0, new byte[512], ScriptedPeer.LAST | ScriptedPeer.SUCCESS)));
    }

    @ParameterizedTest
    @MethodSource("cases")
    void shouldEndTheConnectionWhenAnAnsweredCommandWhoseBytesFillTheSocketIsNamedAgain(final Case repeated)
        throws Exception
    {
        final CompletableFuture<Integer> commandId = new CompletableFuture<>();
        final ScriptedPeer.Script script = (peer) ->
        {
            peer.accept(0, WRITE_BYTES);
            final int id = peer.read().commandId();
            commandId.complete(id);
            peer.write(peer.readyToTransfer(id, 1, 0, WRITE_BYTES));
            peer.readHeader();
            peer.write(peer.response(id, INTERNAL_ERROR, 0));
            peer.write(repeated.repeat.bytes(peer, id));
            peer.awaitEnd();
        };
        try (ConnectionFixture bystander =
                new ConnectionFixture(RepeatedAnswerTest::answerAll).openReady(UnaryOperator.identity());
            ConnectionFixture fixture = new ConnectionFixture(script).openReady(UnaryOperator.identity()))
        {
            final AtomicInteger completions = new AtomicInteger();
            final MemorySegment memory = fixture.host.memory(WRITE_BYTES);
            final HostRequest write = new HostRequest(null, (done) -> completions.incrementAndGet())
                .write(1, 0, 1, memory.address(), WRITE_BYTES);
            assertTrue(fixture.host.call(() -> fixture.connection().submit(write)));
            final String reason = fixture.closeReason();
            assertTrue(reason.contains(repeated.pdu + " for command " + Waits.get(commandId) +
                " of queue 1, which was answered before"), reason);
            assertEquals(1, fixture.lost.size());
            assertEquals(0, completions.get());
            assertEquals(0, fixture.host.call(() -> fixture.connection().inFlight()));
            assertEquals(0, Waits.get(bystander.submit((request) -> request.flush(1))).status());
        }
    }

    private static void answerAll(final ScriptedPeer peer) throws IOException
    {
        peer.accept(0, ALL);
        while (true)
        {
            peer.write(peer.response(peer.read().commandId(), 0, 0));
        }
    }

    @Test
    void shouldRefuseSuccessOfAWriteWhoseBytesHaveNotBeenSent() throws Exception
    {
        try (ConnectionFixture fixture = new ConnectionFixture((peer) ->
        {
            peer.accept(0, WRITE_BYTES);
            final int id = peer.read().commandId();
            peer.write(peer.readyToTransfer(id, 1, 0, WRITE_BYTES));
            peer.readHeader();
            peer.write(peer.response(id, 0, 0));
            peer.awaitEnd();
        }).openReady(UnaryOperator.identity()))
        {
            final MemorySegment memory = fixture.host.memory(WRITE_BYTES);
            final CompletableFuture<HostRequest> answer = fixture.submit(
                (request) -> request.write(1, 0, 1, memory.address(), WRITE_BYTES));
            assertTrue(fixture.closeReason().contains("bytes have not been sent"), fixture.closeReason());
            assertEquals(1, fixture.lost.size());
            assertFalse(answer.isDone());
        }
    }

    @Test
    void shouldRefuseDataAndAnswersOfACommandThatTheSuccessFlagCompleted() throws Exception
    {
        try (ConnectionFixture fixture = new ConnectionFixture((peer) ->
        {
            peer.accept(0, ALL);
            final int id = peer.read().commandId();
            peer.write(peer.data(id, 0, new byte[4096], ScriptedPeer.LAST | ScriptedPeer.SUCCESS));
            peer.write(peer.response(id, 0, 0));
            peer.awaitEnd();
        }).openReady(UnaryOperator.identity()))
        {
            final MemorySegment memory = fixture.host.memory(4096);
            final AtomicInteger completions = new AtomicInteger();
            final HostRequest read = new HostRequest(null, (done) -> completions.incrementAndGet())
                .read(1, 0, 1, memory.address(), 4096);
            assertTrue(fixture.host.call(() -> fixture.connection().submit(read)));
            assertTrue(fixture.closeReason().contains("which is not outstanding"), fixture.closeReason());
            assertEquals(1, completions.get());
            assertTrue(fixture.lost.isEmpty());
        }
    }

    @Test
    void shouldCompleteEachOfManyAnsweredCommandsOnceAndTakeTheirSlotsAgainFromTheCallback() throws Exception
    {
        final int writes = ConnectionFixture.SLOTS / 2;
        final int writeBytes = WRITE_BYTES / writes;
        final CompletableFuture<Void> full = new CompletableFuture<>();
        final CompletableFuture<Void> answered = new CompletableFuture<>();
        try (ConnectionFixture fixture = new ConnectionFixture((peer) ->
        {
            peer.accept(0, WRITE_BYTES);
            final int[] ids = new int[writes];
            for (int i = 0; i < writes; i++)
            {
                ids[i] = peer.read().commandId();
            }
            for (final int id : ids)
            {
                peer.write(peer.readyToTransfer(id, 1, 0, writeBytes));
            }
            final byte[] header = peer.readHeader();
            // Before, there are moments when all that was begun has been sent.
            Waits.get(full);
            for (final int id : ids)
            {
                peer.write(peer.response(id, INTERNAL_ERROR, 0));
            }
            Waits.get(answered);
            // Grants that were dropped when the answer came are not sent; what had been begun is.
            ScriptedPeer.Pdu pdu = peer.readRest(header);
            int flushes = 0;
            while (true)
            {
                if (4 == pdu.type())
                {
                    peer.write(peer.response(pdu.commandId(), 0, ++flushes));
                }
                pdu = peer.read();
            }
        }).openReady(UnaryOperator.identity()))
        {
            final MemorySegment memory = fixture.host.memory(writeBytes);
            final AtomicInteger refused = new AtomicInteger();
            final AtomicInteger flushed = new AtomicInteger();
            for (int i = 0; i < writes; i++)
            {
                final HostRequest request = new HostRequest(null, (done) ->
                {
                    if (INTERNAL_ERROR == done.status())
                    {
                        refused.incrementAndGet();
                        assertTrue(fixture.connection().submit(done.flush(1)));
                    }
                    else
                    {
                        assertEquals(0, done.status());
                        flushed.incrementAndGet();
                    }
                }).write(1, 0, 1, memory.address(), writeBytes);
                assertTrue(fixture.host.call(() -> fixture.connection().submit(request)));
            }
            Waits.until("socket is full", () -> fixture.host.call(() -> fixture.connection().waitsForSocket()));
            full.complete(null);
            Waits.until("answers have come", () -> fixture.host.call(() -> fixture.connection().holdsAnswers()));
            answered.complete(null);
            Waits.until("commands are complete", () -> writes == flushed.get());
            assertEquals(writes, refused.get());
            assertEquals(0, fixture.host.call(() -> fixture.connection().inFlight()));
        }
    }

    @Test
    void shouldRefuseToFillOrSubmitARequestThatIsNotComplete() throws Exception
    {
        try (ConnectionFixture fixture = new ConnectionFixture((peer) ->
        {
            peer.accept(0, ALL);
            peer.awaitEnd();
        }).openReady(UnaryOperator.identity()))
        {
            final HostRequest request = new HostRequest(null, (done) ->
            {
            }).flush(1);
            assertTrue(fixture.host.call(() -> fixture.connection().submit(request)));
            fixture.host.call(() ->
            {
                assertThrows(IllegalStateException.class, () -> fixture.connection().submit(request));
                assertThrows(IllegalStateException.class, () -> request.flush(1));
                return null;
            });
            assertEquals(1, fixture.host.call(() -> fixture.connection().inFlight()));
        }
    }
}
