package io.millrace.export;

import io.millrace.block.BlockDevice;
import io.millrace.block.BlockDeviceContractTest;
import io.millrace.block.file.FileDevice;
import io.millrace.block.file.FileDeviceConfig;
import io.millrace.block.memory.MemoryDevice;
import io.millrace.block.spdk.SpdkDevice;
import io.millrace.memory.DmaMemory;
import io.millrace.memory.MemoryRegistry;
import io.millrace.spdk.SpdkTesting;
import java.io.IOException;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Nested;
import org.junit.jupiter.api.Tag;

/**
 * The contract over devices of this process that SPDK has as bdevs: requests go to SPDK and come back.
 */
@Tag("spdk")
class ExportContractTest
{
    /** What they share. */
    abstract static class ExportContract extends BlockDeviceContractTest
    {
        private ExportedDevice exported;

        /**
         * {@return a new device of {@link #SIZE_BYTES}}
         */
        abstract BlockDevice exported(String name, MemoryRegistry registry) throws IOException;

        @Override
        protected final BlockDevice create(final DmaMemory registered) throws IOException
        {
            final String name = SpdkTesting.name("Export");
            exported = ExportedDevice.export(
                exported(name, MemoryRegistry.of(registered)), name, SpdkTesting.runtime(), (reactor) -> null);
            return SpdkDevice.open("vol0", name, SpdkTesting.runtime());
        }

        @AfterEach
        final void remove()
        {
            exported.close();
            exported.device().close();
        }
    }

    @Nested
    class MemoryOf512 extends ExportContract
    {
        @Override
        BlockDevice exported(final String name, final MemoryRegistry registry)
        {
            return MemoryDevice.create(name, SIZE_BYTES, 512);
        }
    }

    @Nested
    class FileOf4096 extends ExportContract
    {
        @Override
        BlockDevice exported(final String name, final MemoryRegistry registry) throws IOException
        {
            return FileDevice.open(
                FileDeviceConfig.of(name, directory.resolve("volume.img"), SIZE_BYTES, 4096), registry);
        }
    }
}
