package io.millrace.lab.attack;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.millrace.lab.TargetProcess;
import io.millrace.nvme.NvmeStatus;
import io.millrace.status.DataPlaneCounters;
import io.millrace.status.ReactorCounters;
import io.millrace.status.StatusReader;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Collections;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInfo;

/**
 * Hosts that try to end a data plane, which was started as a user starts it, or to take it from others: it lives, and a
 * bystander's verified I/O goes on.
 */
final class HostAttackTest
{
    private static final String NQN = TargetProcess.NQN;
    private static final String DISCOVERY_NQN = "nqn.2014-08.org.nvmexpress.discovery";
    private static final boolean IS_LONG = "long".equals(System.getProperty("millrace.attack"));
    private static final int BLOCK_BYTES = 4096;
    private static final int READ_BYTES = 128 << 10;
    private static final long BYSTANDER_LBA = 8192;
    private static final long PROGRESS_MS = 5_000;

    private static final int QUEUES_PER_CONTROLLER = 120;
    /** Of the JVM with {@code -XX:+ExitOnOutOfMemoryError}. */
    private static final int EXIT_OUT_OF_MEMORY = 3;
    private static final long COUNTED_S = 30;

    private String name;
    private Path status;
    private TargetProcess target;
    private Bystander bystander;

    @BeforeEach
    void start(final TestInfo test) throws IOException
    {
        name = test.getDisplayName();
        status = Files.createTempDirectory(Path.of("/dev/shm"), "attack").resolve("status");
        target = TargetProcess.start("host-attack", List.of(), "status: {file: " + status + "}\n",
            List.of("{name: mem, type: memory, size: 64MiB}"), "mem");
        bystander = new Bystander(target.port(), NQN, BYSTANDER_LBA);
    }

    @AfterEach
    void stop() throws IOException
    {
        if (null != bystander)
        {
            bystander.close();
        }
        if (null != target)
        {
            report();
            target.close();
        }
        try (Stream<Path> files = Files.list(status.getParent()))
        {
            for (final Path file : files.toList())
            {
                Files.delete(file);
            }
        }
        Files.delete(status.getParent());
    }

    /** For docs: what the process has grown to, and how long the bystander had to wait. */
    private void report() throws IOException
    {
        final String memory = target.isAlive() ?
            Files.readAllLines(Path.of("/proc/" + target.process().pid() + "/status")).stream()
                .filter((line) -> line.startsWith("VmHWM") || line.startsWith("VmRSS"))
                .map((line) -> line.replaceAll("\\s+", " ")).collect(Collectors.joining(", ")) : "dead";
        System.out.println(name + ": " + memory + "; bystander verified " + bystander.verified() + " pairs, longest " +
            bystander.longestMs() + " ms");
    }

    /** Queues that are reset together while their answers fill the sockets. */
    @Test
    void resetsUnderLoad() throws Exception
    {
        final int rounds = IS_LONG ? 1_000 : 10;
        final int queues = 8;
        final int depth = 128;
        for (int round = 0; round < rounds; round++)
        {
            try (AttackHost admin = AttackHost.admin(target.port(), "127.0.0.2", NQN))
            {
                final List<AttackHost> hosts = new ArrayList<>();
                final List<Thread> readers = new ArrayList<>();
                for (int queue = 1; queue <= queues; queue++)
                {
                    final AttackHost host = admin.io(NQN, queue, depth, 0);
                    hosts.add(host);
                    readers.add(Thread.ofVirtual().start(host::readAndDrop));
                }
                for (final AttackHost host : hosts)
                {
                    for (int id = 0; id < depth - 1; id++)
                    {
                        host.send(AttackHost.capsule(
                            AttackHost.read(id, id * 8L, READ_BYTES / BLOCK_BYTES, READ_BYTES), AttackHost.NOTHING));
                    }
                }
                // Resets meet their reads at other points of their way each time.
                Thread.sleep(round % 4);
                for (final AttackHost host : hosts)
                {
                    host.reset();
                }
                for (final Thread reader : readers)
                {
                    reader.join();
                }
                expectAlive();
            }
        }
    }

