package io.millrace.nvmf;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.sun.management.ThreadMXBean;
import io.millrace.block.memory.MemoryDevice;
import io.millrace.nvme.AdminOpcode;
import io.millrace.nvme.ConnectData;
import io.millrace.nvme.DiscoveryLogEntry;
import io.millrace.nvme.DiscoveryLogHeader;
import io.millrace.nvme.LogPageId;
import io.millrace.nvme.NvmeStatus;
import io.millrace.nvmf.config.Nqn;
import io.millrace.nvmf.config.SubsystemConfig;
import io.millrace.nvmf.transport.TransportAddress;
import java.lang.management.ManagementFactory;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Set;
import org.agrona.concurrent.UnsafeBuffer;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

class DiscoveryTest
{
    private static final String NQN_PREFIX = "nqn.2026-11.io.millrace:many";
    private static final String PRIVATE = "nqn.2026-11.io.millrace:private";

    private final TestTarget target = new TestTarget(1, MemoryDevice.create("mem0", 1 << 20, 512),
        SubsystemConfig.open(TestTarget.NQN));

    @AfterEach
    void close()
    {
        target.close();
    }

    private static List<String> records(final TestHost host)
    {
        final DiscoveryLogHeader header = new DiscoveryLogHeader();
        final Completion first = LogPagesTest.log(host, LogPageId.DISCOVERY, 0, 1024, true);
        header.wrap(first.buffer(), 0);
        final int records = (int)header.records();
        final Completion all = LogPagesTest.log(host, LogPageId.DISCOVERY, 0, 1024 + records * 1024, false);
        assertEquals(NvmeStatus.SUCCESS, all.status());
        final List<String> lines = new ArrayList<>();
        final DiscoveryLogEntry entry = new DiscoveryLogEntry();
        for (int i = 0; i < records; i++)
        {
            entry.wrap(all.buffer(), 1024 + i * 1024);
            assertEquals(DiscoveryLogEntry.CONTROLLER_ID_DYNAMIC, entry.controllerId());
            assertEquals(1024, entry.adminQueueSizeMax());
            assertEquals(4, entry.transportRequirements());
            assertEquals(0, entry.securityType());
            lines.add(entry.subsystemType() + " " + entry.subsystemNqn() + " " + entry.transportType() + "/" +
                entry.addressFamily() + " " + entry.address() + " " + entry.serviceId() + " port " + entry.portId() +
                " flags " + entry.flags());
        }
        return lines;
    }

    @Test
    void shouldTellWhereSubsystemsAre()
    {
        target.target().addListener(TransportAddress.tcp("::1", 4421));
        target.target().addDiscoveryListener(TransportAddress.tcp("127.0.0.1", 8009));
        assertEquals(List.of(
            "3 " + Nqn.DISCOVERY + " 3/1 127.0.0.1 4420 port 1 flags 3",
            "3 " + Nqn.DISCOVERY + " 3/2 ::1 4421 port 2 flags 3",
            "3 " + Nqn.DISCOVERY + " 3/1 127.0.0.1 8009 port 3 flags 3",
            "2 " + TestTarget.NQN + " 3/1 127.0.0.1 4420 port 1 flags 0",
            "2 " + TestTarget.NQN + " 3/2 ::1 4421 port 2 flags 0"),
            records(target.admin(Nqn.DISCOVERY)));
    }

    @Test
    void shouldTellTheAddressThatTheHostCameInOnForWildcards()
    {
        target.target().removeListener(TestTarget.LOCAL);
        target.target().addListener(TransportAddress.tcp("0.0.0.0", 4420));
        final TestHost host = target.reactor(0).connect(TransportAddress.tcp("192.0.2.7", 4420));
        host.connect(Nqn.DISCOVERY, 0, ConnectData.CONTROLLER_ID_DYNAMIC);
        host.enable();
        assertEquals(List.of(
            "3 " + Nqn.DISCOVERY + " 3/1 192.0.2.7 4420 port 1 flags 3",
            "2 " + TestTarget.NQN + " 3/1 192.0.2.7 4420 port 1 flags 0"), records(host));
    }

    @Test
    void shouldNotTellOfSubsystemsThatTheHostMayNotUse()
    {
        final Subsystem hidden = new Subsystem(new SubsystemConfig(PRIVATE, false,
            Set.of("nqn.2026-11.io.example:friend"), "S2", "M"));
        target.target().addSubsystem(hidden);
        assertEquals(2, records(target.admin(Nqn.DISCOVERY)).size());
        final TestHost friend = target.connection();
        friend.connect(Nqn.DISCOVERY, 0, ConnectData.CONTROLLER_ID_DYNAMIC,
            (command, data) -> data.hostNqn("nqn.2026-11.io.example:friend"));
        friend.enable();
        assertTrue(records(friend).stream().anyMatch((line) -> line.contains(PRIVATE)));
    }

    @Test
    void shouldCountGenerations()
    {
        final TestHost host = target.admin(Nqn.DISCOVERY);
        final long before = generation(host);
        assertEquals(target.target().discoveryGeneration(), before);
        target.target().addListener(TransportAddress.tcp("127.0.0.1", 4421));
        assertEquals(before + 1, generation(host));
        target.target().removeSubsystem(TestTarget.NQN).join();
        assertEquals(before + 2, generation(host));
        assertEquals(2, records(host).size());
    }

