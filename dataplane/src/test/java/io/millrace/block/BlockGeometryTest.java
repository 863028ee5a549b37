package io.millrace.block;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.millrace.memory.MemoryDomain;
import io.millrace.memory.Segments;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class BlockGeometryTest
{
    @Test
    void shouldHaveTheDefaultsOfAPlainDevice()
    {
        final BlockGeometry geometry = BlockGeometry.builder(4096, 8).build();
        assertEquals(1 << 20, geometry.maxTransferBytes());
        assertEquals(1, geometry.memoryAlignmentBytes());
        assertEquals(4096, geometry.optimalWriteBytes());
        assertEquals(4096, geometry.atomicWriteBytes());
        assertEquals(MemoryDomain.HOST.bit(), geometry.memoryDomains());
        assertFalse(geometry.lendsReads() || geometry.completesInline() || geometry.volatileWriteCache() ||
            geometry.supportsWriteZeroes() || geometry.supportsVerify() || geometry.supportsDeallocate() ||
            geometry.deallocatedReadsZero() || geometry.readOnly() || geometry.supportsCopy() ||
            geometry.supportsCompare());
    }

    @Test
    void shouldBuildAgainWhatItWasBuiltFrom()
    {
        final BlockGeometry geometry = BlockGeometry.builder(512, 1 << 20)
            .maxTransferBytes(1 << 19)
            .memoryAlignmentBytes(4)
            .lendsReads(true)
            .completesInline(true)
            .volatileWriteCache(true)
            .supportsWriteZeroes(true)
            .supportsVerify(true)
            .supportsDeallocate(true)
            .deallocatedReadsZero(true)
            .readOnly(true)
            .supportsCopy(true)
            .supportsCompare(true)
            .optimalWriteBytes(3 << 16)
            .atomicWriteBytes(1 << 14)
            .memoryDomains(6)
            .build();
        assertEquals(geometry, geometry.toBuilder().build());
        assertEquals(3 << 16, geometry.grown("d", 1L << 30).optimalWriteBytes());
        assertEquals(1 << 21, geometry.grown("d", 1L << 30).blockCount());
    }

    /** The payload of a request to such a device may be reused after submit; an emulated Compare reads it later. */
    @Test
    void shouldRefuseToCompleteInlineWithoutComparing()
    {
        final BlockGeometry.Builder builder = BlockGeometry.builder(4096, 8).completesInline(true);
        final String refusal = assertThrows(BlockDeviceException.class, builder::build).getMessage();
        assertTrue(refusal.contains("compares itself"), refusal);
        assertTrue(builder.supportsCompare(true).build().completesInline());
    }

    @Test
    void shouldAccessPayloadOfItsDomainsOnly()
    {
        final MemoryDomain gpu = MemoryDomain.ofDevice("gpu of a test");
        final BlockGeometry host = BlockGeometry.builder(4096, 8).build();
        final BlockGeometry both =
            host.toBuilder().memoryDomains(MemoryDomain.HOST.bit() | gpu.bit()).build();
        final Segments payload = new Segments();
        payload.domain(gpu);
        assertTrue(host.accesses(payload), "there is none");
        payload.add(4096, 4096);
        assertFalse(host.accesses(payload));
        assertTrue(both.accesses(payload));
        assertFalse(host.toBuilder().memoryDomains(2 * gpu.bit()).build().accesses(payload));
        final BlockRequest request = new BlockRequest(null, null);
        assertThrows(IllegalStateException.class, () -> request.lend(payload));
        payload.domain(MemoryDomain.HOST);
        assertTrue(host.accesses(payload));
        request.lend(payload);
        assertTrue(request.lent());
        final BlockGeometry.Builder none = host.toBuilder().memoryDomains(0);
        assertThrows(BlockDeviceException.class, none::build);
    }

    @ParameterizedTest
    @ValueSource(ints = {0, -4096, 2048, 6000, (1 << 20) + 4096, 1 << 21})
    void shouldRefuseWriteSizesThatNoHostCanUse(final int sizeBytes)
    {
        final BlockGeometry.Builder optimal = BlockGeometry.builder(4096, 8).optimalWriteBytes(sizeBytes);
        assertTrue(assertThrows(BlockDeviceException.class, optimal::build).getMessage()
            .contains("optimal write size of " + sizeBytes));
        final BlockGeometry.Builder atomic = BlockGeometry.builder(4096, 8).atomicWriteBytes(sizeBytes);
        assertTrue(assertThrows(BlockDeviceException.class, atomic::build).getMessage()
            .contains("atomic write unit of " + sizeBytes));
    }

    @Test
    void shouldRefuseAWriteSizeThatIdentifyCannotHold()
    {
        final BlockGeometry.Builder builder = BlockGeometry.builder(512, 8).maxTransferBytes(1 << 26);
        assertEquals(1 << 25, builder.optimalWriteBytes(1 << 25).build().optimalWriteBytes());
        builder.optimalWriteBytes((1 << 25) + 512);
        assertThrows(BlockDeviceException.class, builder::build);
    }

    @Test
    void shouldTakeAnOptimalWriteSizeThatIsNoPowerOfTwoButNoSuchAtomicUnit()
    {
        assertEquals(3 << 16, BlockGeometry.builder(4096, 8).optimalWriteBytes(3 << 16).build().optimalWriteBytes());
        final BlockGeometry.Builder builder = BlockGeometry.builder(4096, 8).atomicWriteBytes(3 << 16);
        assertTrue(assertThrows(BlockDeviceException.class, builder::build).getMessage().contains("use 131072"));
    }

    @ParameterizedTest
    @ValueSource(ints = {0, -1, 3, 4095})
    void shouldRefuseAlignmentsThatAreNoPowersOfTwo(final int alignmentBytes)
    {
        final BlockGeometry.Builder builder = BlockGeometry.builder(4096, 8).memoryAlignmentBytes(alignmentBytes);
        assertThrows(BlockDeviceException.class, builder::build);
    }
}
