package io.millrace.dataplane;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.millrace.dataplane.OperationException.Reason;
import io.millrace.dataplane.config.DeviceConfig;
import io.millrace.dataplane.config.ListenerProvider;
import io.millrace.dataplane.config.SubsystemSettings;
import io.millrace.dataplane.config.SubsystemSettings.NamespaceSettings;
import io.millrace.nvme.AnaState;
import io.millrace.nvmf.initiator.ConnectionConfig;
import io.millrace.nvmf.initiator.Discovery;
import io.millrace.nvmf.initiator.DiscoveryEntry;
import io.millrace.nvmf.initiator.HostFixture;
import io.millrace.nvmf.initiator.RemoteController;
import io.millrace.nvmf.initiator.RemoteQueuePair;
import io.millrace.nvmf.initiator.Waits;
import io.millrace.nvmf.transport.TransportAddress;
import io.millrace.spdk.SpdkFrontEnd;
import io.millrace.spdk.SpdkProgram;
import io.millrace.spdk.SpdkTesting;
import io.millrace.seed.TestSeeds;
import java.io.IOException;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.net.StandardProtocolFamily;
import java.net.UnixDomainSocketAddress;
import java.nio.channels.ServerSocketChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * Listeners of vfio-user, whose hosts are SPDK's own programs in place of virtual machines.
 */
@Tag("spdk")
class SpdkVfioUserTest
{
    private static final int BLOCK = 4096;
    private static final long SIZE_BYTES = 4 << 20;
    private static final int BLOCKS = 256;
    private static final int ANSWERS = 50;
    private static final Pattern WRITES = Pattern.compile("\"num_write_ops\": *(\\d+)");

    private final String nqn = SpdkTesting.name("nqn.2026-11.io.millrace:vm");
    private final String vol0 = SpdkTesting.name("Vm");
    private final HostFixture host = new HostFixture();
    @TempDir
    private Path temporary;
    private Path directory;
    private TransportAddress listener;
    private DataPlane dataPlane;
    private TransportAddress own;

    @BeforeEach
    void start() throws IOException
    {
        directory = Files.createDirectory(temporary.resolve("vm"));
        listener = TransportAddress.vfioUser(directory.toString());
        SpdkTesting.runtime();
        dataPlane = DataPlane.start(SpdkFrontEnd.config(
            List.of(DeviceConfig.memory(vol0, SIZE_BYTES, BLOCK)), List.of(), null));
        dataPlane.subsystems().create(subsystem(nqn, true, new NamespaceSettings(1, vol0, null)));
        own = dataPlane.listeners().add(OperationsFixture.anyPort(), false);
    }

    @AfterEach
    void stop() throws IOException
    {
        host.close();
        dataPlane.close();
        assertEquals(List.of(), names());
        final String left = SpdkTesting.rpc("nvmf_get_subsystems", "");
        assertFalse(left.contains(nqn), left);
    }

    private static SubsystemSettings subsystem(
        final String nqn, final boolean allowAnyHost, final NamespaceSettings... namespaces)
    {
        return new SubsystemSettings(
            nqn, null, SubsystemSettings.MODEL_DEFAULT, allowAnyHost, List.of(), List.of(namespaces));
    }

    private List<String> names() throws IOException
    {
        try (Stream<Path> all = Files.list(directory))
        {
            return all.map((each) -> each.getFileName().toString()).toList();
        }
    }

    private Path socket()
    {
        return directory.resolve(nqn, "cntrl");
    }

    private void listen()
    {
        assertEquals(listener, dataPlane.listeners().add(listener, false, ListenerProvider.SPDK));
    }

    /** Copies between a file and the namespace: {@code --if=FILE --ob=n1} or {@code --ib=n1 --of=FILE}. */
    private SpdkProgram copy(final String from, final String to) throws IOException
    {
        final Path json = temporary.resolve("dd.json");
        Files.writeString(json, """
            {"subsystems": [{"subsystem": "bdev", "config": [{"method": "bdev_nvme_attach_controller", "params":
            {"name": "vm", "trtype": "VFIOUSER", "traddr": "%s", "subnqn": "%s"}}]}]}
            """.formatted(socket().getParent(), nqn));
        return new SpdkProgram(
            temporary, "spdk_dd", "-c", json.toString(), from, to, "--bs=" + BLOCK, "--count=" + BLOCKS);
    }

