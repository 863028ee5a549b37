package io.millrace.cli.local.doctor;

import io.millrace.bindings.Architecture;
import io.millrace.bindings.Capability;
import io.millrace.bindings.NativeLibrary;
import io.millrace.bindings.isal.IsalCalls;
import io.millrace.bindings.linux.IoUringProbe;
import io.millrace.pci.VfioFunction;
import io.millrace.reactor.CpuAffinity;
import io.millrace.reactor.Housekeeping;
import io.millrace.spdk.SpdkRuntime;
import java.lang.module.ModuleFinder;
import java.util.ArrayList;
import java.util.BitSet;
import java.util.List;
import java.util.Map;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * Looks at the machine for all that the data plane can use. Never throws for what is missing. Main thread.
 */
final class MachineProbe
{
    private static final int CAP_IPC_LOCK = 14;
    private static final long OPEN_FILES_MIN = 4096;
    private static final long LOCKED_BYTES_MIN = 256L << 20;
    private static final long HUGEPAGE_BYTES = 2L << 20;
    private static final Pattern LIMIT = Pattern.compile("\\s+(\\d+|unlimited)\\s+(\\d+|unlimited).*");
    private static final String LATER = "not part of this build";

    private final SystemFiles files;
    private final Map<String, String> environment;
    private final List<Finding> findings = new ArrayList<>();

    MachineProbe(final SystemFiles files, final Map<String, String> environment)
    {
        this.files = files;
        this.environment = environment;
    }

    /**
     * {@return everything that was found, in the order to show it}
     */
    List<Finding> run()
    {
        // Before ISA-L: SPDK brings a newer one of the same name, and does not load where the older one was loaded
        // first.
        final Capability spdk = SpdkRuntime.capability();
        java();
        memory();
        ioUring();
        limits();
        cpus();
        host();
        vfio();
        findings.addAll(new RdmaProbe(files, this::module).run());
        parity();
        findings.addAll(new SpdkProbe(files, spdk).run());
        later();
        return List.copyOf(findings);
    }

    private void add(final String group, final Capability capability, final String use)
    {
        findings.add(new Finding(group, capability, use));
    }

    private void java()
    {
        add("Java", Capability.on("JDK", "Java " + Runtime.version() + " of " + System.getProperty("java.vendor") +
            " in " + System.getProperty("java.home")), "runs everything");
    }

    void memory()
    {
        final String pool = "/sys/kernel/mm/hugepages/hugepages-2048kB/";
        final String total = files.read(pool + "nr_hugepages");
        final String free = files.read(pool + "free_hugepages");
        final Capability hugepages;
        if (total.isEmpty())
        {
            hugepages = Capability.off("hugepages", "this kernel has none of 2 MiB",
                "run a kernel with CONFIG_HUGETLBFS");
        }
        else if ("0".equals(free))
        {
            hugepages = Capability.off("hugepages", "0 of " + total + " pages of 2 MiB are free",
                "as root: sysctl vm.nr_hugepages=" + (Long.parseLong(total) + 64) + " for 128 MiB of them");
        }
        else
        {
            hugepages = Capability.on("hugepages", free + " of " + total + " pages of 2 MiB are free, " +
                Long.parseLong(free) * HUGEPAGE_BYTES / (1 << 20) + " MiB");
        }
        add("Memory", hugepages, "I/O buffers with fewer address translations; ordinary pages otherwise. SPDK with " +
            "spdk.hugepages");
        final String transparent = files.read("/sys/kernel/mm/transparent_hugepage/enabled");
        add("Memory", transparent.contains("[madvise]") || transparent.contains("[always]") ?
            Capability.on("transparent huge pages", transparent) :
            Capability.off("transparent huge pages", transparent.isEmpty() ? "this kernel has none" : transparent,
                "as root: echo madvise > /sys/kernel/mm/transparent_hugepage/enabled"),
            "instead of hugepages where there are none");
        add("Memory", lockedMemory(), "registering I/O buffers with io_uring, unregistered ones otherwise; mapping " +
            "them for drives that VFIO has; registering them with RDMA devices");
    }

