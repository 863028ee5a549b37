package io.millrace.nvmf.initiator.tcp;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.millrace.nvmf.initiator.HostRequest;
import java.lang.foreign.MemorySegment;
import java.util.concurrent.CompletableFuture;
import java.util.stream.Stream;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * What a target may not send: each ends the connection with a reason and, where the specification has one, a
 * termination request; the command is not completed as if it had been answered.
 */
class MalformedAnswerTest
{
    private static final int READ_BYTES = 16384;
    private static final int NO_TERMINATION = -1;
    private static final int FIELD = 1;
    private static final int SEQUENCE = 2;
    private static final int HEADER_DIGEST = 3;
    private static final int RANGE = 4;
    private static final int LIMIT = 5;

    /** Bytes to send to a command. */
    @FunctionalInterface
    private interface Answer
    {
        byte[] bytes(ScriptedPeer peer, int commandId);
    }

    private record Case(String name, boolean write, boolean digests, Answer answer, int status, String reason)
    {
        @Override
        public String toString()
        {
            return name;
        }
    }

    private static Case read(final String name, final int status, final String reason, final Answer answer)
    {
        return new Case(name, false, false, answer, status, reason);
    }

    private static Case write(final String name, final int status, final String reason, final Answer answer)
    {
        return new Case(name, true, false, answer, status, reason);
    }

    private static Case digest(final String name, final int status, final String reason, final Answer answer)
    {
        return new Case(name, false, true, answer, status, reason);
    }

    private static byte[] data(final int length)
    {
        return new byte[length];
    }

    private static byte[] with(final byte[] pdu, final int offset, final int value)
    {
        pdu[offset] = (byte)value;
        return pdu;
    }

    static Stream<Case> cases()
    {
        return Stream.of(
            read("unknown type", SEQUENCE, "type 0x8", (peer, id) -> with(peer.response(id, 0, 0), 0, 8)),
            read("host's own type", SEQUENCE, "type 0x4", (peer, id) -> with(peer.response(id, 0, 0), 0, 4)),
            read("second greeting", SEQUENCE, "type 0x1", (peer, id) ->
                ScriptedPeer.initializeResponse(0, 0, 0, 65536)),
            read("wrong header length", FIELD, "header length 23", (peer, id) -> with(peer.response(id, 0, 0), 2, 23)),
            read("wrong PDU length", FIELD, "PDU length 25", (peer, id) -> with(peer.response(id, 0, 0), 4, 25)),
            read("negative PDU length", FIELD, "PDU length 4278190104", (peer, id) ->
                with(peer.response(id, 0, 0), 7, 0xFF)),
            read("digest flag nobody asked for", FIELD, "digest flags", (peer, id) ->
                with(peer.response(id, 0, 0), 1, 1)),
            read("answer to another command", FIELD, "is not outstanding", (peer, id) -> peer.response(id ^ 1, 0, 0)),
            read("answer to an old generation", FIELD, "is not outstanding", (peer, id) ->
                peer.response(id ^ 0x8000, 0, 0)),
            read("answer to a slot beyond the queue", FIELD, "is not outstanding", (peer, id) ->
                peer.response(0xFFF, 0, 0)),
            read("success without data", SEQUENCE, "after 0 of 16384", (peer, id) ->
                peer.response(id, 0, 0)),
            read("data for another command", FIELD, "is not outstanding", (peer, id) ->
                peer.data(id ^ 1, 0, data(512), ScriptedPeer.LAST)),
            read("data beyond the end", RANGE, "of 16388 bytes", (peer, id) ->
                peer.data(id, 0, data(READ_BYTES + 4), ScriptedPeer.LAST)),
            read("data at the wrong offset", RANGE, "at offset 512", (peer, id) ->
                peer.data(id, 512, data(512), 0)),
            read("data at a negative offset", RANGE, "at offset 4294966784", (peer, id) ->
                peer.data(id, -512, data(512), 0)),
            read("no data", RANGE, "of 0 bytes", (peer, id) -> peer.data(id, 0, data(0), 0)),
            read("success flag too early", FIELD, "after 512 of 16384", (peer, id) ->
                peer.data(id, 0, data(512), ScriptedPeer.LAST | ScriptedPeer.SUCCESS)),
            read("success flag without last", FIELD, " after 16384 of 16384", (peer, id) ->
                peer.data(id, 0, data(READ_BYTES), ScriptedPeer.SUCCESS)),
            read("data offset inside the header", FIELD, "data offset 20", (peer, id) ->
                with(peer.data(id, 0, data(512), 0), 3, 20)),
            read("crooked data offset", FIELD, "data offset 26", (peer, id) ->
                with(peer.data(id, 0, data(512), 0), 3, 26)),
            read("data length unlike PDU length", FIELD, "PDU length 536", (peer, id) ->
                with(peer.data(id, 0, data(512), 0), 16, 4)),
            read("R2T for a read", FIELD, "has no data to send", (peer, id) -> peer.readyToTransfer(id, 1, 0, 512)),
            read("endless termination", FIELD, "PDU length 153", (peer, id) -> with(peer.termination(1, 0), 4, 153)),
            write("data for a write", FIELD, "expects none", (peer, id) -> peer.data(id, 0, data(512), 0)),
            write("success without asking", SEQUENCE, "after 0 of 16384", (peer, id) ->
                peer.response(id, 0, 0)),
            write("R2T beyond the end", RANGE, "of 16388 bytes", (peer, id) ->
                peer.readyToTransfer(id, 1, 0, READ_BYTES + 4)),
            write("R2T out of order", RANGE, "at offset 4096", (peer, id) -> peer.readyToTransfer(id, 1, 4096, 512)),
            write("R2T for nothing", RANGE, "of 0 bytes", (peer, id) -> peer.readyToTransfer(id, 1, 0, 0)),
            write("R2T for another command", FIELD, "is not outstanding", (peer, id) ->
                peer.readyToTransfer(id ^ 1, 1, 0, 512)),
            digest("wrong header digest", HEADER_DIGEST, "header digest is", (peer, id) ->
                with(peer.response(id, 0, 0), 24, 0xEE)),
            digest("damaged header", HEADER_DIGEST, "header digest is", (peer, id) ->
                with(peer.response(id, 0, 0), 12, 0xEE)),
            digest("damaged data header", HEADER_DIGEST, "header digest is", (peer, id) ->
                with(peer.data(id, 0, data(512), 0), 16, 0xEE)),
            digest("damaged data", NO_TERMINATION, "data digest is", (peer, id) ->
                with(peer.data(id, 0, data(512), 0), 28 + 100, 0xEE)),
            digest("wrong data digest", NO_TERMINATION, "data digest is", (peer, id) ->
                with(peer.data(id, 0, data(512), 0), 28 + 512, 0xEE)));
    }

