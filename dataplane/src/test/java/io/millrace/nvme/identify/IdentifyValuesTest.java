package io.millrace.nvme.identify;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.millrace.seed.TestSeeds;
import java.util.Random;
import java.util.function.Consumer;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import org.agrona.concurrent.UnsafeBuffer;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/**
 * Values decoded from Identify data: by the specification, and bounded for any bytes.
 */
class IdentifyValuesTest
{
    private static final int PAGE_SHIFT = 12;

    private record ControllerData(
        IdentifyController core,
        IdentifyControllerAdmin admin,
        IdentifyControllerIo io,
        IdentifyControllerFabrics fabrics)
    {
    }

    private record NamespaceData(IdentifyNamespace core, IdentifyNamespaceWriteUnits units)
    {
    }

    private static UnsafeBuffer controller(final Consumer<ControllerData> change)
    {
        final UnsafeBuffer buffer = new UnsafeBuffer(new byte[IdentifyController.SIZE_BYTES]);
        final ControllerData data = new ControllerData(new IdentifyController(), new IdentifyControllerAdmin(),
            new IdentifyControllerIo(), new IdentifyControllerFabrics());
        data.core.wrap(buffer, 0);
        data.admin.wrap(buffer, 0);
        data.io.wrap(buffer, 0);
        data.fabrics.wrap(buffer, 0);
        data.io.submissionEntrySize(0x66).completionEntrySize(0x44).namespaces(1);
        change.accept(data);
        return buffer;
    }

    private static UnsafeBuffer namespace(final Consumer<NamespaceData> change)
    {
        final UnsafeBuffer buffer = new UnsafeBuffer(new byte[IdentifyNamespace.SIZE_BYTES]);
        final NamespaceData data = new NamespaceData(new IdentifyNamespace(), new IdentifyNamespaceWriteUnits());
        data.core.wrap(buffer, 0);
        data.units.wrap(buffer, 0);
        data.core.size(1 << 20).capacity(1 << 20).utilization(5).format0(12 << 16);
        change.accept(data);
        return buffer;
    }

    private static CommandLimits limits(
        final Consumer<ControllerData> controller, final Consumer<IdentifyNvmController> change)
    {
        final IdentifyNvmController identify = new IdentifyNvmController();
        identify.wrap(new UnsafeBuffer(new byte[IdentifyNvmController.SIZE_BYTES]), 0);
        change.accept(identify);
        return CommandLimits.of(ControllerInfo.of(controller(controller), PAGE_SHIFT), identify.buffer());
    }

    private static void setTransfer(final ControllerData data, final int commands)
    {
        data.io.optionalNvmCommands(commands);
        data.core.maxDataTransferSize(5);
    }

    private static String refusal(final Runnable action)
    {
        return assertThrows(InvalidIdentifyException.class, action::run).getMessage();
    }

    @ParameterizedTest
    @CsvSource({"0, 2147483647", "1, 8192", "5, 131072", "18, 1073741824", "19, 2147483647", "255, 2147483647"})
    void shouldBoundTheLargestTransfer(final int mdts, final long expectedBytes)
    {
        assertEquals(expectedBytes,
            ControllerInfo.of(controller((c) -> c.core.maxDataTransferSize(mdts)), PAGE_SHIFT).maxTransferBytes());
    }

    @ParameterizedTest
    @CsvSource({"4, 0, 0", "6, 0, 32", "516, 0, 8192", "516, 1, 0", "0, 0, 0", "-1, 0, 2147483647"})
    void shouldTakeDataInCapsulesBehindTheEntryAlone(final int units, final int offset, final int expectedBytes)
    {
        assertEquals(expectedBytes, ControllerInfo.of(controller((c) ->
            c.fabrics.ioCommandCapsuleSize(units).inCapsuleDataOffset(offset)), PAGE_SHIFT).inCapsuleDataBytes());
    }

