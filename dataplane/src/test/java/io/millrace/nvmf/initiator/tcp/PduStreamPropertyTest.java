package io.millrace.nvmf.initiator.tcp;

import io.millrace.memory.RandomSegments;
import io.millrace.memory.Segments;
import io.millrace.reactor.LinuxKernel;
import io.millrace.seed.TestSeeds;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Random;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.constraints.IntRange;
import net.jqwik.api.constraints.Size;
import org.junit.jupiter.api.Assertions;

/**
 * The receiver and the sender over a real socket, with the stream cut at random places.
 */
class PduStreamPropertyTest
{
    private static final int DATA_BYTES_MAX = 20_000;

    @Property(tries = 150)
    void shouldSeeTheSamePdusHoweverTheStreamIsCut(
        @ForAll final long seed,
        @ForAll final boolean digests,
        @ForAll @IntRange(min = 1, max = 9000) final int cut,
        @ForAll @IntRange(min = 1, max = Segments.COUNT_MAX) final int segmentsMax) throws IOException
    {
        final Random random = TestSeeds.fixed(seed);
        final List<String> expected = new ArrayList<>();
        final byte[] stream = stream(random, digests, expected);
        try (SocketLink link = new SocketLink(); ReceiveBuffer buffer = new ReceiveBuffer();
            PduRecorder recorder = new PduRecorder(random, segmentsMax);
            PduReceiver receiver = new PduReceiver(LinuxKernel.INSTANCE, buffer, recorder, recorder))
        {
            receiver.digests(digests, digests);
            int position = 0;
            while (position < stream.length)
            {
                final int length = Math.min(stream.length - position, 1 + random.nextInt(cut));
                link.socket().getOutputStream().write(stream, position, length);
                position += length;
                int outstanding = length;
                while (outstanding > 0)
                {
                    final long received = receiver.receive(link.fd(), 1 + random.nextInt(ReceiveBuffer.WINDOW_BYTES));
                    if (received > 0)
                    {
                        receiver.process((int)received);
                        outstanding -= (int)received;
                    }
                }
            }
            Assertions.assertEquals(expected, recorder.events());
        }
    }

    @Property(tries = 400)
    void shouldRefuseOrWaitButNeverThrowWhenBytesAreRandom(
        @ForAll @Size(min = 1, max = 600) final byte[] bytes, @ForAll final boolean digests,
        @ForAll @IntRange(min = 0, max = 9) final int type) throws IOException
    {
        // Random types are refused at once, so most tries begin with one that a controller may send.
        bytes[0] = (byte)type;
        if (bytes.length > 2 && 0 != (bytes[2] & 1))
        {
            bytes[2] = 1 == type ? (byte)128 : 24;
        }
        try (SocketLink link = new SocketLink(); ReceiveBuffer buffer = new ReceiveBuffer();
            PduRecorder recorder = new PduRecorder();
            PduReceiver receiver = new PduReceiver(LinuxKernel.INSTANCE, buffer, recorder, recorder))
        {
            receiver.digests(digests, digests);
            link.socket().getOutputStream().write(bytes);
            int outstanding = bytes.length;
            while (outstanding > 0 && recorder.isReceiving())
            {
                final long received = receiver.receive(link.fd(), ReceiveBuffer.WINDOW_BYTES);
                if (received > 0)
                {
                    receiver.process((int)received);
                    outstanding -= (int)received;
                }
            }
        }
    }

    @Property(tries = 100)
    void shouldSendTheSameBytesHoweverTheyAreAppended(
        @ForAll final long seed, @ForAll @IntRange(min = 1, max = 200) final int steps) throws Exception
    {
        final Random random = TestSeeds.fixed(seed);
        final ByteArrayOutputStream expected = new ByteArrayOutputStream();
        try (SocketLink link = new SocketLink(); PduSender sender = new PduSender(LinuxKernel.INSTANCE, 4096, 32);
            Arena arena = Arena.ofShared())
        {
            final MemorySegment user = arena.allocate(1 << 20);
            user.copyFrom(MemorySegment.ofArray(bytes(random, 1 << 20)));
            final ByteArrayOutputStream actual = new ByteArrayOutputStream();
            for (int i = 0; i < steps; i++)
            {
                final int header = 1 + random.nextInt(300);
                if (sender.hasRoom(header, 1 + Segments.COUNT_MAX))
                {
                    append(random, sender, user, header, expected);
                }
                else
                {
                    Assertions.assertFalse(sender.isEmpty(), "no room although nothing waits");
                }
                if (0 == random.nextInt(4))
                {
                    sender.flush(link.fd());
                }
                if (0 == random.nextInt(3))
                {
                    drain(link, actual, random.nextInt(200_000));
                }
            }
            while (!sender.isEmpty())
            {
                sender.flush(link.fd());
                drain(link, actual, Integer.MAX_VALUE);
            }
            Assertions.assertEquals(expected.size(), sender.sentPosition());
            while (actual.size() < expected.size())
            {
                drain(link, actual, Integer.MAX_VALUE);
            }
            Assertions.assertArrayEquals(expected.toByteArray(), actual.toByteArray());
        }
    }

