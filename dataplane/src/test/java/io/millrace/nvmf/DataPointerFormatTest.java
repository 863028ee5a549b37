package io.millrace.nvmf;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.millrace.nvme.IoOpcode;
import io.millrace.nvme.NvmeStatus;
import io.millrace.nvme.SglDescriptor;
import io.millrace.nvme.SubmissionQueueEntry;
import io.millrace.nvme.identify.IdentifyControllerFabrics;
import io.millrace.nvme.identify.IdentifyControllerIo;
import io.millrace.nvmf.transport.DataPointer;
import io.millrace.nvmf.transport.DataPointer.Kind;
import io.millrace.nvmf.transport.DataPointerFormat;
import io.millrace.seed.TestSeeds;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.EnumSet;
import java.util.HexFormat;
import java.util.Random;
import java.util.Set;
import org.agrona.concurrent.UnsafeBuffer;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.EnumSource;

public class DataPointerFormatTest
{
    private static final int DNR = NvmeStatus.DO_NOT_RETRY;
    private static final int CAPSULE_BYTES = 8192;
    private static final DataPointerFormat TCP =
        new DataPointerFormat(EnumSet.of(Kind.IN_CAPSULE, Kind.TRANSPORT), CAPSULE_BYTES);
    private static final DataPointerFormat RDMA =
        new DataPointerFormat(EnumSet.of(Kind.IN_CAPSULE, Kind.KEYED), CAPSULE_BYTES);

    private final byte[] bytes = new byte[SubmissionQueueEntry.SIZE_BYTES];
    private final SubmissionQueueEntry entry = new SubmissionQueueEntry();
    private final DataPointer pointer = new DataPointer();

    DataPointerFormatTest()
    {
        entry.wrap(new UnsafeBuffer(bytes), 0);
        entry.flags(SglDescriptor.FLAGS_PSDT_SGL);
    }

    /** Descriptor as the wire has it: address, length, three bytes, type. */
    private void descriptor(final long address, final int length, final int type)
    {
        ByteBuffer.wrap(bytes, 24, 16).order(ByteOrder.LITTLE_ENDIAN)
            .putLong(address).putInt(length).putInt(type << 24);
    }

    @Test
    void shouldRefuseWhatWasNotParsed()
    {
        assertEquals(Kind.NONE, pointer.kind());
        assertEquals(NvmeStatus.INVALID_FIELD | DNR, pointer.checkToHost(0));
        descriptor(0, 512, SglDescriptor.TRANSPORT_DATA_BLOCK);
        TCP.parse(entry, 0, pointer);
        assertEquals(NvmeStatus.SUCCESS, pointer.checkToHost(512));
        pointer.forget();
        assertEquals(NvmeStatus.INVALID_FIELD | DNR, pointer.checkFromHost(512, 512));
    }

    @ParameterizedTest
    @CsvSource({"0", "0x80", "0xC0", "0x41", "0x42"})
    void shouldRefuseOtherThanOneSgl(final int flags)
    {
        descriptor(0, 512, SglDescriptor.TRANSPORT_DATA_BLOCK);
        entry.flags(flags);
        TCP.parse(entry, 0, pointer);
        assertEquals(Kind.NONE, pointer.kind());
        assertEquals(NvmeStatus.INVALID_FIELD | DNR, pointer.checkToHost(512));
        assertEquals(NvmeStatus.INVALID_FIELD | DNR, pointer.checkFromHost(512, 512));
    }

    @Test
    void shouldTakeEachTypeOfDescriptorWhereItsTransportDoes()
    {
        for (int type = 0; type < 256; type++)
        {
            descriptor(0, 512, type);
            for (final DataPointerFormat format : new DataPointerFormat[]{TCP, RDMA})
            {
                final Kind expected = switch (type)
                {
                    case 0x01 -> Kind.IN_CAPSULE;
                    case 0x5A -> TCP == format ? Kind.TRANSPORT : Kind.NONE;
                    case 0x40, 0x4F -> RDMA == format ? Kind.KEYED : Kind.NONE;
                    default -> Kind.NONE;
                };
                format.parse(entry, 512, pointer);
                assertEquals(expected, pointer.kind(), "type " + type);
                assertEquals(Kind.IN_CAPSULE == expected, pointer.isInCapsule());
                final int refused = NvmeStatus.SGL_DESCRIPTOR_TYPE_INVALID | DNR;
                assertEquals(Kind.NONE == expected ? refused : NvmeStatus.SUCCESS, pointer.checkFromHost(512, 512));
                assertEquals(Kind.NONE == expected || Kind.IN_CAPSULE == expected ? refused : NvmeStatus.SUCCESS,
                    pointer.checkToHost(512), "data in a capsule cannot go to the host");
            }
        }
    }

