package io.millrace.simulation;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.millrace.nvmf.tcp.pdu.CommonHeader;
import io.millrace.nvmf.tcp.pdu.PduType;
import io.millrace.seed.TestSeeds;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import org.junit.jupiter.api.Test;

class SentPdusTest
{
    private static final int RUNS = 2_000;
    private static final int HEADER_BYTES = 24;
    private static final int DATA_OFFSET = 32;
    private static final int DATA_BYTES = 64;
    private static final int LENGTH_BYTES = DATA_OFFSET + DATA_BYTES + CommonHeader.DIGEST_SIZE_BYTES;

    private final long seed = TestSeeds.seed();
    private final List<String> flipped = new ArrayList<>();

    private static byte[] pdu(final int type, final int flags)
    {
        final ByteBuffer pdu = ByteBuffer.allocate(LENGTH_BYTES).order(ByteOrder.LITTLE_ENDIAN);
        pdu.put((byte)type).put((byte)flags).put((byte)HEADER_BYTES).put((byte)DATA_OFFSET).putInt(LENGTH_BYTES);
        return pdu.array();
    }

    /** {@return what arrives of PDUs that are sent in pieces of any length} */
    private byte[] arrived(final Draw draw, final SentPdus pdus, final byte[]... sent)
    {
        final ByteQueue queue = new ByteQueue(sent.length * LENGTH_BYTES + 7);
        try (Arena arena = Arena.ofConfined())
        {
            final MemorySegment memory = arena.allocate(sent.length * LENGTH_BYTES);
            for (int i = 0; i < sent.length; i++)
            {
                MemorySegment.copy(
                    MemorySegment.ofArray(sent[i]), 0, memory, (long)i * LENGTH_BYTES, LENGTH_BYTES);
            }
            for (int done = 0; done < memory.byteSize();)
            {
                final int count = (int)Math.min(1 + draw.below(2 * LENGTH_BYTES), memory.byteSize() - done);
                queue.append(memory.address() + done, count);
                pdus.sent(queue, count);
                done += count;
            }
            queue.take(memory.address(), (int)memory.byteSize());
            return memory.toArray(ValueLayout.JAVA_BYTE);
        }
    }

    /** {@return offsets in its PDU of the bytes that have changed} */
    private static List<Integer> changes(final byte[] arrived, final byte[]... sent)
    {
        final List<Integer> changes = new ArrayList<>();
        for (int i = 0; i < arrived.length; i++)
        {
            final int difference = arrived[i] ^ sent[i / LENGTH_BYTES][i % LENGTH_BYTES];
            if (0 != difference)
            {
                assertEquals(1, Integer.bitCount(difference & 0xFF), "byte " + i);
                changes.add(i % LENGTH_BYTES);
            }
        }
        return changes;
    }

    @Test
    void shouldFlipOneBitThatADigestCovers()
    {
        final Draw draw = new Draw(seed);
        final byte[] greeting = pdu(PduType.IC_REQ, 0);
        final byte[] data = pdu(PduType.H2C_DATA, CommonHeader.FLAG_HEADER_DIGEST | CommonHeader.FLAG_DATA_DIGEST);
        int headers = 0;
        for (int run = 0; run < RUNS; run++)
        {
            final SentPdus pdus = new SentPdus(draw);
            flipped.clear();
            pdus.flip(flipped::add);

            final byte[][] sent = {greeting, data, data, data, data, data, data};
            final List<Integer> changes = changes(arrived(draw, pdus, sent), sent);

            assertEquals(flipped.size(), changes.size(), "seed " + seed);
            assertEquals(flipped.isEmpty(), pdus.isToFlip());
            for (final int offset : changes)
            {
                assertTrue(offset < HEADER_BYTES + CommonHeader.DIGEST_SIZE_BYTES || offset >= DATA_OFFSET,
                    "seed " + seed + ": byte " + offset + " is padding");
                headers += offset < DATA_OFFSET ? 1 : 0;
            }
        }
        assertTrue(headers > RUNS / 20 && headers < RUNS / 2, "seed " + seed + ": " + headers + " headers");
    }

    @Test
    void shouldFlipWithoutDigestsWhatIsWrongByItself()
    {
        final Draw draw = new Draw(seed);
        final byte[] capsule = pdu(PduType.CAPSULE_COMMAND, 0);
        for (int run = 0; run < RUNS; run++)
        {
            final SentPdus pdus = new SentPdus(draw);
            pdus.flip(flipped::add);

            final byte[][] sent = new byte[50][];
            Arrays.fill(sent, capsule);
            for (final int offset : changes(arrived(draw, pdus, sent), sent))
            {
                assertTrue(CommonHeader.TYPE_OFFSET == offset || CommonHeader.HEADER_LENGTH_OFFSET == offset,
                    "seed " + seed + ": byte " + offset);
            }
        }
        assertEquals(RUNS, flipped.size(), "seed " + seed);
    }

    @Test
    void shouldChangeNothingUnasked()
    {
        final SentPdus pdus = new SentPdus(new Draw(seed));
        final byte[] data = pdu(PduType.C2H_DATA, CommonHeader.FLAG_DATA_DIGEST);

        assertArrayEquals(data, arrived(new Draw(seed), pdus, data));
        assertFalse(pdus.isToFlip());
    }
}
