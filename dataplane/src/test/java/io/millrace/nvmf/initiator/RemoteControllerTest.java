package io.millrace.nvmf.initiator;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.millrace.block.BlockOperation;
import io.millrace.block.BlockStatus;
import io.millrace.block.fault.FaultPlan;
import io.millrace.block.fault.FaultRule;
import io.millrace.dataplane.config.DeviceConfig;
import io.millrace.nvme.AsyncEvent;
import io.millrace.nvme.FeatureId;
import io.millrace.nvme.LogPageId;
import io.millrace.nvme.NvmeStatus;
import io.millrace.nvme.identify.ControllerInfo;
import io.millrace.nvme.identify.IdentifyCns;
import io.millrace.nvme.identify.NamespaceInfo;
import io.millrace.nvmf.initiator.tcp.TcpHostTransport;
import io.millrace.nvmf.transport.TransportAddress;
import io.millrace.reactor.Punctuality;
import io.millrace.reactor.Reactor;
import io.millrace.reactor.ReactorConfig;
import io.millrace.seed.TestSeeds;
import java.io.IOException;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.util.List;
import java.util.Set;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.LinkedBlockingQueue;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/**
 * The initiator against the project's own target, in one process.
 */
class RemoteControllerTest
{
    private static final int BLOCK = LocalTarget.BLOCK_BYTES;

    private static final int KEEP_ALIVE_MS = 2_000;
    private static final int KEEP_ALIVE_ATTEMPTS_MAX = 10;

    private final HostFixture host = new HostFixture();

    @AfterEach
    void closeHost()
    {
        host.close();
    }

    private MemorySegment random(final int lengthBytes, final long seed)
    {
        final byte[] bytes = new byte[lengthBytes];
        TestSeeds.fixed(seed).nextBytes(bytes);
        final MemorySegment segment = host.memory(lengthBytes);
        segment.copyFrom(MemorySegment.ofArray(bytes));
        return segment;
    }

    private static byte[] bytes(final MemorySegment segment)
    {
        return segment.toArray(ValueLayout.JAVA_BYTE);
    }

    @Test
    void shouldNameTheTransportsOfThisBuildForATargetOfAnother()
    {
        final TransportAddress address = new TransportAddress(
            TransportAddress.Type.RDMA, TransportAddress.Family.IPV4, "127.0.0.1", "4420");
        try (Reactor reactor = new Reactor(ReactorConfig.of("tcp-alone", -1)))
        {
            reactor.start();
            final HostPollGroup group = new HostPollGroup(reactor, List.of(new TcpHostTransport()));
            final Throwable failure = Waits.failure(RemoteController.connect(group, HostFixture.HOST,
                ConnectionConfig.to(address, LocalTarget.NQN).build(), ControllerListener.NONE));
            group.close();
            assertEquals("target rdma://127.0.0.1:4420: transport rdma is not in this build: use tcp",
                assertInstanceOf(InitiatorException.class, failure).getMessage());
        }
    }

    /** No RDMA device has the loopback's address, whatever this machine has. */
    @Test
    void shouldSayWhatIsMissingForRdmaAndServeOtherTransportsBesideIt()
    {
        final TransportAddress address = new TransportAddress(
            TransportAddress.Type.RDMA, TransportAddress.Family.IPV4, "127.0.0.1", "4420");
        try (LocalTarget target = LocalTarget.memory();
            RemoteController controller = host.connect(target.config().build()))
        {
            final Throwable failure = Waits.failure(RemoteController.connect(host.group, HostFixture.HOST,
                ConnectionConfig.to(address, LocalTarget.NQN).build(), ControllerListener.NONE));
            final String message = assertInstanceOf(InitiatorException.class, failure).getMessage();
            assertTrue(message.startsWith("cannot connect to rdma://127.0.0.1:4420: "), message);
            assertEquals(1, Waits.get(controller.namespaces()).size());
        }
    }