    @ParameterizedTest
    @CsvSource({
        "0, 8192, 8192, 0", "4096, 4096, 8192, 0", "8192, 0, 8192, 0", "0, 512, 512, 0",
        "1, 8192, 8192, 0x16", "8193, 0, 8192, 0x16", "-1, 1, 8192, 0x16", "9223372036854775807, 1, 8192, 0x16",
        "0, -1, 8192, 0x16", "0, -2147483648, 8192, 0x16", "-4, 4, 8192, 0x16", "0, 1, 0, 0x16", "0, 0, 0, 0"})
    void shouldKeepOffsetsWithinTheCapsule(final long offset, final int length, final int capsule, final int status)
    {
        descriptor(offset, length, SglDescriptor.DATA_BLOCK_OFFSET);
        RDMA.parse(entry, capsule, pointer);
        assertEquals(Kind.IN_CAPSULE, pointer.kind());
        assertEquals(0 == status ? 0 : status | DNR, pointer.checkFromHost(Math.max(0, length), Integer.MAX_VALUE));
        assertEquals(offset, pointer.address());
    }

    @ParameterizedTest
    @CsvSource({"512, 512, 512, 0", "511, 512, 512, 0xF", "513, 512, 512, 0xF", "16, 16, 4096, 0", "4096, 16, 4096, 0",
        "4097, 16, 4096, 0xF", "15, 16, 4096, 0xF", "-1, 16, 4096, 0xF", "-2147483648, 0, 2147483647, 0xF"})
    void shouldCheckLengths(final int length, final int bytesMin, final int bytesMax, final int status)
    {
        descriptor(0, length, SglDescriptor.TRANSPORT_DATA_BLOCK);
        TCP.parse(entry, 0, pointer);
        assertEquals(0 == status ? 0 : status | DNR, pointer.checkFromHost(bytesMin, bytesMax));
        if (bytesMin == bytesMax)
        {
            assertEquals(0 == status ? 0 : status | DNR, pointer.checkToHost(bytesMin));
        }
    }

    @ParameterizedTest
    @CsvSource({"00000000000000000000000000000040, 0, 0, 0, false",
        "efcdab8967452301ffffff785634124f, 0x0123456789ABCDEF, 0xFFFFFF, 0x12345678, true",
        "ffffffffffffffff0000000000008040, -1, 0, 0x80000000, false",
        "000000000000008000000100ffffff40, 0x8000000000000000, 0x10000, 0xFFFFFF00, false",
        "0010000000000000010000ffffffff4f, 0x1000, 1, -1, true"})
    void shouldReadKeyedDescriptors(
        final String hex, final String address, final int length, final String key, final boolean invalidates)
    {
        System.arraycopy(HexFormat.of().parseHex(hex), 0, bytes, 24, 16);
        RDMA.parse(entry, 0, pointer);
        assertEquals(Kind.KEYED, pointer.kind());
        assertEquals(parse(address), pointer.address());
        assertEquals(length, pointer.lengthBytes());
        assertEquals((int)parse(key), pointer.key());
        assertEquals(invalidates, pointer.invalidatesKey());
        assertEquals(NvmeStatus.SUCCESS, pointer.checkToHost(length));
        assertEquals(NvmeStatus.DATA_SGL_LENGTH_INVALID | DNR, pointer.checkFromHost(length + 1, length + 1));
    }

    private static long parse(final String text)
    {
        return text.startsWith("0x") ? Long.parseUnsignedLong(text.substring(2), 16) : Long.parseLong(text);
    }

