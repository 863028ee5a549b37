package io.millrace.lab;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNotEquals;

import io.millrace.dataplane.DataPlane;
import io.millrace.dataplane.HostTransports;
import io.millrace.nvme.NvmeStatus;
import io.millrace.nvme.identify.NamespaceInfo;
import io.millrace.nvmf.initiator.ConnectionConfig;
import io.millrace.nvmf.initiator.ControllerListener;
import io.millrace.nvmf.initiator.HostConfig;
import io.millrace.nvmf.initiator.HostPollGroup;
import io.millrace.nvmf.initiator.HostRequest;
import io.millrace.nvmf.initiator.RemoteController;
import io.millrace.nvmf.initiator.RemoteQueuePair;
import io.millrace.reactor.Reactor;
import io.millrace.reactor.ReactorConfig;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.net.InetSocketAddress;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;

/**
 * Commands other than reads and writes, and commands that fail, on the kernel's target: by our initiator alone, whose
 * statuses must be those that the kernel's trace has, and by a host of a data plane that serves the target's
 * namespaces. These are: 1 a drive, 2 a device with blocks that fail, 3 a RAM disk; blocks of 512 bytes.
 */
@LabTest
final class KernelTargetCommandsTest
{
    private static final String NQN = "nqn.2026-11.io.millrace:kernel-target";
    private static final int LIMIT_S = 480;
    private static final int BLOCK = 512;
    private static final int BLOCKS = 8;
    private static final int DRIVE = 1;
    private static final int FAILING = 2;
    private static final int RAM = 3;
    private static final long FIRST_BAD = 2048;
    private static final long FIRST_GOOD = 4096;
    private static final int RANGES_MAX = 256;
    private static final int RANGE_BYTES = 16;
    private static final long UNDETECTED_MS = 500;

    /** Statuses of what {@link #kernel} sent, in order. */
    private static final List<String> STATUSES = new ArrayList<>();
    private static final Arena ARENA = Arena.ofShared();
    private static final MemorySegment DATA = ARENA.allocate(BLOCKS * BLOCK, BLOCK);
    private static final MemorySegment RANGES = ARENA.allocate(RANGES_MAX * RANGE_BYTES, RANGE_BYTES);
    private static Path share;
    private static LabMachine machine;
    private static Reactor reactor;
    private static HostPollGroup group;
    private static DataPlane outer;
    private static List<NamespaceInfo> namespaces;
    private static RemoteController direct;
    private static RemoteController served;
    /** To the kernel's target. */
    private static RemoteQueuePair kernel;
    /** To the data plane that serves its namespaces. */
    private static RemoteQueuePair host;
    private static int requests;

    @BeforeAll
    static void connect() throws Exception
    {
        share = Lab.directory("kernel-target-commands-share");
        Files.deleteIfExists(share.resolve("request"));
        final int port = Ports.free();
        machine = Lab.named("kernel-target-commands").drives(2).share(share).forward(port, 4420)
            .start(LIMIT_S, "kernel-target-commands.sh", NQN);
        reactor = new Reactor(ReactorConfig.of("kernel-commands", -1));
        group = HostTransports.pollGroup(reactor);
        reactor.start();
        machine.awaitLine("serving");
        // The first association: the trace calls its controller nvmet1.
        direct = await(RemoteController.connect(group, HostConfig.random(),
            ConnectionConfig.to(new InetSocketAddress("127.0.0.1", port), NQN).build(), ControllerListener.NONE));
        kernel = await(direct.openQueuePair(group));
        namespaces = await(direct.namespaces());
        outer = RemoteDeviceTest.outer(port, NQN, RAM);
        served = await(RemoteController.connect(group, HostConfig.random(),
            ConnectionConfig.to(outer.addresses().getFirst(), RemoteDeviceTest.OUTER).build(),
            ControllerListener.NONE));
        host = await(served.openQueuePair(group));
    }