    @Test
    void shouldLearnWhatControllerAndNamespaceAre()
    {
        try (LocalTarget target = LocalTarget.memory();
            RemoteController controller = host.connect(target.config().build()))
        {
            assertEquals(ControllerState.LIVE, controller.state());
            final ControllerInfo info = controller.info();
            assertEquals(LocalTarget.NQN, info.subsystemNqn());
            assertFalse(info.discovery());
            assertTrue(controller.ioQueueCount() > 1);
            assertTrue(info.inCapsuleDataBytes() >= BLOCK);
            assertTrue(info.versionText().startsWith("2."), info.versionText());
            final List<NamespaceInfo> namespaces = Waits.get(controller.namespaces());
            assertEquals(1, namespaces.size());
            final NamespaceInfo namespace = namespaces.getFirst();
            assertEquals(1, namespace.nsid());
            assertEquals(BLOCK, namespace.blockSizeBytes());
            assertEquals(LocalTarget.SIZE_BYTES, namespace.sizeBytes());
            assertEquals(36, namespace.identity().uuid().length());
        }
    }

    @ParameterizedTest
    @CsvSource({"4096, false", "65536, false", "1048576, false", "4096, true", "65536, true", "1048576, true"})
    void shouldReadWhatItWroteOnSeveralQueues(final int length, final boolean digests)
    {
        try (LocalTarget target = LocalTarget.memory();
            RemoteController controller = host.connect(target.config().digests(digests, digests).build()))
        {
            final int queues = 3;
            for (int i = 0; i < queues; i++)
            {
                final RemoteQueuePair queue = host.queue(controller);
                assertEquals(i + 1, queue.queueId());
                final int blocks = length / BLOCK;
                final long lba = 7L + i * blocks;
                final MemorySegment written = random(length, i);
                final MemorySegment read = host.memory(length);
                assertEquals(0, host.run(queue, (r) -> r.write(1, lba, blocks, written.address(), length)));
                assertEquals(0, host.run(queue, (r) -> r.read(1, lba, blocks, read.address(), length)));
                assertArrayEquals(bytes(written), bytes(read));
                assertEquals(0, host.run(queue, (r) -> r.compare(1, lba, blocks, written.address(), length)));
                written.set(ValueLayout.JAVA_BYTE, length - 1, (byte)~written.get(ValueLayout.JAVA_BYTE, length - 1));
                assertEquals(NvmeStatus.COMPARE_FAILURE, NvmeStatus.code(
                    host.run(queue, (r) -> r.compare(1, lba, blocks, written.address(), length))));
            }
        }
    }

    @Test
    void shouldFlushVerifyZeroAndDeallocate()
    {
        try (LocalTarget target = LocalTarget.memory();
            RemoteController controller = host.connect(target.config().build()))
        {
            final RemoteQueuePair queue = host.queue(controller);
            final MemorySegment data = random(4 * BLOCK, 1);
            assertEquals(0, host.run(queue, (r) -> r.write(1, 0, 4, data.address(), 4 * BLOCK).forceUnitAccess()));
            assertEquals(0, host.run(queue, (r) -> r.flush(1)));
            assertEquals(0, host.run(queue, (r) -> r.verify(1, 0, 4)));
            assertEquals(NvmeStatus.LBA_OUT_OF_RANGE,
                NvmeStatus.code(host.run(queue, (r) -> r.verify(1, 1L << 40, 1))));
            assertEquals(0, host.run(queue, (r) -> r.writeZeroes(1, 0, 1, false)));
            final MemorySegment range = host.memory(16);
            range.set(ValueLayout.JAVA_INT, 4, 1);
            range.set(ValueLayout.JAVA_LONG, 8, 2);
            assertEquals(0, host.run(queue, (r) -> r.deallocate(1, range.address(), 1)));
            final MemorySegment read = host.memory(4 * BLOCK);
            assertEquals(0, host.run(queue, (r) -> r.read(1, 0, 4, read.address(), 4 * BLOCK)));
            assertArrayEquals(new byte[BLOCK], bytes(read.asSlice(0, BLOCK)));
            assertArrayEquals(bytes(data.asSlice(BLOCK, BLOCK)), bytes(read.asSlice(BLOCK, BLOCK)));
            assertArrayEquals(bytes(data.asSlice(3 * BLOCK, BLOCK)), bytes(read.asSlice(3 * BLOCK, BLOCK)));
            assertEquals(NvmeStatus.LBA_OUT_OF_RANGE, NvmeStatus.code(host.run(queue, (r) ->
                r.read(1, LocalTarget.SIZE_BYTES / BLOCK, 1, read.address(), BLOCK))));
            assertEquals(NvmeStatus.INVALID_NAMESPACE, NvmeStatus.code(host.run(queue, (r) ->
                r.read(9, 0, 1, read.address(), BLOCK))));
        }
    }