    /** Connections that send one Connect command after the other and read no answer. */
    @Test
    void connectCommandsBeforeAdmission() throws Exception
    {
        final int count = IS_LONG ? 6_000 : 1_200;
        final List<AttackHost> hosts = new ArrayList<>();
        try
        {
            for (int i = 0; i < count; i++)
            {
                final AttackHost host = AttackHost.open(target.port(), "127.0.0.2", 0);
                hosts.add(host);
                sendQuietly(host, AttackHost.initializeRequest());
                for (int id = 0; id < 32; id++)
                {
                    sendQuietly(host, AttackHost.capsule(AttackHost.connect(id, 0, 32),
                        host.connectData("nqn.2026-11.io.millrace:none", AttackHost.CONTROLLER_ID_DYNAMIC)));
                }
                expectAliveNowAndThen(i);
            }
            expectAlive();
        }
        finally
        {
            hosts.forEach(AttackHost::close);
        }
    }

    /** Connections that say nothing at all. */
    @Test
    void silentConnections() throws Exception
    {
        final int count = IS_LONG ? 8_000 : 1_500;
        final List<AttackHost> hosts = new ArrayList<>();
        try
        {
            for (int i = 0; i < count; i++)
            {
                hosts.add(AttackHost.open(target.port(), "127.0.0.2", 0));
                expectAliveNowAndThen(i);
            }
            expectAlive();
            await("refusals are counted", () -> counted(DataPlaneCounters.Value.REFUSED_PENDING) > 0);
            // A host at another address gets in all the same.
            AttackHost.admin(target.port(), "127.0.0.3", NQN).close();
        }
        finally
        {
            hosts.forEach(AttackHost::close);
        }
    }

    /** Controllers without end: those beyond the limit are told that the target is busy. */
    @Test
    void plainConnects() throws Exception
    {
        final int count = IS_LONG ? 7_700 : 1_500;
        final List<AttackHost> hosts = new ArrayList<>();
        int admitted = 0;
        int busy = 0;
        try
        {
            for (int i = 0; i < count; i++)
            {
                final AttackHost host = AttackHost.open(target.port(), "127.0.0.2", 0);
                hosts.add(host);
                final int result = connectQuietly(host, NQN);
                admitted += result >= 0 ? 1 : 0;
                busy += -NvmeStatus.CONNECT_CONTROLLER_BUSY == result ? 1 : 0;
                expectAliveNowAndThen(i);
            }
            expectAlive();
            assertTrue(admitted > 100, admitted + " were admitted");
            assertTrue(busy > 100, busy + " were refused as busy");
            final int refused = busy;
            await("all that were refused as busy are counted",
                () -> counted(DataPlaneCounters.Value.REFUSED_CONNECTS) >= refused);
            assertEquals(refused, counted(DataPlaneCounters.Value.REFUSED_CONNECTS));
            AttackHost.admin(target.port(), "127.0.0.3", NQN).close();
        }
        finally
        {
            hosts.forEach(AttackHost::close);
        }
    }

    /** Discovery controllers from two addresses, which no list of hosts refuses: other hosts get queues. */
    @Test
    void discoveryControllers() throws Exception
    {
        final int count = IS_LONG ? 4_000 : 1_000;
        final List<AttackHost> hosts = new ArrayList<>();
        try
        {
            int admitted = 0;
            for (int i = 0; i < 2 * count; i++)
            {
                final AttackHost host = AttackHost.open(target.port(), 0 == i % 2 ? "127.0.0.2" : "127.0.0.3", 0);
                hosts.add(host);
                admitted += connectQuietly(host, DISCOVERY_NQN) > 0 ? 1 : 0;
                expectAliveNowAndThen(i);
            }
            System.out.println(name + ": " + admitted + " discovery controllers of " + 2 * count);
            try (AttackHost admin = AttackHost.admin(target.port(), "127.0.0.4", NQN);
                AttackHost io = admin.io(NQN, 1, 32, 0))
            {
                assertTrue(io.socket().isConnected());
            }
            // Somebody at another address can discover, too.
            try (AttackHost host = AttackHost.open(target.port(), "127.0.0.4", 0))
            {
                assertTrue(connectQuietly(host, DISCOVERY_NQN) > 0, "discovery");
            }
            expectAlive();
        }
        finally
        {
            hosts.forEach(AttackHost::close);
        }
    }