    @Test
    void shouldDecodeAController()
    {
        final ControllerInfo info = ControllerInfo.ofIoController(controller((c) ->
        {
            c.core.controllerId(7).subsystemNqn("nqn.2026-11.io.example:a").serialNumber("S1")
                .modelNumber("M\u001b[2J").firmwareRevision("1.0").version(0x0002_0100)
                .controllerType(IdentifyController.TYPE_IO).entryLatencyUs(-1);
            c.admin.asyncEventRequestLimit(3).anaCapabilities(0x1F).anaGroups(4);
            c.io.atomicWriteUnitPowerFail(15)
                .optionalNvmCommands(IdentifyControllerIo.NVM_COPY | IdentifyControllerIo.NVM_VERIFY);
        }), PAGE_SHIFT);
        assertEquals(7, info.controllerId());
        assertEquals("M?[2J, serial S1, firmware 1.0", info.description());
        assertEquals("2.1.0", info.versionText());
        assertEquals(4, info.asyncEventLimit());
        assertEquals(16, info.atomicWriteBlocks());
        assertEquals(0xFFFF_FFFFL, info.shutdownLatencyUs());
        assertTrue(info.offers(IdentifyControllerIo.NVM_VERIFY));
        assertFalse(info.offersCopy(), "descriptors of format 0 are not taken");
        assertFalse(info.reportsAna(), "without its bit of CMIC the ANA fields are reserved");
        assertEquals(0, info.anaGroups());
        assertFalse(info.discovery());
    }

    @Test
    void shouldRefuseControllersWithoutIoQueues()
    {
        assertEquals("takes completion queue entries of 2^5 to 2^4 bytes, not of 2^4: its Identify data are invalid",
            refusal(() -> ControllerInfo.ofIoController(
                controller((c) -> c.io.completionEntrySize(0x45)), PAGE_SHIFT)));
        assertEquals("says that it can have no namespaces (NN 0): its Identify data are invalid",
            refusal(() -> ControllerInfo.ofIoController(controller((c) -> c.io.namespaces(0)), PAGE_SHIFT)));
        assertEquals("is not an I/O controller: its controller type is 2",
            refusal(() -> ControllerInfo.ofIoController(controller((c) ->
                c.core.controllerType(IdentifyController.TYPE_DISCOVERY)), PAGE_SHIFT)));
    }

    @ParameterizedTest
    @CsvSource(delimiter = '|', value = {
        "8  | 0  | 1 | 0  | has namespace 9 with 1 blocks of 2^8 bytes, of which 2^9 to 2^24",
        "25 | 0  | 1 | 0  | has namespace 9 with 1 blocks of 2^25 bytes, of which 2^9 to 2^24",
        "12 | 0  | -1 | 0 | has namespace 9 with 18446744073709551615 blocks of 2^12 bytes",
        "12 | 0  | 2251799813685248 | 0 | has namespace 9 with 2251799813685248 blocks of 2^12 bytes",
        "12 | 1  | 1 | 0  | has namespace 9 in LBA format 1 of 1: its Identify data are invalid",
        "12 | 33 | 1 | 15 | has namespace 9 with 1 blocks of 2^0 bytes",
        "12 | 33 | 1 | 16 | has namespace 9 in LBA format 17 of 17"})
    void shouldRefuseNamespacesOfImpossibleSizes(
        final int blockShift, final int formatted, final long blocks, final int formats, final String expected)
    {
        final String message = refusal(() -> NamespaceInfo.of(9, namespace((n) ->
            n.core.size(blocks).format0(blockShift << 16).formattedSize(formatted).formats(formats)), null));
        assertTrue(message.startsWith(expected), message);
    }

    @Test
    void shouldDecodeANamespace()
    {
        assertNull(NamespaceInfo.of(1, namespace((n) -> n.core.size(0)), null), "not active");
        final NamespaceInfo info = NamespaceInfo.of(1, namespace((n) ->
        {
            n.core.capacity(-1).deallocateFeatures(1).multiPathCapabilities(1).attributes(1).protectionSettings(9)
                .copyRangeLimit(0xFFFF).copyLimit(-1).features(1 << 4);
            n.units.optimalIoBoundary(256).optimalWriteSize(7);
        }), null);
        assertEquals(4096L << 20, info.sizeBytes());
        assertEquals(1 << 20, info.capacityBlocks());
        assertEquals(5, info.usedBlocks());
        assertTrue(info.deallocatedReadsZero() && info.shared() && info.writeProtected());
        assertEquals(1, info.protectionType());
        assertEquals(0xFFFF, info.copyBlocksMax());
        assertEquals(256, info.boundaryBlocks());
        assertEquals(8, info.optimalWriteBlocks());
        assertEquals(0, info.atomicWriteBlocks(), "its controller's");
        assertEquals(1, NamespaceInfo.of(1, namespace((n) -> n.units.optimalWriteSize(7)), null).optimalWriteBlocks());
    }

