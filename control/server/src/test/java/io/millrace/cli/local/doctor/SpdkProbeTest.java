package io.millrace.cli.local.doctor;

import static org.junit.jupiter.api.Assertions.assertEquals;

import io.millrace.bindings.Capability;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class SpdkProbeTest
{
    private static final Capability ON = Capability.on("SPDK", "SPDK v26.05");

    @TempDir
    private Path root;

    private List<String> run(final Capability spdk)
    {
        return new SpdkProbe(new SystemFiles(root), spdk).run().stream().map((each) -> each.capability().toString())
            .toList();
    }

    @Test
    void shouldSayNoMoreThanThatItIsMissing()
    {
        assertEquals(List.of("SPDK is off: not found; install it"),
            run(Capability.off("SPDK", "not found", "install it")));
    }

    @Test
    void shouldTellWhetherItsMemoryIsThere() throws IOException
    {
        Files.createDirectory(root.resolve("proc"));
        final Path file = root.resolve("proc/meminfo");
        Files.writeString(file, "MemTotal:  9 kB\nMemAvailable:    524288 kB\n");
        assertEquals(List.of("SPDK is on: SPDK v26.05",
            "memory of SPDK is on: 512 MiB of memory are available, 512 are the default"), run(ON));
        Files.writeString(file, "MemAvailable:    524287 kB\n");
        assertEquals("memory of SPDK is off: 511 MiB of memory are available, 512 are the default; " +
            "free memory", run(ON).getLast());
    }
}