    private void runCopy(final String from, final String to) throws IOException, InterruptedException
    {
        try (SpdkProgram program = copy(from, to))
        {
            assertEquals(0, program.await(), program.output());
        }
    }

    private static void assertRefused(final Reason reason, final String part, final Runnable operation)
    {
        final OperationException e = assertThrows(OperationException.class, operation::run);
        assertEquals(reason, e.reason(), e.getMessage());
        assertTrue(e.getMessage().contains(part), e.getMessage());
    }

    @Test
    void shouldGiveVirtualMachinesTheDataOfTheOtherHosts() throws IOException, InterruptedException
    {
        listen();
        assertEquals(List.of(nqn), names());
        final byte[] content = new byte[BLOCKS * BLOCK];
        TestSeeds.random().nextBytes(content);
        final Path file = Files.write(temporary.resolve("written"), content);
        runCopy("--if=" + file, "--ob=vmn1");
        try (RemoteController controller =
            host.connect(ConnectionConfig.to(own.socketAddress(), nqn).keepAliveMs(2_000).build()))
        {
            final RemoteQueuePair queue = host.queue(controller);
            final MemorySegment data = host.memory(BLOCK);
            for (int i = 0; i < BLOCKS; i++)
            {
                final long lba = i;
                assertEquals(0, host.run(queue, (r) -> r.read(1, lba, 1, data.address(), BLOCK)));
                for (int b = 0; b < BLOCK; b++)
                {
                    assertEquals(content[i * BLOCK + b], data.get(ValueLayout.JAVA_BYTE, b));
                }
                data.fill((byte)i);
                assertEquals(0, host.run(queue, (r) -> r.write(1, lba, 1, data.address(), BLOCK)));
                MemorySegment.ofArray(content).asSlice((long)i * BLOCK, BLOCK).fill((byte)i);
            }
        }
        final Path read = temporary.resolve("read");
        runCopy("--ib=vmn1", "--of=" + read);
        assertArrayEquals(content, Files.readAllBytes(read));
    }

    @Test
    void shouldFollowSubsystemsAndListeners() throws IOException
    {
        listen();
        final String other = nqn + "-other";
        dataPlane.subsystems().create(subsystem(other, true));
        assertEquals(List.of(nqn, other), names().stream().sorted().toList());
        Waits.get(dataPlane.subsystems().delete(other));
        assertEquals(List.of(nqn), names());
        final TransportAddress tcp = TransportAddress.tcp("127.0.0.1", SpdkFrontEnd.freePort());
        dataPlane.listeners().add(tcp, false, ListenerProvider.SPDK);
        dataPlane.listeners().remove(listener);
        assertEquals(List.of(), names());
        listen();
        assertEquals(List.of(nqn), names());
        assertTrue(Files.exists(socket()));
        dataPlane.listeners().remove(tcp);
        dataPlane.listeners().remove(listener);
        assertEquals(List.of(), names());
    }

    @Test
    void shouldHaveNoDiscovery()
    {
        listen();
        assertEquals(List.of(own.serviceId(), own.serviceId()), Waits.get(
            Discovery.discover(host.group, HostFixture.HOST, own.socketAddress(), 5_000)).stream()
            .map(DiscoveryEntry::service).toList());
    }

    @Test
    void shouldDisconnectVirtualMachines() throws IOException, InterruptedException
    {
        listen();
        try (SpdkProgram program = perf(socket().getParent(), "randwrite", 50))
        {
            final long before = written();
            Waits.until("it writes", () -> written() > before + 100);
            // It has no NQN that could be allowed.
            assertEquals("", Waits.get(dataPlane.hosts().allowAny(nqn, false)));
            assertEquals(List.of(), names());
            final long stopped = written();
            // Each answer takes the target some cycles, in which it would serve the queue.
            for (int i = 0; i < ANSWERS; i++)
            {
                assertEquals(stopped, written(), program.output());
            }
        }
        dataPlane.hosts().allow(nqn, HostFixture.HOST.hostNqn());
        dataPlane.anaStates().set(nqn, listener, 0, AnaState.NON_OPTIMIZED);
        assertEquals("", Waits.get(dataPlane.hosts().allowAny(nqn, true)));
        runCopy("--ib=vmn1", "--of=" + temporary.resolve("read"));
    }