    @Test
    void shouldNotCallWritesAtomicThatABoundarySplits()
    {
        final Consumer<NamespaceData> unit = (n) ->
        {
            n.core.features(IdentifyNamespace.FEATURE_ATOMIC_UNITS);
            n.units.atomicWriteUnitPowerFail(15);
        };
        assertEquals(16, NamespaceInfo.of(1, namespace(unit), null).atomicWriteBlocks());
        assertEquals(1, NamespaceInfo.of(
            1, namespace(unit.andThen((n) -> n.units.atomicBoundary(63))), null).atomicWriteBlocks());
        assertEquals(1, NamespaceInfo.of(
            1, namespace(unit.andThen((n) -> n.units.atomicBoundaryPowerFail(63))), null).atomicWriteBlocks());
    }

    @Test
    void shouldTakeLimitsOfCommandsWithoutPayload()
    {
        final int all = IdentifyControllerIo.NVM_WRITE_ZEROES | IdentifyControllerIo.NVM_VERIFY |
            IdentifyControllerIo.NVM_DATASET_MANAGEMENT;
        assertEquals(new CommandLimits(0, 0, 0),
            limits((c) -> c.io.optionalNvmCommands(0), (n) -> n.verifySizeLimit(0)));
        assertEquals(new CommandLimits(131072, Long.MAX_VALUE, Integer.MAX_VALUE),
            limits((c) -> setTransfer(c, all), (n) -> n.verifySizeLimit(0)));
        assertEquals(new CommandLimits(1 << 20, 1 << 14, 16), limits((c) -> c.io.optionalNvmCommands(all), (n) ->
            n.writeZeroesSizeLimit(8).verifySizeLimit(2).datasetRangeSizeLimit(-1).datasetSizeLimit(16)));
        assertEquals(1 << 14, limits((c) -> c.io.optionalNvmCommands(0), (n) -> n.verifySizeLimit(2)).verifyBytesMax(),
            "a limit without the bit of ONCS is a hard one");
        assertEquals(1L << 62, limits((c) -> c.io.optionalNvmCommands(all), (n) ->
            n.writeZeroesSizeLimit(255)).zeroesBytesMax());
    }

    @ParameterizedTest
    @CsvSource({"0, 512, 0", "512, 512, 1", "511, 512, 1", "1048576, 512, 2048", "9223372036854775807, 512, 65536"})
    void shouldExpressLimitsInBlocks(final long bytes, final int blockBytes, final int expectedBlocks)
    {
        assertEquals(expectedBlocks, CommandLimits.blocks(bytes, blockBytes));
    }

    @Property(tries = 500)
    void shouldBoundAnyBytes(@ForAll final long seed)
    {
        final byte[] bytes = new byte[IdentifyController.SIZE_BYTES];
        final Random random = TestSeeds.fixed(seed);
        random.nextBytes(bytes);
        final UnsafeBuffer data = new UnsafeBuffer(bytes);
        final ControllerInfo controller = ControllerInfo.of(data, PAGE_SHIFT + random.nextInt(16));
        assertTrue(controller.maxTransferBytes() > 0 && controller.maxTransferBytes() <= Integer.MAX_VALUE);
        assertTrue(controller.inCapsuleDataBytes() >= 0);
        assertTrue(controller.description().chars().allMatch((c) -> c >= ' ' && c <= '~'));
        final CommandLimits limits = CommandLimits.of(controller, data);
        assertTrue(limits.zeroesBytesMax() >= 0 && limits.verifyBytesMax() >= 0 && limits.datasetBlocksMax() >= 0);
        // Else nearly all sizes are out of bounds.
        data.putLong(0, 1 + random.nextLong(1L << 38));
        bytes[130] = (byte)(8 + random.nextInt(18));
        bytes[26] &= 0x10;
        try
        {
            final NamespaceInfo namespace = NamespaceInfo.of(1, data, data);
            assertTrue(namespace.sizeBytes() > 0 && namespace.blockSizeBytes() >= 512);
            assertTrue(namespace.usedBlocks() >= 0 && namespace.usedBlocks() <= namespace.blockCount());
            assertTrue(namespace.copyBlocksMax() >= 0);
        }
        catch (final InvalidIdentifyException e)
        {
            assertTrue(bytes[130] < 9 || bytes[130] > 24, e.getMessage());
        }
    }
}
