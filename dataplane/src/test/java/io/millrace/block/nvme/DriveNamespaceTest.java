package io.millrace.block.nvme;

import static org.junit.jupiter.api.Assertions.assertEquals;

import io.millrace.block.BlockGeometry;
import io.millrace.nvme.identify.CommandLimits;
import io.millrace.nvme.identify.ControllerInfo;
import io.millrace.nvme.identify.IdentifyController;
import io.millrace.nvme.identify.IdentifyControllerIo;
import io.millrace.nvme.identify.IdentifyNamespace;
import io.millrace.nvme.identify.IdentifyNamespaceWriteUnits;
import io.millrace.nvme.identify.NamespaceInfo;
import java.util.function.BiConsumer;
import org.agrona.concurrent.UnsafeBuffer;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class DriveNamespaceTest
{
    private static final int PAGE_SHIFT = 12;
    private static final int ATOMIC = IdentifyNamespace.FEATURE_ATOMIC_UNITS;

    private static BlockGeometry geometry(
        final int transferLimit,
        final int controllerAtomicBlocks,
        final BiConsumer<IdentifyNamespace, IdentifyNamespaceWriteUnits> change)
    {
        final IdentifyController controller = new IdentifyController();
        controller.wrap(new UnsafeBuffer(new byte[IdentifyController.SIZE_BYTES]), 0);
        controller.maxDataTransferSize(transferLimit);
        final IdentifyControllerIo io = new IdentifyControllerIo();
        io.wrap(controller.buffer(), 0);
        io.submissionEntrySize(0x66).completionEntrySize(0x44).namespaces(1)
            .atomicWriteUnitPowerFail(controllerAtomicBlocks - 1);
        final IdentifyNamespace identify = new IdentifyNamespace();
        identify.wrap(new UnsafeBuffer(new byte[IdentifyNamespace.SIZE_BYTES]), 0);
        identify.size(1 << 20).format0(9 << 16);
        final IdentifyNamespaceWriteUnits units = new IdentifyNamespaceWriteUnits();
        units.wrap(identify.buffer(), 0);
        change.accept(identify, units);
        final ControllerInfo info = ControllerInfo.ofIoController(controller.buffer(), PAGE_SHIFT);
        final DriveNamespace namespace = DriveNamespace.of(NamespaceInfo.of(1, identify.buffer(), null));
        return namespace.geometry(info, TransferLimits.of(info, CommandLimits.of(info, null), namespace));
    }

    @Test
    void shouldGoByBlocksWhereADriveSaysNothing()
    {
        final BlockGeometry geometry = geometry(5, 1, (identify, units) -> units.optimalWriteSize(7));
        assertEquals(512, geometry.optimalWriteBytes());
        assertEquals(512, geometry.atomicWriteBytes());
    }

    @ParameterizedTest
    @CsvSource({"0x10, 255, 131072", "0x20, 255, 131072", "0x30, 383, 196608", "0x10, 65535, 512", "0x0F, 255, 512"})
    void shouldTakeTheOptimalWriteSizeUpToTheLargestTransfer(
        final String features, final int nows, final int expectedBytes)
    {
        assertEquals(expectedBytes, geometry(8, 1, (identify, units) ->
        {
            identify.features(Integer.decode(features));
            units.optimalWriteSize(nows);
        }).optimalWriteBytes());
    }

    @ParameterizedTest
    @CsvSource({"1, 8, 4096", "1, 12, 4096", "16, 1, 512", "1, 1024, 131072", "1, 65536, 131072"})
    void shouldTakeTheAtomicUnitOfTheNamespace(final int controllerBlocks, final int blocks, final int expectedBytes)
    {
        assertEquals(expectedBytes, geometry(5, controllerBlocks, (identify, units) ->
        {
            identify.features(ATOMIC);
            units.atomicWriteUnitPowerFail(blocks - 1);
        }).atomicWriteBytes());
    }

    @Test
    void shouldTakeTheAtomicUnitOfTheControllerWhereTheNamespaceHasNone()
    {
        assertEquals(8192, geometry(5, 16, (identify, units) -> units.atomicWriteUnitPowerFail(63)).atomicWriteBytes());
    }

    @Test
    void shouldNotPromiseWhatABoundaryBreaks()
    {
        assertEquals(512, geometry(5, 16, (identify, units) -> units.atomicBoundaryPowerFail(255)).atomicWriteBytes());
        assertEquals(512, geometry(5, 16, (identify, units) -> units.atomicBoundary(255)).atomicWriteBytes());
        assertEquals(512, geometry(5, 16, (identify, units) -> units.optimalIoBoundary(256)).atomicWriteBytes());
    }
}