    /** Fifty addresses that connect as fast as they can, and keep what they get: a new host gets in, and soon. */
    @Test
    void manyAddresses() throws Exception
    {
        final int addresses = 50;
        final int queues = IS_LONG ? 1_000 : 200;
        final List<AttackHost> hosts = Collections.synchronizedList(new ArrayList<>());
        final Map<Integer, Integer> results = new ConcurrentHashMap<>();
        final List<Thread> threads = new ArrayList<>();
        try
        {
            for (int i = 1; i <= addresses; i++)
            {
                final String address = "127.0.1." + i;
                threads.add(Thread.ofPlatform().start(() ->
                {
                    for (int queue = 0; queue < queues; queue++)
                    {
                        results.merge(connectQuietly(address, hosts), 1, Integer::sum);
                    }
                }));
            }
            long longestNs = 0;
            int tries = 0;
            final Map<Integer, Integer> mine = new HashMap<>();
            while (threads.stream().anyMatch(Thread::isAlive) || tries < 20)
            {
                final long startNs = System.nanoTime();
                final List<AttackHost> opened = new ArrayList<>();
                mine.merge(Math.min(1, connectQuietly("127.0.2.1", opened)), 1, Integer::sum);
                longestNs = Math.max(longestNs, System.nanoTime() - startNs);
                opened.forEach(AttackHost::close);
                tries++;
                expectAlive();
            }
            System.out.println(name + ": " + results.entrySet().stream().filter((each) -> each.getKey() <= 0).toList() +
                " of the attackers, " + mine + " of a new host in " + tries + " tries, longest " +
                TimeUnit.NANOSECONDS.toMillis(longestNs) + " ms");
            assertEquals(Map.of(1, tries), mine);
            assertTrue(longestNs < TimeUnit.MILLISECONDS.toNanos(PROGRESS_MS), longestNs + " ns");
        }
        finally
        {
            for (final Thread thread : threads)
            {
                thread.join();
            }
            hosts.forEach(AttackHost::close);
        }
    }

    /** As {@link #connectQuietly(AttackHost, String)}; what was opened is added to a list. */
    private int connectQuietly(final String address, final List<AttackHost> opened)
    {
        try
        {
            final AttackHost host = AttackHost.open(target.port(), address, 0);
            opened.add(host);
            return connectQuietly(host, NQN);
        }
        catch (final IOException _)
        {
            return 0;
        }
    }

    /** Writes whose data never comes, on as many queues as an address may have. */
    @Test
    void writesWithoutData() throws Exception
    {
        final int queues = IS_LONG ? 363 : 90;
        final int depth = 1024;
        final List<AttackHost> hosts = new ArrayList<>();
        try
        {
            for (int i = 0; i < queues; i++)
            {
                if (0 == i % QUEUES_PER_CONTROLLER)
                {
                    hosts.add(AttackHost.admin(target.port(), "127.0.0.2", NQN));
                }
                final AttackHost admin = hosts.get(i / QUEUES_PER_CONTROLLER * (QUEUES_PER_CONTROLLER + 1));
                final AttackHost host = admin.io(NQN, 1 + i % QUEUES_PER_CONTROLLER, depth, 0);
                hosts.add(host);
                final ByteArrayOutputStream writes = new ByteArrayOutputStream();
                for (int id = 0; id < depth - 1; id++)
                {
                    writes.writeBytes(AttackHost.capsule(
                        AttackHost.write(id, id, 1, BLOCK_BYTES), AttackHost.NOTHING));
                }
                host.send(writes.toByteArray());
                expectAliveNowAndThen(10 * i);
            }
            await("capsules wait", () -> counted(ReactorCounters.Value.REQUEST_WAITS) > 0);
            expectAlive();
        }
        finally
        {
            hosts.forEach(AttackHost::close);
        }
    }

