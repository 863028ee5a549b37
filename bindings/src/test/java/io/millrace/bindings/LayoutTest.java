package io.millrace.bindings;

import static io.millrace.testing.Requirement.require;
import static io.millrace.testing.Requirement.requireProgram;
import static org.junit.jupiter.api.Assertions.assertAll;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.millrace.bindings.linux.CompletionEntry;
import io.millrace.bindings.linux.Epoll;
import io.millrace.bindings.linux.EpollEvent;
import io.millrace.bindings.linux.FileStatus;
import io.millrace.bindings.linux.Files;
import io.millrace.bindings.linux.IoUring;
import io.millrace.bindings.linux.Mappings;
import io.millrace.bindings.linux.MessageHeader;
import io.millrace.bindings.linux.NvmeAdminCommand;
import io.millrace.bindings.linux.ResourceLimit;
import io.millrace.bindings.linux.RingParams;
import io.millrace.bindings.linux.SocketAddress;
import io.millrace.bindings.linux.Sockets;
import io.millrace.bindings.linux.SubmissionEntry;
import io.millrace.bindings.linux.Threads;
import io.millrace.bindings.verbs.DeviceAttributes;
import io.millrace.bindings.verbs.GidEntry;
import io.millrace.bindings.verbs.PortAttributes;
import io.millrace.bindings.verbs.Verbs;
import io.millrace.bindings.vfio.IommuAddressSpace;
import io.millrace.bindings.vfio.Vfio;
import io.millrace.bindings.vfio.VfioAttachment;
import io.millrace.bindings.vfio.VfioDmaRange;
import io.millrace.bindings.vfio.VfioGroupStatus;
import io.millrace.bindings.vfio.VfioIommuInfo;
import io.millrace.bindings.vfio.VfioIrqInfo;
import io.millrace.bindings.vfio.VfioIrqSet;
import io.millrace.bindings.vfio.VfioRegionInfo;
import java.io.IOException;
import java.lang.foreign.MemoryLayout;
import java.lang.reflect.Field;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import java.util.concurrent.TimeUnit;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

class LayoutTest
{
    private static final String GENERATED = "io.millrace.bindings.generated.";
    private static final Set<String> DIFFERENT_ON_AARCH64 =
        Set.of("epoll_event", "epoll_event.data", "O_DIRECT", "IBV_CONTEXT_ABI_COMPAT");

    @TempDir
    private Path folder;

    @Test
    void shouldMatchGeneratedBindingsWhenX8664() throws Exception
    {
        assertEquals(Set.of(), differencesFromGenerated(LayoutTable.expected(Architecture.X86_64)));
    }

    @Test
    void shouldDifferFromGeneratedBindingsOnlyWhereArchitectureKnowsWhenAarch64() throws Exception
    {
        assertEquals(DIFFERENT_ON_AARCH64, differencesFromGenerated(LayoutTable.expected(Architecture.AARCH64)));
    }

    @ParameterizedTest
    @EnumSource
    void shouldMatchWhatArchitectureSaysWhenItDiffers(final Architecture architecture)
    {
        final LayoutTable table = LayoutTable.expected(architecture);
        assertAll(
            () -> assertEquals(table.sizeBytes("epoll_event"), architecture.epollEventSizeBytes()),
            () -> assertEquals(table.offset("epoll_event.data"), architecture.epollEventDataOffset()),
            () -> assertEquals(table.value("O_DIRECT"), architecture.directFlag()),
            () -> assertEquals(
                table.value("IBV_CONTEXT_ABI_COMPAT"), architecture.verbsContextAbiCompatOffset()));
    }

    @Test
    void shouldMatchCallsWhenCommitted()
    {
        assertMatchesCalls(LayoutTable.expected(Architecture.current()));
    }

    @Test
    void shouldMatchCallsWhenHeadersOfThisMachineAreCompiled() throws Exception
    {
        final LayoutTable table = thisMachine();
        assertMatchesCalls(table);
        final LayoutTable expected = LayoutTable.expected(Architecture.current());
        for (final String name : table.names())
        {
            assertTrue(expected.names().contains(name), () -> name + " is not in the committed table");
            assertEquals(expected.offset(name), table.offset(name), name);
            if (!table.isConstant(name))
            {
                assertEquals(expected.sizeBytes(name), table.sizeBytes(name), name);
            }
        }
    }

