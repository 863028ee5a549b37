package io.millrace.nvmf.initiator.tcp;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;

import io.millrace.memory.RandomSegments;
import io.millrace.memory.Segments;
import io.millrace.nvmf.initiator.HostRequest;
import io.millrace.nvmf.initiator.Waits;
import io.millrace.seed.TestSeeds;
import java.io.IOException;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.Arrays;
import java.util.Random;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.constraints.IntRange;

/**
 * Payloads in random pieces over a connection whose PDUs, R2Ts and writes to the socket begin and end anywhere.
 */
class HostPayloadPropertyTest
{
    private static final int LENGTH_MAX = 100_000;
    private static final int MAX_DATA_BYTES = 4096;

    private static byte[] bytes(final Random random, final int length)
    {
        final byte[] bytes = new byte[length];
        random.nextBytes(bytes);
        return bytes;
    }

    private static Segments spread(final ConnectionFixture fixture, final Random random, final int length)
    {
        final MemorySegment memory = fixture.host.memory(length + RandomSegments.SPREAD_BYTES);
        return RandomSegments.spread(random, Segments.COUNT_MAX, memory.address(), length);
    }

    @Property(tries = 60)
    void shouldReceiveWhatWasSent(
        @ForAll final long seed,
        @ForAll final boolean digests,
        @ForAll @IntRange(min = 1, max = LENGTH_MAX) final int length) throws Exception
    {
        final byte[] sent = bytes(TestSeeds.fixed(seed), length);
        try (ConnectionFixture fixture = new ConnectionFixture((peer) ->
        {
            final Random random = TestSeeds.fixed(seed);
            peer.accept(0, MAX_DATA_BYTES);
            final int id = peer.read().commandId();
            int position = 0;
            while (position < length)
            {
                final int end = Math.min(length, position + 1 + random.nextInt(random.nextBoolean() ? 100 : length));
                final int flags = end == length ? ScriptedPeer.LAST | ScriptedPeer.SUCCESS : 0;
                writeCut(peer, random, peer.data(id, position, Arrays.copyOfRange(sent, position, end), flags));
                position = end;
            }
            peer.awaitEnd();
        }).openReady((builder) -> builder.digests(digests, digests)))
        {
            final MemorySegment memory = fixture.host.memory(length + RandomSegments.SPREAD_BYTES);
            memory.fill((byte)0x5A);
            final Segments into =
                RandomSegments.spread(TestSeeds.fixed(seed), Segments.COUNT_MAX, memory.address(), length);
            final Segments copied = new Segments();
            copied.copyFrom(into);
            assertEquals(0, Waits.get(fixture.submit((request) ->
            {
                final HostRequest filled = request.read(1, 0, 1, copied);
                copied.clear();
                return filled;
            })).status());
            assertArrayEquals(sent, RandomSegments.bytes(into));
            RandomSegments.put(into, filled(length));
            assertArrayEquals(filled((int)memory.byteSize()), memory.toArray(ValueLayout.JAVA_BYTE),
                "what is between the pieces");
        }
    }

    private static byte[] filled(final int length)
    {
        final byte[] bytes = new byte[length];
        Arrays.fill(bytes, (byte)0x5A);
        return bytes;
    }

    private static void writeCut(final ScriptedPeer peer, final Random random, final byte[] pdu) throws IOException
    {
        int position = 0;
        while (position < pdu.length)
        {
            final int end = Math.min(pdu.length, position + 1 + random.nextInt(pdu.length));
            peer.write(Arrays.copyOfRange(pdu, position, end));
            position = end;
        }
    }

