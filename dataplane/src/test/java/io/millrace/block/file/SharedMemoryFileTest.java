package io.millrace.block.file;

import io.millrace.block.BlockDevice;
import io.millrace.block.BlockDeviceContractTest;
import io.millrace.memory.DmaMemory;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.AfterEach;

/** A file system without ZERO_RANGE, and without direct I/O before Linux 6.6; nothing registered, a short queue. */
class SharedMemoryFileTest extends BlockDeviceContractTest
{
    private Path path;

    @Override
    protected BlockDevice create(final DmaMemory registered) throws IOException
    {
        path = Files.createTempFile(Path.of("/dev/shm"), "millrace", ".img");
        return FileDevice.open(FileDeviceConfig.of("shm", path, SIZE_BYTES, 512).withQueueDepth(8));
    }

    @AfterEach
    void delete() throws IOException
    {
        Files.delete(path);
    }
}