    /** What the kernel says that it answered is what our initiator reported. */
    @AfterAll
    static void compareWithTheKernelsTrace() throws Exception
    {
        try (ARENA; Reactor _ = reactor; HostPollGroup _ = group; LabMachine usedMachine = machine)
        {
            if (null != host)
            {
                await(served.closeAsync());
                outer.close();
                await(direct.closeAsync());
                ask("end");
                final LabResult result = usedMachine.await().assertPassed();
                assertFalse(STATUSES.isEmpty());
                // Its first command was Connect.
                STATUSES.addFirst("0x0");
                assertEquals(STATUSES, result.lines("STATUS"), result::description);
            }
        }
    }

    private static <T> T await(final CompletableFuture<T> future) throws Exception
    {
        return future.get(LIMIT_S, TimeUnit.SECONDS);
    }

    /** Has the machine do something, and waits until it has. */
    private static void ask(final String what) throws Exception
    {
        requests++;
        final Path request = Files.writeString(share.resolve("next"), requests + " " + what + "\n");
        Files.move(request, share.resolve("request"), StandardCopyOption.ATOMIC_MOVE);
        machine.awaitLine("did " + requests);
    }

    private static CompletableFuture<Integer> begin(
        final RemoteQueuePair queue, final Consumer<HostRequest> filler)
    {
        final CompletableFuture<Integer> status = new CompletableFuture<>();
        final HostRequest request = new HostRequest(null, (completed) -> status.complete(completed.status()));
        filler.accept(request);
        reactor.execute(() -> submit(queue, request));
        return status;
    }

    private static void submit(final RemoteQueuePair queue, final HostRequest request)
    {
        if (!queue.submit(request))
        {
            reactor.execute(() -> submit(queue, request));
        }
    }

    private static int run(final RemoteQueuePair queue, final Consumer<HostRequest> filler) throws Exception
    {
        final int status = await(begin(queue, filler));
        if (queue == kernel)
        {
            STATUSES.add("0x" + Integer.toHexString(status));
        }
        return status;
    }

    private static void assertSuccess(final RemoteQueuePair queue, final Consumer<HostRequest> filler) throws Exception
    {
        assertEquals("0x0", "0x" + Integer.toHexString(run(queue, filler)));
    }

    private static void assertStatus(final int status, final RemoteQueuePair queue, final Consumer<HostRequest> filler)
        throws Exception
    {
        // The more bit points to the error log of the kernel's target.
        assertEquals("0x" + Integer.toHexString(status), "0x" + Integer.toHexString(
            run(queue, filler) & (NvmeStatus.CODE_MASK | NvmeStatus.DO_NOT_RETRY)));
    }

    private static int read(final RemoteQueuePair queue, final int nsid, final long lba) throws Exception
    {
        DATA.fill((byte)0x55);
        return run(queue, (request) -> request.read(nsid, lba, BLOCKS, DATA.address(), BLOCKS * BLOCK));
    }

    private static Consumer<HostRequest> write(final int nsid, final long lba, final int content)
    {
        DATA.fill((byte)content);
        return (request) -> request.write(nsid, lba, BLOCKS, DATA.address(), BLOCKS * BLOCK);
    }

    private static Consumer<HostRequest> compare(final int nsid, final long lba, final int content)
    {
        DATA.fill((byte)content);
        return (request) -> request.compare(nsid, lba, BLOCKS, DATA.address(), BLOCKS * BLOCK);
    }

    /** Fails unless the kernel's target has this in {@link #BLOCKS} blocks, one after another. */
    private static void assertContent(final int nsid, final long lba, final int... contents) throws Exception
    {
        assertEquals(0, read(kernel, nsid, lba));
        for (int i = 0; i < BLOCKS; i++)
        {
            final byte expected = (byte)contents[Math.min(i, contents.length - 1)];
            for (int offset = 0; offset < BLOCK; offset++)
            {
                assertEquals(expected, DATA.get(ValueLayout.JAVA_BYTE, (long)i * BLOCK + offset),
                    "block " + (lba + i) + " of namespace " + nsid);
            }
        }
    }

    /** Ranges of one block each, every other one from a block on. */
    private static Consumer<HostRequest> deallocate(final int nsid, final long lba, final int ranges)
    {
        for (int i = 0; i < ranges; i++)
        {
            RANGES.set(ValueLayout.JAVA_INT, (long)i * RANGE_BYTES, 0);
            RANGES.set(ValueLayout.JAVA_INT, (long)i * RANGE_BYTES + 4, 1);
            RANGES.set(ValueLayout.JAVA_LONG, (long)i * RANGE_BYTES + 8, lba + 2L * i);
        }
        return (request) -> request.deallocate(nsid, RANGES.address(), ranges);
    }