    private static void assertMatchesCalls(final LayoutTable table)
    {
        assertAll(
            () -> assertEquals(table.sizeBytes("epoll_event"), EpollEvent.SIZE_BYTES),
            () -> assertEquals(table.sizeBytes("msghdr"), MessageHeader.SIZE_BYTES),
            () -> assertEquals(table.sizeBytes("iovec"), MessageHeader.IOVEC_SIZE_BYTES),
            () -> assertEquals(table.sizeBytes("sockaddr_in6"), SocketAddress.SIZE_BYTES_MAX),
            () -> assertEquals(table.sizeBytes("statx"), FileStatus.SIZE_BYTES),
            () -> assertEquals(table.sizeBytes("rlimit"), ResourceLimit.SIZE_BYTES),
            () -> assertEquals(table.sizeBytes("nvme_passthru_cmd"), NvmeAdminCommand.SIZE_BYTES),
            () -> assertEquals(table.sizeBytes("io_uring_sqe"), SubmissionEntry.SIZE_BYTES),
            () -> assertEquals(table.offset("io_uring_sqe.user_data"), SubmissionEntry.USER_DATA_OFFSET),
            () -> assertEquals(table.sizeBytes("io_uring_cqe"), CompletionEntry.SIZE_BYTES),
            () -> assertEquals(table.sizeBytes("io_uring_params"), RingParams.SIZE_BYTES),
            () -> assertEquals(table.sizeBytes("vfio_group_status"), VfioGroupStatus.SIZE_BYTES),
            () -> assertEquals(table.sizeBytes("vfio_region_info"), VfioRegionInfo.SIZE_BYTES),
            () -> assertEquals(table.sizeBytes("vfio_irq_info"), VfioIrqInfo.SIZE_BYTES),
            () -> assertEquals(table.offset("vfio_irq_set.data") + 12, VfioIrqSet.sizeBytes(3)),
            () -> assertEquals(table.sizeBytes("vfio_iommu_type1_info"), VfioIommuInfo.SIZE_BYTES),
            () -> assertEquals(table.sizeBytes("vfio_iommu_type1_dma_map"), VfioDmaRange.SIZE_BYTES),
            () -> assertEquals(table.sizeBytes("vfio_device_bind_iommufd"), VfioAttachment.SIZE_BYTES),
            () -> assertEquals(table.sizeBytes("iommu_ioas_map"), IommuAddressSpace.SIZE_BYTES),
            () -> assertEquals(table.sizeBytes("iommu_iova_range"), IommuAddressSpace.RANGE_BYTES),
            () -> assertEquals(table.value("IBV_DEVICE_ATTR_EX_READ"), DeviceAttributes.SIZE_BYTES),
            () -> assertEquals(table.sizeBytes("ibv_port_attr"), PortAttributes.SIZE_BYTES),
            () -> assertEquals(table.sizeBytes("ibv_gid_entry"), GidEntry.SIZE_BYTES));
    }

    @Test
    void shouldHaveValueOfHeadersWhenConstantIsPublic() throws Exception
    {
        final LayoutTable table = LayoutTable.expected(Architecture.current());
        final List<Class<?>> classes = List.of(
            Errno.class, Sockets.class, Epoll.class, Files.class, Mappings.class, Threads.class, IoUring.class,
            Vfio.class, Verbs.class);
        for (final Class<?> type : classes)
        {
            for (final Field field : type.getFields())
            {
                final String name = type.getSimpleName() + "." + field.getName();
                final long expected = table.value(field.getName().replace("TYPE1V2", "TYPE1v2"));
                assertEquals(int.class == field.getType() ? (int)expected : expected, field.getLong(null), name);
            }
        }
    }