    private Capability lockedMemory()
    {
        final String capabilities = files.field("/proc/self/status", "CapEff");
        if (!capabilities.isEmpty() && 0 != (Long.parseUnsignedLong(capabilities, 16) >>> CAP_IPC_LOCK & 1))
        {
            return Capability.on("locked memory", "no limit for this process, it has CAP_IPC_LOCK");
        }
        final long limit = limit("Max locked memory");
        final String text = Long.MAX_VALUE == limit ? "unlimited" : (limit >> 10) + " KiB";
        return limit >= LOCKED_BYTES_MIN ? Capability.on("locked memory", text) :
            Capability.off("locked memory", "limited to " + text,
                "raise memlock in /etc/security/limits.conf, or LimitMEMLOCK= of the service");
    }

    private void ioUring()
    {
        for (final Capability capability : IoUringProbe.run().capabilities())
        {
            add("io_uring", capability, "file devices");
        }
    }

    private void limits()
    {
        final long limit = limit("Max open files");
        final String text = Long.MAX_VALUE == limit ? "unlimited" : Long.toString(limit);
        add("Limits", limit >= OPEN_FILES_MIN ? Capability.on("open files", text) :
            Capability.off("open files", "limited to " + text,
                "raise it: ulimit -n 65536, or LimitNOFILE= of the service"),
            "a connection takes one");
    }

    /** The soft limit of this process, {@link Long#MAX_VALUE} when there is none. */
    private long limit(final String name)
    {
        return files.read("/proc/self/limits").lines()
            .filter((line) -> line.startsWith(name))
            .map((line) -> LIMIT.matcher(line.substring(name.length())))
            .filter(Matcher::matches)
            .map((matcher) -> "unlimited".equals(matcher.group(1)) ? Long.MAX_VALUE : Long.parseLong(matcher.group(1)))
            .findFirst().orElse(0L);
    }

    private void cpus()
    {
        final BitSet allowed = Housekeeping.allowed();
        final String text = CpuAffinity.format(allowed);
        add("CPUs", allowed.cardinality() > 1 ? Capability.on("CPU affinity", "reactors may be pinned to " + text) :
            Capability.off("CPU affinity", "only CPU " + text + " is allowed", "give the process more CPUs"),
            "a core for each reactor");
        final String isolated = files.read("/sys/devices/system/cpu/isolated");
        add("CPUs", isolated.isEmpty() ? Capability.off("CPU isolation", "the scheduler uses every CPU",
            "boot with isolcpus=LIST nohz_full=LIST and pin reactors to LIST") :
            Capability.on("CPU isolation", "CPUs " + isolated + " are kept free"), "steadier latency");
        add("CPUs", quickWake(allowed), "the first I/O after idle; from deep idle states a CPU takes 100 us and more");
    }

    /** By the limit that an administrator sets; a virtual machine's own idle states do not tell what halting costs. */
    private Capability quickWake(final BitSet allowed)
    {
        final String name = "quick wake-up";
        final String limit = "/sys/devices/system/cpu/cpu%d/power/pm_qos_resume_latency_us";
        final BitSet awake = new BitSet();
        allowed.stream().filter((cpu) -> "n/a".equals(files.read(limit.formatted(cpu)))).forEach(awake::set);
        return awake.isEmpty() ?
            Capability.off(name, "every idle CPU may enter idle states that take long to leave",
                "for the CPU of each reactor, as root: echo n/a > " + limit.replace("%d", "N") + "; 0 takes it back") :
            Capability.on(name, "CPUs " + CpuAffinity.format(awake) + " stay out of deep idle states");
    }

    private void host()
    {
        final String use = "connecting to volumes from this machine";
        add("Linux host", module("nvme_tcp", "nvme-tcp",
            "install the kernel's extra modules, or connect from another machine or with millrace perf"), use);
        for (final String directory : environment.getOrDefault("PATH", "").split(":"))
        {
            if (directory.startsWith("/") && files.exists(directory + "/nvme"))
            {
                add("Linux host", Capability.on("nvme-cli", directory + "/nvme"), use);
                return;
            }
        }
        final String sbin = "/usr/sbin/nvme";
        add("Linux host", files.exists(sbin) ? Capability.on("nvme-cli", sbin) :
            Capability.off("nvme-cli", "no nvme in PATH", "install nvme-cli"), use);
    }