    private static long generation(final TestHost host)
    {
        final DiscoveryLogHeader header = new DiscoveryLogHeader();
        header.wrap(LogPagesTest.log(host, LogPageId.DISCOVERY, 0, 1024, false).buffer(), 0);
        return header.generation();
    }

    @Test
    void shouldBeReadInParts()
    {
        final TestHost host = target.admin(Nqn.DISCOVERY);
        final byte[] whole = LogPagesTest.log(host, LogPageId.DISCOVERY, 0, 3072, false).data();
        for (int offset = 0; offset < 3072; offset += 768)
        {
            assertArrayEquals(Arrays.copyOfRange(whole, offset, offset + 768),
                LogPagesTest.log(host, LogPageId.DISCOVERY, offset, 768, true).data());
        }
    }

    /** 40 MiB for each host that reads, were it made as a whole. */
    @Test
    void shouldTakeNoMoreMemoryThanIsRead()
    {
        final int subsystems = 10_000;
        final int pieceBytes = 4096 - 4;
        for (int i = 1; i < subsystems; i++)
        {
            target.target().addSubsystem(new Subsystem(SubsystemConfig.open(NQN_PREFIX + i)));
        }
        for (int port = 4421; port < 4424; port++)
        {
            target.target().addListener(TransportAddress.tcp("127.0.0.1", port));
        }
        final List<TestHost> hosts = new ArrayList<>();
        for (int i = 0; i < 12; i++)
        {
            final String hostNqn = "nqn.2026-11.io.example:host" + i;
            final TestHost host = target.connection();
            host.connect(Nqn.DISCOVERY, 0, ConnectData.CONTROLLER_ID_DYNAMIC,
                (command, data) -> data.hostNqn(hostNqn));
            host.enable();
            hosts.add(host);
        }
        final ThreadMXBean threads = (ThreadMXBean)ManagementFactory.getThreadMXBean();
        final long thread = target.reactor(0).call(() -> Thread.currentThread().threadId());
        final int length = 1024 + 4 * 1024 + 4 * subsystems * 1024;
        final UnsafeBuffer whole = new UnsafeBuffer(new byte[length]);
        final long before = threads.getThreadAllocatedBytes(thread);
        int reads = 0;
        for (int offset = 0; offset < length; offset += pieceBytes)
        {
            final int there = Math.min(pieceBytes, length - offset);
            whole.putBytes(offset, LogPagesTest.log(hosts.getFirst(), LogPageId.DISCOVERY, offset, there, true).data());
            reads++;
            if (0 == offset % (1000 * pieceBytes))
            {
                for (final TestHost each : hosts)
                {
                    assertEquals(1024, LogPagesTest.log(each, LogPageId.DISCOVERY, 2048, 1024, true).data().length);
                    reads++;
                }
            }
        }
        final long bytes = threads.getThreadAllocatedBytes(thread) - before;
        System.out.printf("a discovery log of %d bytes, read in %d pieces: %d bytes allocated%n", length, reads, bytes);
        // Test hosts copy what they are sent.
        assertTrue(bytes < 3L * length + 2 * 11 * hosts.size() * 100L * 1024, () -> bytes + " bytes allocated");

        final DiscoveryLogHeader header = new DiscoveryLogHeader();
        header.wrap(whole, 0);
        assertEquals(target.target().discoveryGeneration(), header.generation());
        assertEquals(4 + 4L * subsystems, header.records());
        final DiscoveryLogEntry entry = new DiscoveryLogEntry();
        for (int i = 0; i < header.records(); i++)
        {
            entry.wrap(whole, 1024 + i * 1024);
            final int subsystem = i / 4 - 1;
            assertEquals(subsystem < 0 ? Nqn.DISCOVERY : 0 == subsystem ? TestTarget.NQN : NQN_PREFIX + subsystem,
                entry.subsystemNqn());
            assertEquals(String.valueOf(4420 + i % 4), entry.serviceId());
            assertEquals("127.0.0.1", entry.address());
        }
    }

    @Test
    void shouldBeOnDiscoveryControllersOnly()
    {
        assertEquals(NvmeStatus.INVALID_LOG_PAGE,
            LogPagesTest.log(target.admin(), LogPageId.DISCOVERY, 0, 1024, false).code());
        final TestHost discovery = target.admin(Nqn.DISCOVERY);
        for (final int id : new int[]{LogPageId.ERROR_INFORMATION, LogPageId.SMART, LogPageId.FIRMWARE_SLOT,
            LogPageId.CHANGED_NAMESPACES, LogPageId.COMMAND_EFFECTS})
        {
            assertEquals(NvmeStatus.INVALID_LOG_PAGE, LogPagesTest.log(discovery, id, 0, 64, false).code());
        }
        assertEquals(NvmeStatus.INVALID_OPCODE,
            discovery.execute((entry) -> entry.opcode(AdminOpcode.ABORT)).code());
        assertEquals(NvmeStatus.SUCCESS,
            discovery.execute((entry) -> entry.opcode(AdminOpcode.KEEP_ALIVE)).status());
    }
}