    private static void append(
        final Random random,
        final PduSender sender,
        final MemorySegment user,
        final int header,
        final ByteArrayOutputStream expected) throws IOException
    {
        final byte[] bytes = bytes(random, header);
        sender.staging().putBytes(sender.stage(header), bytes);
        expected.write(bytes);
        if (random.nextBoolean())
        {
            final int length = 1 + random.nextInt(random.nextBoolean() ? 100 : 500_000);
            final long offset = random.nextInt((int)user.byteSize() - length - RandomSegments.SPREAD_BYTES);
            final Segments payload =
                RandomSegments.spread(random, Segments.COUNT_MAX, user.address() + offset, length);
            sender.attach(payload);
            expected.write(RandomSegments.bytes(payload));
        }
        Assertions.assertEquals(expected.size(), sender.appendedPosition());
    }

    private static void drain(final SocketLink link, final ByteArrayOutputStream actual, final int limit)
        throws IOException
    {
        final InputStream in = link.socket().getInputStream();
        final int available = Math.min(limit, in.available());
        actual.write(in.readNBytes(available));
    }

    private static byte[] bytes(final Random random, final int length)
    {
        final byte[] bytes = new byte[length];
        random.nextBytes(bytes);
        return bytes;
    }

    private static byte[] stream(final Random random, final boolean digests, final List<String> expected)
        throws IOException
    {
        final ByteArrayOutputStream stream = new ByteArrayOutputStream();
        final int count = 1 + random.nextInt(30);
        for (int i = 0; i < count; i++)
        {
            final int id = random.nextInt(1 << 16);
            switch (random.nextInt(4))
            {
                case 0 ->
                {
                    stream.write(header(0x05, 0, digests, 0, (pdu) -> pdu.putShort(20, (short)id)));
                    expected.add("response " + id);
                }
                case 1 ->
                {
                    stream.write(header(0x09, 0, digests, 0, (pdu) -> pdu.putShort(8, (short)id)));
                    expected.add("grant " + id);
                }
                default ->
                {
                    final byte[] data = bytes(random, 1 + random.nextInt(DATA_BYTES_MAX));
                    final int dataOffset = (digests ? 28 : 24) + 4 * random.nextInt(20);
                    stream.write(header(0x07, dataOffset, digests, data.length,
                        (pdu) -> pdu.putShort(8, (short)id).putInt(16, data.length)));
                    stream.write(data);
                    if (digests)
                    {
                        stream.write(ByteBuffer.allocate(4).order(ByteOrder.LITTLE_ENDIAN)
                            .putInt(ScriptedPeer.crc(data, 0, data.length)).array());
                    }
                    expected.add("data " + id + " " + Arrays.hashCode(data));
                }
            }
        }
        return stream.toByteArray();
    }

    /** Fills fields of a header. */
    @FunctionalInterface
    private interface Fields
    {
        void put(ByteBuffer pdu);
    }

    private static byte[] header(
        final int type, final int dataOffset, final boolean digests, final int dataLength, final Fields fields)
    {
        final boolean data = dataOffset > 0;
        final int length = data ? dataOffset : digests ? 28 : 24;
        final ByteBuffer pdu = ByteBuffer.allocate(length).order(ByteOrder.LITTLE_ENDIAN);
        pdu.put(0, (byte)type).put(1, (byte)(digests ? data ? 3 : 1 : 0)).put(2, (byte)24).put(3, (byte)dataOffset)
            .putInt(4, length + dataLength + (data && digests ? 4 : 0));
        fields.put(pdu);
        if (digests)
        {
            pdu.putInt(24, ScriptedPeer.crc(pdu.array(), 0, 24));
        }
        return pdu.array();
    }
}