    private Capability module(final String loaded, final String file, final String remedy)
    {
        if (files.exists("/sys/module/" + loaded))
        {
            return Capability.on(file + " module", "loaded");
        }
        final String release = files.read("/proc/sys/kernel/osrelease");
        final String directory = "/lib/modules/" + release + "/";
        if (files.read(directory + "modules.builtin").contains("/" + file + ".ko"))
        {
            return Capability.on(file + " module", "built into the kernel");
        }
        if (files.read(directory + "modules.dep").contains("/" + file + ".ko"))
        {
            return Capability.off(file + " module", "present, not loaded", "as root: modprobe " + file);
        }
        return Capability.off(file + " module", "not among the modules of kernel " + release, remedy);
    }

    void vfio()
    {
        final String group = "NVMe drives from user space";
        final String use = "driving NVMe drives without the kernel: devices of type nvme, and drives of SPDK";
        add(group, VfioFunction.capability(Architecture.current()), use);
        final List<String> groups = files.list("/sys/kernel/iommu_groups");
        add(group, groups.isEmpty() ? Capability.off("IOMMU", "functions are in no IOMMU groups",
            "turn on VT-d or AMD-Vi in the firmware, and boot with intel_iommu=on (AMD: nothing more)") :
            Capability.on("IOMMU", groups.size() + " groups"), use);
        final Capability module = module("vfio_pci", "vfio-pci", "install the kernel's extra modules");
        add(group, module, use);
        final List<String> bound = files.list("/sys/bus/pci/drivers/vfio-pci").stream()
            .filter((name) -> name.indexOf(':') > 0).toList();
        add(group, bound.isEmpty() ? Capability.off("drives bound to VFIO", "none",
            module.isAvailable() ? "as root: millrace drive bind ADDRESS; millrace drive list shows them" :
                "first the module vfio-pci") :
            Capability.on("drives bound to VFIO", String.join(", ", bound)), use);
        for (final String address : bound)
        {
            add(group, permission(address), use);
        }
    }

    private Capability permission(final String address)
    {
        final String device = "/sys/bus/pci/devices/" + address + "/";
        final String name = "permission for " + address;
        final String own = files.list(device + "vfio-dev").stream().map((file) -> "/dev/vfio/devices/" + file)
            .findFirst().orElse("");
        if (!own.isEmpty() && files.isWritable(own) && files.isWritable("/dev/iommu"))
        {
            return Capability.on(name, own + " and /dev/iommu may be opened");
        }
        final String number = files.linkName(device + "iommu_group");
        final boolean hasNoIommu =
            files.read("/sys/kernel/iommu_groups/" + number + "/name").startsWith("vfio-noiommu");
        final String node = "/dev/vfio/" + (hasNoIommu ? "noiommu-" : "") + number;
        return files.isWritable(node) ? Capability.on(name, node + " may be opened") :
            Capability.off(name, node + (files.exists(node) ? " may not be opened by this user" : " is missing"),
                "as root: chown " + System.getProperty("user.name") + " " + node + ", or a udev rule " +
                "(docs/nvme-driver.md)");
    }

    /** The module is looked for in the JDK: this command does not load it. */
    private void parity()
    {
        final String use = "parity of arrays, not part of this build yet; millrace parity bench measures it";
        add("Parity", ModuleFinder.ofSystem().find("jdk.incubator.vector").isPresent() ?
            Capability.on("Vector API", "module jdk.incubator.vector of this JDK") :
            Capability.off("Vector API", "this Java lacks jdk.incubator.vector", "install a whole JDK"), use);
        add("Parity", IsalCalls.capability(), use);
    }

    private void later()
    {
        add("GPU", NativeLibrary.probe("CUDA driver", "install the NVIDIA driver",
            List.of("libcuda.so.1"), List.of("cuInit")).capability(), LATER);
        add("GPU", NativeLibrary.probe("cuFile", "install libcufile of the CUDA toolkit",
            List.of("libcufile.so.0", "libcufile.so"), List.of("cuFileDriverOpen")).capability(), LATER);
    }
}