    @Property(tries = 30)
    void shouldSendInTheCapsule(
        @ForAll final long seed,
        @ForAll final boolean digests,
        @ForAll @IntRange(min = 1, max = ConnectionFixture.IN_CAPSULE_BYTES) final int length) throws Exception
    {
        final byte[][] received = new byte[1][];
        try (ConnectionFixture fixture = new ConnectionFixture((peer) ->
        {
            peer.accept(0, MAX_DATA_BYTES);
            final ScriptedPeer.Pdu command = peer.read();
            received[0] = command.data();
            peer.write(peer.response(command.commandId(), 0, 0));
            peer.awaitEnd();
        }).openReady((builder) -> builder.digests(digests, digests)))
        {
            final Random random = TestSeeds.fixed(seed);
            final byte[] written = bytes(random, length);
            final Segments from = spread(fixture, random, length);
            RandomSegments.put(from, written);
            assertEquals(0, Waits.get(fixture.submit((request) -> request.write(1, 0, 1, from))).status());
            assertArrayEquals(written, received[0]);
        }
    }

    /** Every command that may be outstanding has as many pieces as there may be: there is room for each. */
    @Property(tries = 4)
    void shouldHaveRoomForAllCommandsInPieces(@ForAll final boolean digests) throws Exception
    {
        final int count = ConnectionFixture.SLOTS;
        final byte[][] received = new byte[count][];
        try (ConnectionFixture fixture = new ConnectionFixture((peer) ->
        {
            peer.accept(31, MAX_DATA_BYTES);
            for (int i = 0; i < count; i++)
            {
                final ScriptedPeer.Pdu command = peer.read();
                received[command.intAt(8 + 40)] = command.data();
                peer.write(peer.response(command.commandId(), 0, 0));
            }
            peer.awaitEnd();
        }).openReady((builder) -> builder.digests(digests, digests)))
        {
            final Segments from = new Segments();
            final MemorySegment memory = fixture.host.memory(2 * Segments.COUNT_MAX);
            for (int i = 0; i < Segments.COUNT_MAX; i++)
            {
                memory.set(ValueLayout.JAVA_BYTE, 2L * i, (byte)i);
                from.add(memory.address() + 2L * i, 1);
            }
            assertEquals(count, (int)fixture.host.call(() ->
            {
                int taken = 0;
                while (taken < count && fixture.connection().submit(
                    new HostRequest(null, (done) -> { }).compare(1, taken, 1, from)))
                {
                    taken++;
                }
                return taken;
            }));
            Waits.until("all are answered", () -> 0 == fixture.host.call(() -> fixture.connection().inFlight()));
            for (final byte[] each : received)
            {
                assertArrayEquals(RandomSegments.bytes(from), each);
            }
        }
    }

    @Property(tries = 40)
    void shouldSendWhatR2TsAskFor(
        @ForAll final long seed,
        @ForAll final boolean digests,
        @ForAll @IntRange(min = ConnectionFixture.IN_CAPSULE_BYTES + 1, max = LENGTH_MAX) final int length)
        throws Exception
    {
        final byte[] received = new byte[length];
        try (ConnectionFixture fixture = new ConnectionFixture((peer) ->
        {
            final Random random = TestSeeds.fixed(seed);
            peer.accept(random.nextInt(32), MAX_DATA_BYTES);
            final int id = peer.read().commandId();
            int position = 0;
            while (position < length)
            {
                final int asked = 1 + random.nextInt(length - position);
                peer.write(peer.readyToTransfer(id, 3, position, asked));
                final int end = position + asked;
                while (position < end)
                {
                    final ScriptedPeer.Pdu data = peer.read();
                    assertEquals(position, data.intAt(12));
                    System.arraycopy(data.data(), 0, received, position, data.data().length);
                    position += data.data().length;
                }
            }
            peer.write(peer.response(id, 0, 0));
            peer.awaitEnd();
        }).openReady((builder) -> builder.digests(digests, digests)))
        {
            final Random random = TestSeeds.fixed(seed);
            final byte[] written = bytes(random, length);
            final Segments from = spread(fixture, random, length);
            RandomSegments.put(from, written);
            assertEquals(0, Waits.get(fixture.submit((request) -> request.write(1, 0, 1, from))).status());
            assertArrayEquals(written, received);
        }
    }
}
