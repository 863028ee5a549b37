package io.millrace.nvmf.initiator.tcp;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.millrace.nvmf.initiator.ConnectionConfig;
import io.millrace.nvmf.initiator.HostFixture;
import io.millrace.nvmf.initiator.HostRequest;
import io.millrace.nvmf.initiator.Waits;
import io.millrace.seed.TestSeeds;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.concurrent.CompletableFuture;
import java.util.function.UnaryOperator;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class HostConnectionTest
{
    private static final int ALL = 1 << 20;

    private static byte[] pattern(final int length, final long seed)
    {
        final byte[] bytes = new byte[length];
        TestSeeds.fixed(seed).nextBytes(bytes);
        return bytes;
    }

    private static byte[] bytes(final MemorySegment segment)
    {
        return segment.toArray(ValueLayout.JAVA_BYTE);
    }

    private static UnaryOperator<ConnectionConfig.Builder> digests(final boolean on)
    {
        return (builder) -> builder.digests(on, on);
    }

    @Test
    void shouldSendGreetingAndConnectAsTheSpecificationHasThem() throws Exception
    {
        final ScriptedPeer.Pdu[] seen = new ScriptedPeer.Pdu[2];
        try (ConnectionFixture fixture = new ConnectionFixture((peer) ->
        {
            seen[0] = peer.read();
            peer.write(ScriptedPeer.initializeResponse(0, 0, 0, ALL));
            seen[1] = peer.read();
            peer.write(peer.response(seen[1].commandId(), 0, 7));
            peer.awaitEnd();
        }).openReady((builder) -> builder.sqFlowControl(false)))
        {
            assertEquals(128, seen[0].bytes.length);
            assertEquals(0, seen[0].type());
            assertEquals(128, seen[0].headerLength());
            assertTrue(Arrays.equals(seen[0].bytes, 8, 128, new byte[120], 0, 120));
            final ScriptedPeer.Pdu connect = seen[1];
            assertEquals(4, connect.type());
            assertEquals(72 + 1024, connect.bytes.length);
            assertEquals(72, connect.dataOffset());
            assertEquals(0x7F, connect.bytes[8]);
            assertEquals(0x40, connect.bytes[9]);
            assertEquals(1, connect.bytes[12]);
            assertEquals(1024, connect.intAt(8 + 32));
            assertEquals(0x01, connect.bytes[8 + 39]);
            assertEquals(1, connect.shortAt(8 + 42));
            assertEquals(ConnectionFixture.SLOTS, connect.shortAt(8 + 44));
            assertEquals(1 << 2, connect.bytes[8 + 46]);
            assertEquals(0, connect.intAt(8 + 48));
            assertEquals(7, connect.shortAt(72 + 16));
            assertArrayEquals(ConnectionFixture.NQN.getBytes(StandardCharsets.US_ASCII),
                Arrays.copyOfRange(connect.bytes, 72 + 256, 72 + 256 + ConnectionFixture.NQN.length()));
            final String hostNqn = HostFixture.HOST.hostNqn();
            assertArrayEquals(hostNqn.getBytes(StandardCharsets.US_ASCII),
                Arrays.copyOfRange(connect.bytes, 72 + 512, 72 + 512 + hostNqn.length()));
            assertEquals(ConnectionFixture.SLOTS, fixture.connection().depth());
        }
    }

    @ParameterizedTest
    @CsvSource({
        "1, 0, 0, 65536, PDU format version 1",
        "0, 32, 0, 65536, data alignment 32",
        "0, 0, 1, 65536, digests offered are header",
        "0, 0, 0, 4092, MAXH2CDATA 4092",
        "0, 0, 0, 4098, MAXH2CDATA 4098"})
    void shouldRefuseGreetingsThatCannotBeKept(
        final int version, final int alignment, final int digests, final int maxDataBytes, final String reason)
        throws Exception
    {
        try (ConnectionFixture fixture = new ConnectionFixture((peer) ->
        {
            peer.read();
            peer.write(ScriptedPeer.initializeResponse(version, alignment, digests, maxDataBytes));
            assertEquals(2, peer.read().type());
            peer.awaitEnd();
        }).open(UnaryOperator.identity()))
        {
            assertTrue(fixture.closeReason().contains(reason), fixture.closeReason());
            fixture.peer.await();
        }
    }

    @ParameterizedTest
    @CsvSource({
        "0x4184, 0, does not allow host",
        "0x4182, 0x10100, no subsystem",
        "0x4182, 0x10200, refuses host NQN",
        "0x4182, 0x2C, parameter at offset 44 of the command",
        "0x181, 0, busy",
        "0x2, 0, status 0x2",
        "0, 0x10000, requires authentication"})
    void shouldSayWhyATargetRefusesToConnect(final String status, final String result, final String reason)
        throws Exception
    {
        try (ConnectionFixture fixture = new ConnectionFixture((peer) ->
        {
            peer.read();
            peer.write(ScriptedPeer.initializeResponse(0, 0, 0, ALL));
            peer.write(peer.response(peer.read().commandId(), Integer.decode(status), Integer.decode(result)));
            peer.awaitEnd();
        }).open(UnaryOperator.identity()))
        {
            assertTrue(fixture.closeReason().contains(reason), fixture.closeReason());
            assertTrue(fixture.lost.isEmpty());
        }
    }

    @Test
    void shouldSayWhoClosedBeforeAnswering() throws Exception
    {
        try (ConnectionFixture fixture = new ConnectionFixture(ScriptedPeer::read).open(UnaryOperator.identity()))
        {
            fixture.peer.await();
            fixture.peer.close();
            final String reason = fixture.closeReason();
            assertTrue(reason.contains("before it answered the NVMe/TCP greeting"), reason);
        }
    }

    @Test
    void shouldGiveUpWhenThePeerIsSilent() throws Exception
    {
        try (ConnectionFixture fixture = new ConnectionFixture(ScriptedPeer::awaitEnd)
            .open((builder) -> builder.connectTimeoutMs(150)))
        {
            assertTrue(fixture.closeReason().contains("did not answer within 150 ms"), fixture.closeReason());
        }
    }

    @Test
    void shouldGiveUpWhenACommandIsNotAnswered() throws Exception
    {
        try (ConnectionFixture fixture = new ConnectionFixture((peer) ->
        {
            peer.accept(0, ALL);
            peer.awaitEnd();
        }).openReady((builder) -> builder.commandTimeoutMs(120)))
        {
            final CompletableFuture<HostRequest> answer = fixture.submit((request) -> request.flush(1));
            assertTrue(fixture.closeReason().contains("did not answer a command within 120 ms"), fixture.closeReason());
            assertEquals(1, fixture.lost.size());
            assertFalse(answer.isDone());
        }
    }

    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    void shouldTakeDataInManyPdusAndAnAnswerOfItsOwn(final boolean digests) throws Exception
    {
        final byte[] sent = pattern(100_000, 5);
        try (ConnectionFixture fixture = new ConnectionFixture((peer) ->
        {
            peer.accept(0, ALL);
            final ScriptedPeer.Pdu command = peer.read();
            assertEquals(2, command.bytes[8]);
            assertEquals(0, command.dataOffset());
            assertEquals(sent.length, command.intAt(8 + 32));
            assertEquals(0x5A, command.bytes[8 + 39]);
            final int id = command.commandId();
            peer.write(peer.data(id, 0, Arrays.copyOfRange(sent, 0, 10), 0));
            peer.write(peer.data(id, 10, Arrays.copyOfRange(sent, 10, 70_000), 0, 4));
            peer.write(peer.data(id, 70_000, Arrays.copyOfRange(sent, 70_000, sent.length), ScriptedPeer.LAST));
            peer.write(peer.response(id, 0, 0x1234));
            peer.awaitEnd();
        }).openReady(digests(digests)))
        {
            final MemorySegment memory = fixture.host.memory(sent.length);
            final HostRequest answer = Waits.get(fixture.submit(
                (request) -> request.read(1, 77, 1, memory.address(), sent.length)));
            assertEquals(0, answer.status());
            assertEquals(0x1234, answer.result0());
            assertArrayEquals(sent, bytes(memory));
        }
    }

    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    void shouldCompleteReadsBySuccessFlagOutOfOrder(final boolean digests) throws Exception
    {
        final int count = 8;
        final int length = 4096;
        try (ConnectionFixture fixture = new ConnectionFixture((peer) ->
        {
            peer.accept(0, ALL);
            final int[] ids = new int[count];
            for (int i = 0; i < count; i++)
            {
                final ScriptedPeer.Pdu command = peer.read();
                ids[command.intAt(8 + 40)] = command.commandId();
            }
            for (int i = count - 1; i >= 0; i--)
            {
                peer.write(peer.data(ids[i], 0, pattern(length, i), ScriptedPeer.LAST | ScriptedPeer.SUCCESS));
            }
            peer.awaitEnd();
        }).openReady(digests(digests)))
        {
            final MemorySegment memory = fixture.host.memory((long)count * length);
            final CompletableFuture<?>[] answers = new CompletableFuture<?>[count];
            for (int i = 0; i < count; i++)
            {
                final int index = i;
                answers[i] = fixture.submit((request) ->
                    request.read(1, index, 1, memory.address() + (long)index * length, length));
            }
            for (int i = 0; i < count; i++)
            {
                Waits.get(answers[i]);
                assertArrayEquals(pattern(length, i), bytes(memory.asSlice((long)i * length, length)), "command " + i);
            }
            assertEquals(0, fixture.host.call(() -> fixture.connection().inFlight()));
        }
    }

    @ParameterizedTest
    @CsvSource({"0, false", "0, true", "31, false", "31, true"})
    void shouldPutSmallWritesIntoTheCapsule(final int alignment, final boolean digests) throws Exception
    {
        final byte[] written = pattern(ConnectionFixture.IN_CAPSULE_BYTES, 9);
        try (ConnectionFixture fixture = new ConnectionFixture((peer) ->
        {
            peer.accept(alignment, ALL);
            for (int i = 0; i < 3; i++)
            {
                peer.write(peer.response(peer.read().commandId(), 0, 0));
            }
            final ScriptedPeer.Pdu command = peer.read();
            assertEquals(0, command.dataOffset() % (4 * (alignment + 1)));
            assertEquals(0x01, command.bytes[8 + 39]);
            assertArrayEquals(written, command.data());
            peer.write(peer.response(command.commandId(), 0, 0));
            peer.awaitEnd();
        }).openReady(digests(digests)))
        {
            final MemorySegment memory = fixture.host.memory(written.length);
            memory.copyFrom(MemorySegment.ofArray(written));
            // Sent together, they leave bytes of theirs where the padding of the write comes to lie.
            for (final CompletableFuture<HostRequest> flush : fixture.submit(3, (request) -> request.flush(-1)))
            {
                assertEquals(0, Waits.get(flush).status());
            }
            assertEquals(0, Waits.get(fixture.submit(
                (request) -> request.write(1, 0, 2, memory.address(), written.length))).status());
        }
    }

    @ParameterizedTest
    @CsvSource({"0, false", "15, true"})
    void shouldCutGrantedDataIntoPdusOfTheSizeTheTargetTakes(final int alignment, final boolean digests)
        throws Exception
    {
        final byte[] written = pattern(64 << 10, 3);
        final byte[] received = new byte[written.length];
        try (ConnectionFixture fixture = new ConnectionFixture((peer) ->
        {
            peer.accept(alignment, 4096);
            final ScriptedPeer.Pdu command = peer.read();
            assertEquals(0, command.dataOffset());
            final int id = command.commandId();
            int position = 0;
            for (final int grant : new int[]{10_000, written.length - 10_000})
            {
                peer.write(peer.readyToTransfer(id, 0xABC, position, grant));
                final int end = position + grant;
                while (position < end)
                {
                    final ScriptedPeer.Pdu data = peer.read();
                    final int length = data.data().length;
                    assertEquals(6, data.type());
                    assertEquals(id, data.commandId());
                    assertEquals(0xABC, data.shortAt(10));
                    assertEquals(position, data.intAt(12));
                    assertEquals(length, data.intAt(16));
                    assertTrue(length <= 4096);
                    assertEquals(0, data.dataOffset() % (4 * (alignment + 1)));
                    System.arraycopy(data.data(), 0, received, position, length);
                    position += length;
                    assertEquals(position == end, 0 != (data.flags() & ScriptedPeer.LAST));
                }
            }
            peer.write(peer.response(id, 0, 0));
            peer.awaitEnd();
        }).openReady(digests(digests)))
        {
            final MemorySegment memory = fixture.host.memory(written.length);
            memory.copyFrom(MemorySegment.ofArray(written));
            assertEquals(0, Waits.get(fixture.submit(
                (request) -> request.write(1, 0, 16, memory.address(), written.length))).status());
            assertArrayEquals(written, received);
        }
    }

    @Test
    void shouldKeepTheBufferUntilItsBytesHaveLeftWhenAnAnswerComesEarly() throws Exception
    {
        final int length = 64 << 20;
        final CompletableFuture<Void> goOn = new CompletableFuture<>();
        try (ConnectionFixture fixture = new ConnectionFixture((peer) ->
        {
            peer.accept(0, length);
            final int id = peer.read().commandId();
            peer.write(peer.readyToTransfer(id, 1, 0, length));
            final byte[] header = peer.readHeader();
            peer.write(peer.response(id, 0x285, 0));
            Waits.get(goOn);
            final ScriptedPeer.Pdu data = peer.readRest(header);
            assertEquals(length, data.data().length);
            peer.awaitEnd();
        }).openReady(UnaryOperator.identity()))
        {
            final MemorySegment memory = fixture.host.memory(length);
            final CompletableFuture<HostRequest> answer = fixture.submit(
                (request) -> request.write(1, 0, 1, memory.address(), length));
            Waits.until("answer has come", () -> fixture.host.call(() -> fixture.connection().holdsAnswers()));
            assertFalse(answer.isDone());
            goOn.complete(null);
            assertEquals(0x285, Waits.get(answer).status());
            fixture.peer.close();
        }
    }

    @Test
    void shouldSayHowTheTargetEndedTheConnection() throws Exception
    {
        try (ConnectionFixture fixture = new ConnectionFixture((peer) ->
        {
            peer.accept(0, ALL);
            peer.write(peer.termination(4, 0));
            peer.awaitEnd();
        }).openReady(UnaryOperator.identity()))
        {
            assertTrue(fixture.closeReason().contains("DATA_OUT_OF_RANGE"), fixture.closeReason());
        }
    }

    @Test
    void shouldRefuseCommandsWhenAllSlotsAreTaken() throws Exception
    {
        try (ConnectionFixture fixture = new ConnectionFixture((peer) ->
        {
            peer.accept(0, ALL);
            peer.awaitEnd();
        }).openReady(UnaryOperator.identity()))
        {
            for (int i = 0; i < ConnectionFixture.SLOTS; i++)
            {
                fixture.submit((request) -> request.flush(1));
            }
            final HostRequest more = new HostRequest(null, (done) ->
            {
            }).flush(1);
            assertFalse(fixture.host.call(() -> fixture.connection().submit(more)));
            fixture.peer.close();
            fixture.closeReason();
            assertEquals(ConnectionFixture.SLOTS, fixture.lost.size());
        }
    }
}