    @Test
    void shouldReadKeyedDescriptorsOfAnyValue()
    {
        final long seed = TestSeeds.seed();
        final Random random = TestSeeds.random();
        for (int i = 0; i < 10_000; i++)
        {
            final long address = random.nextLong();
            final int length = random.nextInt(1 << 24);
            final int key = random.nextInt();
            final boolean invalidates = random.nextBoolean();
            final ByteBuffer wire = ByteBuffer.wrap(bytes).order(ByteOrder.LITTLE_ENDIAN);
            wire.putLong(24, address).putInt(32, length).putInt(35, key);
            wire.put(39, (byte)(invalidates ? 0x4F : 0x40));
            RDMA.parse(entry, 0, pointer);
            assertEquals(address, pointer.address(), "seed " + seed);
            assertEquals(length, pointer.lengthBytes(), "seed " + seed);
            assertEquals(key, pointer.key(), "seed " + seed);
            assertEquals(invalidates, pointer.invalidatesKey(), "seed " + seed);
        }
    }

    @ParameterizedTest
    @EnumSource(value = Kind.class, names = "NONE", mode = EnumSource.Mode.EXCLUDE)
    void shouldAdvertiseWhatItTakes(final Kind kind)
    {
        final DataPointerFormat format = new DataPointerFormat(EnumSet.of(kind), 0);
        assertEquals(IdentifyControllerIo.SGL_ANY_ALIGNMENT | switch (kind)
        {
            case IN_CAPSULE -> 1 << 20;
            case TRANSPORT -> 1 << 21;
            case KEYED -> 1 << 2;
            case NONE -> throw new AssertionError();
        }, format.sglSupport());
    }

    @Test
    void shouldRefuseATransportThatTakesNothing()
    {
        assertThrows(IllegalArgumentException.class, () -> new DataPointerFormat(Set.of(), 0));
        assertThrows(IllegalArgumentException.class, () -> new DataPointerFormat(EnumSet.of(Kind.NONE), 0));
    }

    /** The core knows what to do with pointers it has never seen on TCP. */
    @Test
    void shouldServeATransportThatReachesMemoryByKeys()
    {
        try (TestTarget target = new TestTarget(1))
        {
            final TestHost admin = target.admin();
            admin.dataPointers(RDMA);
            final IdentifyControllerIo identify = new IdentifyControllerIo();
            final IdentifyControllerFabrics fabrics = new IdentifyControllerFabrics();
            final Completion identified = admin.execute((e) -> e.opcode(0x06).cdw10(1)
                .sglType(SglDescriptor.KEYED_ADDRESS).sglKeyedLength(4096));
            assertEquals(NvmeStatus.SUCCESS, identified.status());
            identify.wrap(new UnsafeBuffer(identified.data()), 0);
            fabrics.wrap(new UnsafeBuffer(identified.data()), 0);
            assertEquals(1 | 1 << 2 | 1 << 20, identify.sglSupport());
            assertEquals((64 + CAPSULE_BYTES) / 16, fabrics.ioCommandCapsuleSize());
            assertEquals(0, fabrics.inCapsuleDataOffset());

            final TestHost host = target.io();
            host.dataPointers(RDMA);
            final byte[] data = IoCommandsTest.random(4 * TestTarget.BLOCK_BYTES);
            // Bytes of the key in the upper part of the length, as a transport of messages would read it.
            assertEquals(NvmeStatus.SUCCESS, host.execute((e) ->
                IoCommandsTest.data(IoOpcode.WRITE, 8, 4).andThen((k) -> keyed(k, data.length)).accept(e),
                data, false).status());
            final Completion read = host.execute((e) ->
                IoCommandsTest.io(IoOpcode.READ, 8, 4).andThen((k) -> keyed(k, data.length)).accept(e));
            assertEquals(NvmeStatus.SUCCESS, read.status());
            assertArrayEquals(data, read.data());
            final Completion byMessages = host.execute(IoCommandsTest.io(IoOpcode.READ, 8, 4));
            assertEquals(NvmeStatus.SGL_DESCRIPTOR_TYPE_INVALID, byMessages.code());
            assertFalse(byMessages.isRetryable());
            assertTrue(NvmeStatus.SUCCESS == host.execute((e) -> e.opcode(IoOpcode.FLUSH).namespaceId(1)).status(),
                "a command without data has a descriptor of no meaning");
        }
    }

    private static void keyed(final SubmissionQueueEntry command, final int length)
    {
        command.sglAddress(0x7000_0000_1000L).sglLength(length).sglKey(0xA1B2_C3D4)
            .sglType(SglDescriptor.KEYED_ADDRESS_INVALIDATE);
    }
}