    @ParameterizedTest
    @EnumSource
    void shouldProbeEverySymbolWhenItIsIncluded(final Architecture architecture) throws Exception
    {
        final Set<String> missing = new TreeSet<>();
        final Pattern line = Pattern.compile("--include-(constant|struct|union) (\\w+)");
        for (final String file : List.of("linux.includes", "io_uring.includes", "vfio.includes", "verbs.includes",
            "rdmacm.includes"))
        {
            for (final String text : java.nio.file.Files.readAllLines(LayoutTable.ROOT.resolve("jextract/" + file)))
            {
                final Matcher matcher = line.matcher(text);
                if (matcher.matches() && !matcher.group(2).endsWith("_HEADERS_VERSION"))
                {
                    missing.add(matcher.group(2));
                }
            }
        }
        assertTrue(missing.size() > 200, () -> "include lists are not read: " + missing);
        missing.removeAll(LayoutTable.expected(architecture).names());
        assertEquals(Set.of(), missing);
    }

    private LayoutTable thisMachine() throws IOException, InterruptedException
    {
        requireProgram("cc", "gcc");
        final Path program = folder.resolve("layout_probe");
        run("cc", "-I", LayoutTable.ROOT.resolve("jextract").toString(), "-o", program.toString(),
            LayoutTable.ROOT.resolve("native/layout-probe/layout_probe.c").toString());
        final LayoutTable table = LayoutTable.of(run(program.toString()));
        require(table.names().contains("io_uring_sqe"), "headers of a Linux before 6.1", "apt-get install libc6-dev");
        require(table.names().contains("ibv_port_attr"), "no infiniband/verbs.h", "apt-get install libibverbs-dev");
        require(table.names().contains("rdma_conn_param"), "no rdma/rdma_cma.h", "apt-get install librdmacm-dev");
        return table;
    }

    private List<String> run(final String... command) throws IOException, InterruptedException
    {
        final Path output = folder.resolve("output.txt");
        final Process process = new ProcessBuilder(command)
            .redirectErrorStream(true)
            .redirectOutput(output.toFile())
            .start();
        final boolean ended = process.waitFor(60, TimeUnit.SECONDS);
        process.destroyForcibly();
        final String text = java.nio.file.Files.readString(output, StandardCharsets.UTF_8);
        assertTrue(ended && 0 == process.exitValue(), () -> String.join(" ", command) + ": " + text);
        return text.lines().toList();
    }

    private static Set<String> differencesFromGenerated(final LayoutTable table) throws ReflectiveOperationException
    {
        final Set<String> differences = new TreeSet<>();
        for (final String name : table.names())
        {
            final boolean isSame = table.isConstant(name) ?
                sameConstant(table, name) :
                sameLayout(table, name);
            if (!isSame)
            {
                differences.add(name);
            }
        }
        return differences;
    }

    private static boolean sameConstant(final LayoutTable table, final String name) throws ReflectiveOperationException
    {
        final Class<?> header = Class.forName(GENERATED + (name.matches("(VFIO|IOMMU).*") ? "vfio.vfio_h" :
            name.matches("(IBV|VERBS)_.*") ? "verbs.verbs_h" :
            name.startsWith("RDMA_") ? "rdmacm.rdmacm_h" :
            name.startsWith("IO") ? "iouring.io_uring_h" : "linux.linux_h"));
        final Object value = header.getMethod(name).invoke(null);
        return value instanceof Integer ?
            (int)value == (int)table.value(name) :
            (long)value == table.value(name);
    }

    private static boolean sameLayout(final LayoutTable table, final String name) throws ReflectiveOperationException
    {
        final String[] parts = name.split("\\.");
        final Class<?> type = Class.forName(GENERATED + (parts[0].startsWith("io_") ? "iouring." :
            parts[0].startsWith("vfio_") || parts[0].startsWith("iommu_") ? "vfio." :
            parts[0].startsWith("ibv_") ? "verbs." :
            parts[0].startsWith("rdma_") ? "rdmacm." : "linux.") + parts[0]);
        final long offset = 1 == parts.length ? 0L : (long)type.getMethod(parts[1] + "$offset").invoke(null);
        final MemoryLayout layout = (MemoryLayout)type
            .getMethod(1 == parts.length ? "layout" : parts[1] + "$layout").invoke(null);
        return offset == table.offset(name) && layout.byteSize() == table.sizeBytes(name);
    }
}