    private static long endOf(final int nsid)
    {
        return namespaces.stream().filter((each) -> nsid == each.nsid()).findFirst().orElseThrow().blockCount();
    }

    @Test
    void shouldCompareWithoutChangingAnything() throws Exception
    {
        assertSuccess(kernel, write(DRIVE, 64, 0x21));
        // The kernel's target has neither command; our data plane does both by reads.
        assertStatus(NvmeStatus.INVALID_OPCODE | NvmeStatus.DO_NOT_RETRY, kernel, compare(DRIVE, 64, 0x21));
        assertStatus(NvmeStatus.INVALID_OPCODE | NvmeStatus.DO_NOT_RETRY, kernel,
            (request) -> request.verify(DRIVE, 64, BLOCKS));
        assertSuccess(host, compare(DRIVE, 64, 0x21));
        assertStatus(NvmeStatus.COMPARE_FAILURE | NvmeStatus.DO_NOT_RETRY, host, compare(DRIVE, 64, 0x22));
        assertStatus(NvmeStatus.COMPARE_FAILURE | NvmeStatus.DO_NOT_RETRY, host, compare(DRIVE, 65, 0x21));
        assertSuccess(host, (request) -> request.verify(DRIVE, 64, BLOCKS));
        assertContent(DRIVE, 64, 0x21);
    }

    @Test
    void shouldWriteZeroes() throws Exception
    {
        long lba = 128;
        for (final RemoteQueuePair queue : List.of(kernel, host))
        {
            for (final boolean isDeallocating : new boolean[]{false, true})
            {
                final long first = lba;
                assertSuccess(queue, write(DRIVE, first, 0x31));
                assertSuccess(queue, (request) -> request.writeZeroes(DRIVE, first + 1, 5, isDeallocating));
                assertContent(DRIVE, first, 0x31, 0, 0, 0, 0, 0, 0x31);
                lba += BLOCKS;
            }
        }
    }

    @Test
    void shouldDeallocateOneRangeAndMany() throws Exception
    {
        long lba = 1024;
        for (final RemoteQueuePair queue : List.of(kernel, host))
        {
            for (final int ranges : new int[]{1, 3, RANGES_MAX})
            {
                final int blocks = Math.max(BLOCKS, 2 * ranges);
                for (int offset = 0; offset < blocks; offset += BLOCKS)
                {
                    assertSuccess(queue, write(DRIVE, lba + offset, 0x41));
                }
                ask("discarded");
                final long before = discarded();
                assertSuccess(queue, deallocate(DRIVE, lba, ranges));
                ask("discarded");
                // They arrive at the drive, by the block layer's count.
                assertEquals(ranges, discarded() - before, "of " + ranges + " blocks");
                for (int offset = 0; offset < blocks; offset += BLOCKS)
                {
                    final int[] contents = new int[BLOCKS];
                    for (int i = 0; i < BLOCKS; i++)
                    {
                        contents[i] = (offset + i) % 2 == 0 && (offset + i) / 2 < ranges ? 0 : 0x41;
                    }
                    assertContent(DRIVE, lba + offset, contents);
                }
                lba += blocks;
            }
        }
    }

    /** Sectors that the machine said last that it had discarded. */
    private static long discarded()
    {
        return machine.output().lines().filter((line) -> line.startsWith("DISCARDED "))
            .mapToLong((line) -> Long.parseLong(line.substring("DISCARDED ".length()))).max().orElseThrow();
    }