    @ParameterizedTest
    @MethodSource("cases")
    void shouldEndTheConnectionWithAReasonWhenATargetBreaksTheProtocol(final Case malformed) throws Exception
    {
        try (ConnectionFixture fixture = new ConnectionFixture((peer) ->
        {
            peer.accept(0, 1 << 20);
            peer.write(malformed.answer.bytes(peer, peer.read().commandId()));
            if (NO_TERMINATION != malformed.status)
            {
                final ScriptedPeer.Pdu termination = peer.read();
                assertEquals(2, termination.type());
                assertEquals(malformed.status, termination.shortAt(8));
                assertTrue(termination.bytes.length >= 24 + 8);
            }
            assertTrue(peer.isAtEnd());
        }).openReady((builder) -> builder.digests(malformed.digests, malformed.digests)))
        {
            final MemorySegment memory = fixture.host.memory(READ_BYTES);
            final CompletableFuture<HostRequest> answer = fixture.submit((request) -> malformed.write ?
                request.write(1, 0, 4, memory.address(), READ_BYTES) :
                request.read(1, 0, 4, memory.address(), READ_BYTES));
            assertTrue(fixture.closeReason().contains(malformed.reason), fixture.closeReason());
            fixture.peer.await();
            assertEquals(1, fixture.lost.size());
            assertFalse(answer.isDone());
        }
    }

    @ParameterizedTest
    @MethodSource("limits")
    void shouldEndTheConnectionWhenATargetAsksTwice(final Case malformed) throws Exception
    {
        final int length = 32 << 20;
        try (ConnectionFixture fixture = new ConnectionFixture((peer) ->
        {
            peer.accept(0, 1 << 20);
            final int id = peer.read().commandId();
            peer.write(peer.readyToTransfer(id, 1, 0, length));
            peer.write(malformed.answer.bytes(peer, id));
            peer.awaitEnd();
        }).openReady((builder) -> builder))
        {
            final MemorySegment memory = fixture.host.memory(length);
            fixture.submit((request) -> request.write(1, 0, 4, memory.address(), length));
            assertTrue(fixture.closeReason().contains(malformed.reason), fixture.closeReason());
        }
    }

    static Stream<Case> limits()
    {
        return Stream.of(write("second R2T", LIMIT, "of queue 1 while one", (peer, id) ->
            peer.readyToTransfer(id, 2, 0, 512)));
    }
}