    private long written()
    {
        final String all = SpdkTesting.rpc("bdev_get_iostat", "");
        final Matcher matcher = WRITES.matcher(all);
        assertTrue(matcher.find(all.indexOf('"' + vol0 + '"')), all);
        return Long.parseLong(matcher.group(1));
    }

    private SpdkProgram perf(final Path at, final String pattern, final int seconds) throws IOException
    {
        return new SpdkProgram(temporary, "spdk_nvme_perf", "-r", "trtype:VFIOUSER traddr:" + at + " subnqn:" + nqn,
            "-q", "4", "-o", "4096", "-w", pattern, "-t", Integer.toString(seconds));
    }

    @Test
    void shouldFollowAnaStates() throws IOException, InterruptedException
    {
        listen();
        assertEquals("", Waits.get(dataPlane.anaStates().set(nqn, listener, 0, AnaState.INACCESSIBLE)));
        try (SpdkProgram program = perf(socket().getParent(), "read", 1))
        {
            program.await();
            assertTrue(program.output().contains("sct=3, sc=2"), program.output());
        }
        assertEquals("", Waits.get(dataPlane.anaStates().set(nqn, null, 0, AnaState.OPTIMIZED)));
        try (SpdkProgram program = perf(socket().getParent(), "read", 1))
        {
            assertEquals(0, program.await(), program.output());
        }
    }

    @Test
    void shouldTakeTheSocketOfAnEndedProcessAlone() throws IOException
    {
        Files.createDirectory(socket().getParent());
        try (ServerSocketChannel another = ServerSocketChannel.open(StandardProtocolFamily.UNIX))
        {
            another.bind(UnixDomainSocketAddress.of(socket()));
            assertRefused(Reason.IN_USE, "another process listens at " + socket(), this::listen);
            assertTrue(Files.exists(socket()));
        }
        listen();
        assertEquals(List.of(nqn), names());
    }

    private void assertRefused(final Reason reason, final String part, final Path at)
    {
        assertRefused(reason, part, () -> dataPlane.listeners().add(
            TransportAddress.vfioUser(at.toString()), false, ListenerProvider.SPDK));
    }

    @Test
    void shouldRefuseWhereThereCanBeNoSocket() throws IOException
    {
        final Path missing = temporary.resolve("missing");
        assertRefused(Reason.INVALID, "does not exist; make it for the user of the data plane", missing);
        assertFalse(Files.exists(missing));
        assertRefused(
            Reason.INVALID, "is no directory; name one in which sockets", Files.createFile(temporary.resolve("file")));
        assertRefused(Reason.INVALID, "is no absolute path", Path.of("relative"));
        assertRefused(Reason.FAILED, "cannot be made", Path.of("/proc/self/task"));
        final Path longer = Files.createDirectory(temporary.resolve("x".repeat(100)));
        assertRefused(Reason.INVALID, "the kernel takes 107; choose a shorter directory", longer);
        assertRefused(
            Reason.UNSUPPORTED, "give it the provider spdk", () -> dataPlane.listeners().add(listener, false));
        assertRefused(Reason.UNSUPPORTED, "discovery alone",
            () -> dataPlane.listeners().add(listener, true, ListenerProvider.SPDK));
        listen();
        assertRefused(Reason.EXISTS, "take another directory", this::listen);
        assertRefused(Reason.UNSUPPORTED, "'/' in its NQN",
            () -> dataPlane.subsystems().create(subsystem(nqn + "/x", true)));
        assertRefused(Reason.INVALID, "the kernel takes 107",
            () -> dataPlane.subsystems().create(subsystem(nqn + "x".repeat(100), true)));
        assertEquals(List.of(nqn), names());
        assertEquals(1, dataPlane.listeners().list().stream()
            .filter((each) -> ListenerProvider.SPDK == each.provider()).count());
    }
}