    @Test
    void shouldReportWhatIsBehindTheEnd() throws Exception
    {
        for (final int nsid : new int[]{DRIVE, RAM})
        {
            final long end = endOf(nsid);
            final List<Consumer<HostRequest>> commands = List.of(
                (request) -> request.read(nsid, end - 1, BLOCKS, DATA.address(), BLOCKS * BLOCK),
                (request) -> request.read(nsid, end, BLOCKS, DATA.address(), BLOCKS * BLOCK),
                (request) -> request.write(nsid, end - 1, BLOCKS, DATA.address(), BLOCKS * BLOCK),
                (request) -> request.writeZeroes(nsid, end, 1, false));
            for (final Consumer<HostRequest> command : commands)
            {
                assertNotEquals(0, run(kernel, command));
                assertStatus(NvmeStatus.LBA_OUT_OF_RANGE | NvmeStatus.DO_NOT_RETRY, host, command);
            }
            // Whatever the kernel's target makes of this one, our initiator reports it.
            run(kernel, deallocate(nsid, end, 1));
            assertSuccess(kernel, write(nsid, end - BLOCKS, 0x51));
            assertContent(nsid, end - BLOCKS, 0x51);
        }
    }

    @Test
    void shouldReportBlocksThatFailAndServeTheRest() throws Exception
    {
        for (final RemoteQueuePair queue : List.of(kernel, host))
        {
            final int failed = NvmeStatus.INTERNAL_ERROR | NvmeStatus.DO_NOT_RETRY;
            for (final long lba : new long[]{FIRST_BAD - 1, FIRST_BAD, FIRST_GOOD - 1})
            {
                assertStatus(failed, queue, (request) -> request.read(FAILING, lba, 2, DATA.address(), 2 * BLOCK));
                assertStatus(failed, queue, (request) -> request.write(FAILING, lba, 2, DATA.address(), 2 * BLOCK));
            }
            assertSuccess(queue, write(FAILING, FIRST_BAD - BLOCKS, 0x61));
            assertSuccess(queue, write(FAILING, FIRST_GOOD, 0x62));
            assertSuccess(queue, (request) -> request.flush(FAILING));
            assertContent(FAILING, FIRST_BAD - BLOCKS, 0x61);
            assertContent(FAILING, FIRST_GOOD, 0x62);
        }
        assertStatus(NvmeStatus.INTERNAL_ERROR | NvmeStatus.DO_NOT_RETRY, host,
            (request) -> request.verify(FAILING, FIRST_BAD, 1));
        assertStatus(NvmeStatus.INTERNAL_ERROR | NvmeStatus.DO_NOT_RETRY, host, compare(FAILING, FIRST_BAD, 0));
    }

    @Test
    void shouldWaitForANamespaceThatIsDisabledForAWhile() throws Exception
    {
        assertSuccess(host, write(RAM, 0, 0x71));
        ask("disable");
        assertStatus(NvmeStatus.INTERNAL_PATH_ERROR, kernel,
            (request) -> request.read(RAM, 0, BLOCKS, DATA.address(), BLOCKS * BLOCK));
        assertStatus(NvmeStatus.INTERNAL_PATH_ERROR, kernel, (request) -> request.flush(RAM));
        assertStatus(NvmeStatus.INVALID_NAMESPACE | NvmeStatus.DO_NOT_RETRY, kernel,
            (request) -> request.flush(RAM + 1));
        final CompletableFuture<Integer> waiting = begin(host, write(RAM, 0, 0x72));
        TimeUnit.MILLISECONDS.sleep(UNDETECTED_MS);
        assertFalse(waiting.isDone());
        ask("enable");
        assertEquals(0, await(waiting));
        assertContent(RAM, 0, 0x72);
    }

    @Test
    void shouldReportThatANamespaceIsWriteProtected() throws Exception
    {
        assertSuccess(kernel, write(RAM, 32, 0x11));
        ask("protect");
        assertStatus(NvmeStatus.NAMESPACE_WRITE_PROTECTED, kernel, write(RAM, 32, 0x12));
        assertStatus(NvmeStatus.NAMESPACE_WRITE_PROTECTED, kernel,
            (request) -> request.writeZeroes(RAM, 32, 1, false));
        final int refused = NvmeStatus.NAMESPACE_WRITE_PROTECTED | NvmeStatus.DO_NOT_RETRY;
        assertStatus(refused, host, write(RAM, 32, 0x12));
        assertStatus(refused, host, (request) -> request.writeZeroes(RAM, 32, 1, false));
        assertContent(RAM, 32, 0x11);
        ask("unprotect");
        assertSuccess(host, write(RAM, 32, 0x13));
        assertContent(RAM, 32, 0x13);
    }
}