    /** One queue that sends reads for as long as the target takes them, and takes no answer. */
    @Test
    void readsWhoseAnswersAreNotTaken() throws Exception
    {
        final int seconds = IS_LONG ? 60 : 4;
        final int depth = 1024;
        try (AttackHost admin = AttackHost.admin(target.port(), "127.0.0.2", NQN);
            AttackHost host = admin.io(NQN, 1, depth, 4096))
        {
            final Thread sender = Thread.ofVirtual().start(() ->
            {
                int id = 0;
                while (sendQuietly(host, AttackHost.capsule(
                    AttackHost.read(id % depth, 0, 1, BLOCK_BYTES), AttackHost.NOTHING)))
                {
                    id++;
                }
            });
            for (int i = 0; i < 10 * seconds; i++)
            {
                // The attack runs on a thread of its own, for this long.
                TimeUnit.MILLISECONDS.sleep(100);
                expectAlive();
            }
            final long inUse = counted(ReactorCounters.Value.REQUESTS);
            assertTrue(inUse <= depth + 8, inUse + " commands under way where the queue has " + depth + " entries");
            host.reset();
            sender.join();
        }
    }

    /** Limits that somebody raised without raising the heap: the process ends at once and does not go on half dead. */
    @Test
    void endsAtOnceWithoutMemory() throws Exception
    {
        final List<AttackHost> hosts = new ArrayList<>();
        final TargetProcess small = TargetProcess.start("host-attack-small", List.of("-Xmx20m"),
            "status: {file: none}\nwarm-up: false\nlimits: {connections: 65535, connections-per-address: 65535}\n",
            List.of("{name: mem, type: memory, size: 64MiB}"), "mem");
        try
        {
            while (small.isAlive() && hosts.size() < 6_000)
            {
                try
                {
                    final AttackHost host = AttackHost.open(small.port(), "127.0.0.2", 0);
                    hosts.add(host);
                    connectQuietly(host, NQN);
                }
                catch (final IOException _)
                {
                    // Nobody listens any more.
                    small.process().waitFor(5, TimeUnit.SECONDS);
                }
            }
            assertTrue(small.process().waitFor(10, TimeUnit.SECONDS),
                "lives on, with " + hosts.size() + " connections");
            assertEquals(EXIT_OUT_OF_MEMORY, small.process().exitValue(), Files.readString(small.log()));
        }
        finally
        {
            hosts.forEach(AttackHost::close);
            small.close();
        }
    }

    private static boolean sendQuietly(final AttackHost host, final byte[] bytes)
    {
        try
        {
            host.send(bytes);
            return true;
        }
        catch (final IOException _)
        {
            // The target has closed the connection.
            return false;
        }
    }

    /** Controller id, negated status of a refusal, or 0 when the connection was closed. */
    private static int connectQuietly(final AttackHost host, final String nqn)
    {
        try
        {
            return host.initialize().connectAdmin(nqn);
        }
        catch (final IOException _)
        {
            return 0;
        }
    }

    private long counted(final DataPlaneCounters.Value value) throws IOException
    {
        return StatusReader.open(status).read().dataPlane(value);
    }

    private long counted(final ReactorCounters.Value value) throws IOException
    {
        return StatusReader.open(status).read().reactors().stream().mapToLong((each) -> each.value(value)).sum();
    }

    private interface Condition
    {
        boolean holds() throws IOException;
    }

    /** What is counted is written to the status file a few times a second. */
    private static void await(final String what, final Condition condition) throws IOException, InterruptedException
    {
        final long deadlineNs = System.nanoTime() + TimeUnit.SECONDS.toNanos(COUNTED_S);
        while (!condition.holds())
        {
            assertTrue(System.nanoTime() - deadlineNs < 0, what);
            TimeUnit.MILLISECONDS.sleep(10);
        }
    }

    private void expectAliveNowAndThen(final int step) throws IOException, InterruptedException
    {
        if (0 == step % 200)
        {
            expectAlive();
        }
    }

    private void expectAlive() throws IOException, InterruptedException
    {
        assertTrue(target.isAlive(), "the target has ended:\n" + Files.readString(target.log()));
        bystander.expectProgress(PROGRESS_MS);
    }
}
