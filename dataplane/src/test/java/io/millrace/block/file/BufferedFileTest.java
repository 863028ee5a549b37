package io.millrace.block.file;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;

import io.millrace.block.BlockDevice;
import io.millrace.block.BlockDeviceContractTest;
import io.millrace.block.Initiator;
import io.millrace.memory.DmaMemory;
import io.millrace.memory.MemoryRegistry;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

/** Through the page cache of the kernel, as where a file system has no direct I/O. */
class BufferedFileTest extends BlockDeviceContractTest
{
    @Override
    protected BlockDevice create(final DmaMemory registered)
    {
        return open("buffered", MemoryRegistry.of(registered));
    }

    private FileDevice open(final String name, final MemoryRegistry registry)
    {
        return FileDevice.open(FileDeviceConfig.of(name, directory.resolve(name), SIZE_BYTES, 4096), registry,
            (found) -> new FileCapabilities(false, 0, found.zeroStrategy(), found.deallocateStrategy()));
    }

    @Test
    void shouldHaveADescriptorForEachChannelWhileItIsOpen() throws IOException
    {
        final FileDevice other = open("other", new MemoryRegistry());
        assertFalse(other.isDirect());
        final Initiator first = new Initiator("first", other);
        final Initiator second = new Initiator("second", other);
        assertEquals(3, descriptors("other"));
        first.close();
        assertEquals(2, descriptors("other"));
        second.close();
        other.close();
        assertEquals(0, descriptors("other"));
    }

    private long descriptors(final String name) throws IOException
    {
        final Path file = directory.resolve(name).toRealPath();
        try (Stream<Path> all = Files.list(Path.of("/proc/self/fd")))
        {
            return all.filter((each) -> leadsTo(each, file)).count();
        }
    }

    private static boolean leadsTo(final Path descriptor, final Path file)
    {
        try
        {
            return file.equals(Files.readSymbolicLink(descriptor));
        }
        catch (final IOException e)
        {
            // Closed since it was listed.
            return false;
        }
    }
}
