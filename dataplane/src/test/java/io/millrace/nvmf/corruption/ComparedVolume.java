package io.millrace.nvmf.corruption;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;

import io.millrace.nvmf.initiator.HostFixture;
import io.millrace.nvmf.initiator.RemoteQueuePair;
import io.millrace.nvmf.tcp.pdu.PduType;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.Arrays;
import java.util.HexFormat;
import java.util.Random;

/**
 * The first blocks of a namespace 1 beside what they have to hold, read over a connection that nothing damages.
 */
public final class ComparedVolume
{
    /** Size of a block of the comparison; namespaces may have smaller ones. */
    public static final int BLOCK_BYTES = 4096;
    private static final int BLOCKS = 256;
    private static final int READ_BYTES = 16 * BLOCK_BYTES;
    /** More than a header that was stored instead of data. */
    private static final int SHOWN_BYTES = 32;

    private final HostFixture host;
    private final RemoteQueuePair direct;
    private final Random random;
    private final int namespaceBlockBytes;
    private final int writeBytes;
    private final byte[] expected = new byte[BLOCKS * BLOCK_BYTES];
    private final MemorySegment all;

    /**
     * Fills the blocks.
     *
     * @param host                that has the queue.
     * @param direct              queue that nothing damages.
     * @param namespaceBlockBytes block size of the namespace.
     * @param writeBytes          of a write whose data is asked for.
     * @param random              that makes data.
     */
    public ComparedVolume(
        final HostFixture host,
        final RemoteQueuePair direct,
        final int namespaceBlockBytes,
        final int writeBytes,
        final Random random)
    {
        this.writeBytes = writeBytes;
        this.host = host;
        this.direct = direct;
        this.random = random;
        this.namespaceBlockBytes = namespaceBlockBytes;
        all = host.memory(expected.length);
        random.nextBytes(expected);
        all.copyFrom(MemorySegment.ofArray(expected));
        assertEquals(0, host.run(direct, (r) ->
            r.write(1, 0, expected.length / namespaceBlockBytes, all.address(), expected.length)));
    }

    /**
     * {@return a command that has the PDU which is to be damaged, at a random place}
     *
     * @param corruption of that PDU.
     */
    public Command command(final Corruption corruption)
    {
        return new Command(corruption);
    }

    private byte[] stored()
    {
        assertEquals(0, host.run(direct, (r) ->
            r.read(1, 0, expected.length / namespaceBlockBytes, all.address(), expected.length)));
        return all.toArray(ValueLayout.JAVA_BYTE);
    }

    /** A read or write of which a PDU is damaged. */
    public final class Command
    {
        private final boolean isWrite;
        private final int lengthBytes;
        private final Corruption corruption;
        private final int start;
        private final byte[] data;

        private Command(final Corruption corruption)
        {
            this.corruption = corruption;
            isWrite = switch (corruption.pduType())
            {
                case PduType.H2C_DATA, PduType.READY_TO_TRANSFER, PduType.CAPSULE_RESPONSE -> true;
                default -> corruption.hasData();
            };
            lengthBytes = corruption.hasData() ? BLOCK_BYTES : isWrite ? writeBytes : READ_BYTES;
            start = random.nextInt(BLOCKS - lengthBytes / BLOCK_BYTES + 1) * BLOCK_BYTES;
            data = new byte[lengthBytes];
            random.nextBytes(data);
        }

        /** Whether it writes. */
        public boolean isWrite()
        {
            return isWrite;
        }

        /** Bytes that it moves. */
        public int lengthBytes()
        {
            return lengthBytes;
        }

        /** Where in the volume it begins. */
        public int startByte()
        {
            return start;
        }

        /** What it writes. */
        public byte[] data()
        {
            return data.clone();
        }

        /**
         * {@return its status}
         *
         * @param queue that carries it.
         */
        public int run(final RemoteQueuePair queue)
        {
            final MemorySegment memory = host.memory(lengthBytes);
            final long lba = start / namespaceBlockBytes;
            final int blocks = lengthBytes / namespaceBlockBytes;
            if (isWrite)
            {
                memory.copyFrom(MemorySegment.ofArray(data));
                return host.run(queue, (r) -> r.write(1, lba, blocks, memory.address(), lengthBytes));
            }
            final int status = host.run(queue, (r) -> r.read(1, lba, blocks, memory.address(), lengthBytes));
            if (0 == status)
            {
                assertReturned(memory.toArray(ValueLayout.JAVA_BYTE));
            }
            return status;
        }

        /** A read that succeeded returned this. */
        public void assertReturned(final byte[] returned)
        {
            assertArrayEquals(Arrays.copyOfRange(expected, start, start + lengthBytes), returned, corruption::toString);
        }

        /** The volume has what was acknowledged, and nothing of a write that was not executed. */
        public void assertStored(final boolean isAcknowledged, final boolean hasDataDigest)
        {
            final byte[] stored = stored();
            if (isWrite && (isAcknowledged || PduType.CAPSULE_RESPONSE == corruption.pduType()))
            {
                System.arraycopy(data, 0, expected, start, lengthBytes);
            }
            else if (isWrite && 0 != corruption.skipped() && !hasDataDigest)
            {
                // Blocks of a PDU that came before the damaged one may be stored.
                for (int offset = 0; offset < lengthBytes; offset += BLOCK_BYTES)
                {
                    final int block = start + offset;
                    if (Arrays.equals(
                        data, offset, offset + BLOCK_BYTES, stored, block, block + BLOCK_BYTES))
                    {
                        System.arraycopy(data, offset, expected, block, BLOCK_BYTES);
                    }
                }
            }
            assertArrayEquals(expected, stored, () -> corruption + " of the command at " + start + ", stored " +
                HexFormat.of().formatHex(stored, start, start + SHOWN_BYTES));
        }
    }
}
