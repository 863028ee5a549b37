package io.millrace.cli.local.doctor;

import io.millrace.bindings.Capability;
import java.util.ArrayList;
import java.util.List;

/**
 * Looks for SPDK, and for what its environment, DPDK, needs. What its drives need is looked for with VFIO. Never throws
 * for what is missing. Main thread.
 */
final class SpdkProbe
{
    private static final String GROUP = "SPDK";
    private static final String USE = "devices of type spdk-bdev (docs/spdk.md)";
    private static final long MEMORY_KIB = 512 << 10;

    private final SystemFiles files;
    private final Capability spdk;

    SpdkProbe(final SystemFiles files, final Capability spdk)
    {
        this.files = files;
        this.spdk = spdk;
    }

    /** {@return what was found; without SPDK its absence alone} */
    List<Finding> run()
    {
        final List<Finding> findings = new ArrayList<>();
        findings.add(new Finding(GROUP, spdk, USE));
        if (spdk.isAvailable())
        {
            findings.add(new Finding(GROUP, memory(), USE));
        }
        return findings;
    }

    private Capability memory()
    {
        final String name = "memory of SPDK";
        final String text = files.field("/proc/meminfo", "MemAvailable").replace(" kB", "");
        final long availableKib = text.matches("\\d{1,15}") ? Long.parseLong(text) : 0;
        return availableKib >= MEMORY_KIB ?
            Capability.on(name, (availableKib >> 10) + " MiB of memory are available, 512 are the default") :
            Capability.off(name, (availableKib >> 10) + " MiB of memory are available, 512 are the default",
                "free memory");
    }
}