    @Test
    void shouldAnswerAdminCommands()
    {
        try (LocalTarget target = LocalTarget.memory();
            RemoteController controller = host.connect(target.config().build()))
        {
            assertTrue(Waits.get(controller.admin(AdminCommand.keepAlive())).isSuccess());
            assertTrue(Waits.get(controller.admin(AdminCommand.getFeature(FeatureId.NUMBER_OF_QUEUES))).result0() > 0);
            assertEquals(512, Waits.get(controller.logPage(LogPageId.SMART, -1, 0, 512)).length);
            final Throwable refused = Waits.failure(controller.identify(0x7E, 0));
            assertInstanceOf(InitiatorException.class, refused);
            assertTrue(refused.getMessage().contains("Identify 0x7e"), refused.getMessage());
            final CompletableFuture<?>[] many = new CompletableFuture<?>[3 * AdminQueue.ENTRIES];
            for (int i = 0; i < many.length; i++)
            {
                many[i] = controller.identify(IdentifyCns.CONTROLLER, 0);
            }
            Waits.get(CompletableFuture.allOf(many));
        }
    }

    @Test
    void shouldSayInOneSentenceWhyItCannotConnect() throws IOException
    {
        // Bound, so that the port stays nobody else's, and not listening.
        try (Socket nobody = new Socket())
        {
            nobody.bind(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0));
            final ConnectionConfig refused = ConnectionConfig.to(
                (InetSocketAddress)nobody.getLocalSocketAddress(), LocalTarget.NQN).build();
            assertTrue(failure(refused).contains("connection refused by " + refused.target()), failure(refused));
        }
        try (LocalTarget target = LocalTarget.memory())
        {
            final String unknown = failure(ConnectionConfig.to(target.address(), LocalTarget.NQN + "x").build());
            assertTrue(unknown.contains("no subsystem " + LocalTarget.NQN + "x"), unknown);
        }
    }

    private String failure(final ConnectionConfig config)
    {
        return Waits.failure(RemoteController.connect(host.group, HostFixture.HOST, config, ControllerListener.NONE))
            .getMessage();
    }

    @Test
    void shouldListWhatATargetOffers()
    {
        try (LocalTarget target = LocalTarget.memory())
        {
            final List<DiscoveryEntry> entries =
                Waits.get(Discovery.discover(host.group, HostFixture.HOST, target.address(), 5_000));
            final DiscoveryEntry entry = entries.stream()
                .filter((candidate) -> LocalTarget.NQN.equals(candidate.subsystemNqn())).findFirst().orElseThrow();
            assertEquals("tcp", entry.transportName());
            assertEquals("127.0.0.1", entry.address());
            assertEquals(String.valueOf(target.address().getPort()), entry.service());
            assertEquals(2, entry.subsystemType());
        }
    }

    @Test
    void shouldReportEventsAndNewNamespaces()
    {
        final BlockingQueue<Integer> events = new LinkedBlockingQueue<>();
        final ControllerListener listener = new ControllerListener()
        {
            @Override
            public void onAsyncEvent(final RemoteController controller, final int event)
            {
                events.add(event);
            }
        };
        try (LocalTarget target = LocalTarget.memory();
            RemoteController controller = Waits.get(
                RemoteController.connect(host.group, HostFixture.HOST, target.config().build(), listener)))
        {
            final io.millrace.nvmf.Subsystem subsystem = target.dataPlane().target().subsystem(LocalTarget.NQN);
            for (int nsid = 2; nsid < 4; nsid++)
            {
                final int added = nsid;
                try (io.millrace.block.memory.MemoryDevice device =
                    io.millrace.block.memory.MemoryDevice.create("extra" + nsid, 1 << 20, 512))
                {
                    subsystem.addNamespace(io.millrace.nvmf.namespace.Namespace.of(LocalTarget.NQN, nsid, device));
                    Waits.until("event", () -> !events.isEmpty());
                    assertEquals(AsyncEvent.NAMESPACE_CHANGED, events.remove());
                    assertTrue(Waits.get(controller.namespaces()).stream().anyMatch((n) -> added == n.nsid()));
                    Waits.get(subsystem.removeNamespace(nsid));
                    Waits.until("event", () -> !events.isEmpty());
                    events.clear();
                }
            }
        }
    }

    @Test
    void shouldGoOnAfterTheTargetWasRestarted()
    {
        final BlockingQueue<ControllerState> states = new LinkedBlockingQueue<>();
        final ControllerListener listener = new ControllerListener()
        {
            @Override
            public void onState(final RemoteController controller, final ControllerState state, final String reason)
            {
                states.add(state);
            }
        };
        try (LocalTarget target = LocalTarget.memory();
            RemoteController controller = Waits.get(RemoteController.connect(host.group, HostFixture.HOST,
                target.config().keepAliveMs(500).reconnectDelayMs(20, 100).build(), listener)))
        {
            final RemoteQueuePair first = host.queue(controller);
            final RemoteQueuePair second = host.queue(controller);
            final MemorySegment data = random(BLOCK, 2);
            for (int round = 1; round <= 3; round++)
            {
                final int restarts = round;
                target.stop();
                // Memory is empty after a restart, so writes that wait for it are the ones that count.
                final CompletableFuture<Integer> one =
                    host.submit(first, (r) -> r.write(1, 1, 1, data.address(), BLOCK));
                final CompletableFuture<Integer> other =
                    host.submit(second, (r) -> r.write(1, 2, 1, data.address(), BLOCK));
                Waits.until("reconnecting", () -> ControllerState.RECONNECTING == controller.state());
                target.start();
                assertEquals(0, Waits.get(one));
                assertEquals(0, Waits.get(other));
                Waits.until("reconnected", () -> restarts == controller.reconnectCount());
                final MemorySegment read = host.memory(BLOCK);
                assertEquals(0, host.run(second, (r) -> r.read(1, 1, 1, read.address(), BLOCK)));
                assertArrayEquals(bytes(data), bytes(read));
            }
            assertEquals(List.of(ControllerState.LIVE, ControllerState.RECONNECTING, ControllerState.LIVE,
                ControllerState.RECONNECTING, ControllerState.LIVE, ControllerState.RECONNECTING, ControllerState.LIVE),
                List.copyOf(states));
        }
    }

    @Test
    void shouldSendOutstandingCommandsAgainWhenTheConnectionIsCut() throws IOException
    {
        try (LocalTarget target = LocalTarget.memory(); TcpProxy proxy = new TcpProxy(target.address(), 1400, 1);
            RemoteController controller = host.connect(ConnectionConfig.to(proxy.address(), LocalTarget.NQN)
                .keepAliveMs(500).reconnectDelayMs(10, 10).queueDepth(16).build()))
        {
            final RemoteQueuePair queue = host.queue(controller);
            final int commands = 40;
            final int length = 16 * BLOCK;
            final MemorySegment data = random(commands * length, 3);
            for (int round = 0; round < 3; round++)
            {
                proxy.stall(true);
                final CompletableFuture<?>[] writes = new CompletableFuture<?>[commands];
                for (int i = 0; i < commands; i++)
                {
                    final int index = i;
                    writes[i] = host.submit(queue, (r) ->
                        r.write(1, 16L * index, 16, data.address() + (long)index * length, length));
                }
                Waits.until("queue is full", () -> host.call(() -> 16 == queue.inFlight()));
                proxy.cut();
                proxy.stall(false);
                Waits.get(CompletableFuture.allOf(writes));
                for (final CompletableFuture<?> write : writes)
                {
                    assertEquals(0, write.join());
                }
            }
            final MemorySegment read = host.memory((long)commands * length);
            for (int i = 0; i < commands; i++)
            {
                final int index = i;
                assertEquals(0, host.run(queue, (r) ->
                    r.read(1, 16L * index, 16, read.address() + (long)index * length, length)));
            }
            assertEquals(-1, read.mismatch(data));
            assertTrue(controller.reconnectCount() >= 3);
        }
    }

    @Test
    void shouldFailCommandsAtOnceDuringAnOutageWhenToldSo() throws IOException
    {
        try (LocalTarget target = LocalTarget.memory(); TcpProxy proxy = new TcpProxy(target.address(), 8192, 1);
            RemoteController controller = host.connect(ConnectionConfig.to(proxy.address(), LocalTarget.NQN)
                .reconnectDelayMs(10, 10).outagePolicy(OutagePolicy.FAIL).build()))
        {
            final RemoteQueuePair queue = host.queue(controller);
            proxy.stall(true);
            final CompletableFuture<Integer> outstanding = host.submit(queue, (r) -> r.flush(1));
            Waits.until("sent", () -> host.call(() -> 1 == queue.inFlight()));
            proxy.refuse(true);
            proxy.cut();
            proxy.stall(false);
            assertEquals(HostRequest.STATUS_HOST_PATH_ERROR, Waits.get(outstanding));
            assertEquals(HostRequest.STATUS_HOST_PATH_ERROR, host.run(queue, (r) -> r.flush(1)));
            proxy.refuse(false);
            Waits.until("reconnected", () -> ControllerState.LIVE == controller.state());
            assertEquals(0, host.run(queue, (r) -> r.flush(1)));
        }
    }

    @Test
    void shouldGiveUpAfterTheControllerLossTimeout() throws IOException
    {
        try (LocalTarget target = LocalTarget.memory(); TcpProxy proxy = new TcpProxy(target.address(), 8192, 1);
            RemoteController controller = host.connect(ConnectionConfig.to(proxy.address(), LocalTarget.NQN)
                .reconnectDelayMs(10, 10).controllerLossTimeoutMs(150).build()))
        {
            final RemoteQueuePair queue = host.queue(controller);
            proxy.stall(true);
            final CompletableFuture<Integer> outstanding = host.submit(queue, (r) -> r.flush(1));
            Waits.until("sent", () -> host.call(() -> 1 == queue.inFlight()));
            proxy.refuse(true);
            proxy.cut();
            assertEquals(HostRequest.STATUS_HOST_PATH_ERROR, Waits.get(outstanding));
            assertEquals(ControllerState.LOST, controller.state());
            assertEquals(HostRequest.STATUS_HOST_PATH_ERROR, host.run(queue, (r) -> r.flush(1)));
            final Throwable refused = Waits.failure(controller.openQueuePair(host.group));
            assertTrue(refused.getMessage().contains("is LOST"), refused.getMessage());
        }
    }

    @Test
    void shouldNoticeByKeepAliveThatNobodyAnswers() throws IOException
    {
        final CompletableFuture<String> lost = new CompletableFuture<>();
        final ControllerListener listener = new ControllerListener()
        {
            @Override
            public void onState(final RemoteController controller, final ControllerState state, final String reason)
            {
                if (ControllerState.RECONNECTING == state)
                {
                    lost.complete(reason);
                }
            }
        };
        try (LocalTarget target = LocalTarget.memory(); TcpProxy proxy = new TcpProxy(target.address(), 8192, 1);
            RemoteController controller = Waits.get(RemoteController.connect(host.group, HostFixture.HOST,
                ConnectionConfig.to(proxy.address(), LocalTarget.NQN).keepAliveMs(400).reconnectDelayMs(10, 50).build(),
                listener)))
        {
            proxy.stall(true);
            assertTrue(Waits.get(lost).contains("keep-alive was not answered within 400 ms"), lost.join());
            proxy.cut();
            proxy.stall(false);
            Waits.until("reconnected", () -> ControllerState.LIVE == controller.state());
        }
    }

    @Test
    void shouldStayConnectedByKeepAliveAlone()
    {
        int attempts = 0;
        while (!staysConnected())
        {
            attempts++;
            assertTrue(attempts < KEEP_ALIVE_ATTEMPTS_MAX,
                "the machine stood still in each of " + attempts + " attempts");
        }
    }

    /** Answers false when the machine let host or target not run in time, so that nothing was shown. */
    private boolean staysConnected()
    {
        try (LocalTarget target = LocalTarget.memory();
            Punctuality ofHost = Punctuality.of(host.reactor);
            Punctuality ofTarget = Punctuality.of(target.dataPlane().reactors().getFirst());
            RemoteController controller = host.connect(target.config().keepAliveMs(KEEP_ALIVE_MS).build()))
        {
            final long endNs = System.nanoTime() + KEEP_ALIVE_MS * 9 * 1_000_000L / 4;
            Waits.until("more than two time-outs have passed", () -> System.nanoTime() - endNs > 0);
            final boolean hasStayed = ControllerState.LIVE == controller.state() && 0 == controller.reconnectCount();
            // Two of them come late, a sender and a receiver, and half of the time is to spare.
            final boolean isShown = hasStayed ||
                Math.max(ofHost.longestNs(), ofTarget.longestNs()) < KEEP_ALIVE_MS * 1_000_000L / 8;
            assertTrue(hasStayed || !isShown, () -> "connected anew " + controller.reconnectCount() + " times");
            return isShown;
        }
    }

    @Test
    void shouldReportDeviceErrorsAsTheyAre()
    {
        final FaultPlan plan = new FaultPlan(1, List.of(FaultRule.error(BlockStatus.MEDIA_ERROR)
            .withOperations(Set.of(BlockOperation.READ))));
        try (LocalTarget target = LocalTarget.of(DeviceConfig.memory("mem0", 1 << 20, BLOCK),
            DeviceConfig.fault("fault0", "mem0", plan));
            RemoteController controller = host.connect(target.config().build()))
        {
            final RemoteQueuePair queue = host.queue(controller);
            final MemorySegment data = host.memory(BLOCK);
            assertEquals(NvmeStatus.UNRECOVERED_READ_ERROR, NvmeStatus.code(
                host.run(queue, (r) -> r.read(1, 0, 1, data.address(), BLOCK))));
            assertEquals(0, host.run(queue, (r) -> r.write(1, 0, 1, data.address(), BLOCK)));
        }
    }

    @Test
    void shouldAbortOutstandingCommandsAndFreeTheQueueWhenClosed()
    {
        final FaultPlan plan = new FaultPlan(1, List.of(FaultRule.hang().withOperations(Set.of(BlockOperation.READ))));
        try (LocalTarget target = LocalTarget.of(DeviceConfig.memory("mem0", 1 << 20, BLOCK),
            DeviceConfig.fault("fault0", "mem0", plan));
            RemoteController controller = host.connect(target.config().build()))
        {
            for (int round = 0; round < 5; round++)
            {
                final RemoteQueuePair queue = host.queue(controller);
                assertEquals(round + 1, queue.queueId());
                final MemorySegment data = host.memory(BLOCK);
                final CompletableFuture<Integer> read =
                    host.submit(queue, (r) -> r.read(1, 0, 1, data.address(), BLOCK));
                Waits.until("sent", () -> host.call(() -> 1 == queue.inFlight()));
                queue.close();
                assertEquals(HostRequest.STATUS_ABORTED_BY_HOST, Waits.get(read));
            }
            // An id is used again when all others were: the target may see late that a connection has ended.
            final int granted = controller.ioQueueCount();
            for (int round = 5; round < granted + 2; round++)
            {
                final RemoteQueuePair queue = host.queue(controller);
                assertEquals(round % granted + 1, queue.queueId());
                queue.close();
            }
        }
    }

    @Test
    void shouldSayHowManyQueuesThereAreWhenNoneIsLeft()
    {
        try (LocalTarget target = LocalTarget.memory(); RemoteController controller = host.connect(
            target.config().queueDepth(4).build()))
        {
            final int granted = controller.ioQueueCount();
            for (int i = 0; i < granted; i++)
            {
                host.queue(controller);
            }
            final Throwable refused = Waits.failure(controller.openQueuePair(host.group));
            assertTrue(refused.getMessage().contains("grants " + granted + " I/O queues"), refused.getMessage());
        }
    }
}
