package io.millrace.nvmf;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.millrace.block.BlockStatus;
import io.millrace.block.memory.MemoryDevice;
import io.millrace.nvme.AdminOpcode;
import io.millrace.nvme.AnaGroupDescriptor;
import io.millrace.nvme.AnaLogHeader;
import io.millrace.nvme.AnaState;
import io.millrace.nvme.ConnectData;
import io.millrace.nvme.FeatureId;
import io.millrace.nvme.IoOpcode;
import io.millrace.nvme.LogPageId;
import io.millrace.nvme.NvmeStatus;
import io.millrace.nvme.identify.IdentifyCns;
import io.millrace.nvme.identify.IdentifyNamespace;
import io.millrace.nvme.identify.IndependentNamespace;
import io.millrace.nvmf.config.SubsystemConfig;
import io.millrace.nvmf.config.TargetConfig;
import io.millrace.nvmf.config.TargetListener;
import io.millrace.nvmf.namespace.Namespace;
import io.millrace.nvmf.queue.DrainTimer;
import io.millrace.nvmf.queue.UnfinishedCommands;
import io.millrace.nvmf.transport.TransportAddress;
import io.millrace.reactor.HeldClock;
import io.millrace.reactor.ReactorConfig;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.List;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

class AnaTest
{
    private static final TransportAddress OTHER = TransportAddress.tcp("127.0.0.1", 4421);

    private final TestTarget target = new TestTarget(2);
    private final TestHost host = target.admin();
    private final TestHost io = target.io(host, 1, 1);
    private final TestHost otherHost = connect(target, OTHER);

    @AfterEach
    void close()
    {
        target.close();
    }

    /** An admin queue of a host that came in at an address. */
    static TestHost connect(final TestTarget target, final TransportAddress local)
    {
        final TestHost host = target.reactor(0).connect(local);
        assertEquals(NvmeStatus.SUCCESS,
            host.connect(TestTarget.NQN, 0, ConnectData.CONTROLLER_ID_DYNAMIC).status());
        assertEquals(NvmeStatus.SUCCESS, host.enable().status());
        return host;
    }

    private void add(final int nsid, final int group)
    {
        target.subsystem().addNamespace(
            new Namespace(nsid, target.subsystem().namespace(1).device(), UUID.randomUUID(), group));
        // Every reactor has it when this is answered on each.
        for (int i = 0; i < 2; i++)
        {
            target.reactor(i).run(() -> { });
        }
    }

    private CompletableFuture<List<UnfinishedCommands>> set(
        final TransportAddress listener, final int group, final AnaState state)
    {
        return target.subsystem().ana().set(listener, group, state);
    }

    private static void done(final CompletableFuture<?> change)
    {
        TestTarget.await("the change to be done", change::isDone);
        change.join();
    }

    private static Completion log(final TestHost host, final int lengthBytes, final boolean groupsOnly)
    {
        return host.execute((entry) -> entry.opcode(AdminOpcode.GET_LOG_PAGE).namespaceId(-1)
            .cdw10(LogPageId.dword10(LogPageId.ANA, false, lengthBytes) | (groupsOnly ? 1 << 8 : 0))
            .cdw11(LogPageId.dword11(lengthBytes)).sglLength(lengthBytes));
    }

    private static int state(final TestHost host, final int group)
    {
        final Completion log = log(host, 4096, true);
        final AnaLogHeader header = new AnaLogHeader();
        header.wrap(log.buffer(), 0);
        final AnaGroupDescriptor descriptor = new AnaGroupDescriptor();
        for (int i = 0; i < header.groups(); i++)
        {
            descriptor.wrap(log.buffer(), AnaLogHeader.SIZE_BYTES + i * AnaGroupDescriptor.SIZE_BYTES);
            if (group == descriptor.groupId())
            {
                return descriptor.state();
            }
        }
        return 0;
    }

    private static long changeCount(final TestHost host)
    {
        final AnaLogHeader header = new AnaLogHeader();
        header.wrap(log(host, 16, true).buffer(), 0);
        return header.changeCount();
    }

    private static Completion read(final TestHost io, final int nsid)
    {
        return io.execute((entry) -> entry.opcode(IoOpcode.READ).namespaceId(nsid).sglLength(512));
    }

    private static CompletableFuture<Completion> event(final TestHost host)
    {
        return host.submit((entry) -> entry.opcode(AdminOpcode.ASYNC_EVENT_REQUEST));
    }

    /** As the specification has it (section 5.16.1.13), byte by byte. */
    @Test
    void shouldLayTheLogPageOut()
    {
        add(9, 3);
        add(4, 3);
        add(2, 128);
        done(set(TestTarget.LOCAL, 3, AnaState.NON_OPTIMIZED));
        done(set(null, 128, AnaState.CHANGE));
        final ByteBuffer expected = ByteBuffer.allocate(256).order(ByteOrder.LITTLE_ENDIAN);
        expected.putLong(5).putShort((short)3).put(new byte[6]);
        expected.putInt(1).putInt(1).putLong(1).put((byte)1).put(new byte[15]).putInt(1);
        expected.putInt(3).putInt(2).putLong(4).put((byte)2).put(new byte[15]).putInt(4).putInt(9);
        expected.putInt(128).putInt(1).putLong(3).put((byte)15).put(new byte[15]).putInt(2);
        assertArrayEquals(expected.array(), log(host, 256, false).data());

        final ByteBuffer groups = ByteBuffer.allocate(256).order(ByteOrder.LITTLE_ENDIAN);
        groups.putLong(5).putShort((short)3).put(new byte[6]);
        groups.putInt(1).putInt(0).putLong(1).put((byte)1).put(new byte[15]);
        groups.putInt(3).putInt(0).putLong(4).put((byte)2).put(new byte[15]);
        groups.putInt(128).putInt(0).putLong(3).put((byte)15).put(new byte[15]);
        assertArrayEquals(groups.array(), log(host, 256, true).data());
    }

    @Test
    void shouldAnswerPartsOfTheLogPage()
    {
        add(9, 3);
        final byte[] whole = log(host, 88, false).data();
        for (int offset = 0; offset <= 88; offset += 4)
        {
            final int length = Math.max(4, 88 - offset);
            assertArrayEquals(Arrays.copyOf(Arrays.copyOfRange(whole, offset, 88), length),
                LogPagesTest.log(host, LogPageId.ANA, offset, length, false).data());
        }
        // Hosts may ask for the largest page there could be.
        final int end = 16 + 128 * 32 + 4 * 16_384;
        assertArrayEquals(Arrays.copyOf(whole, end), log(host, end, false).data());
        assertArrayEquals(new byte[8], LogPagesTest.log(host, LogPageId.ANA, 92, 8, false).data());
        assertArrayEquals(new byte[8], LogPagesTest.log(host, LogPageId.ANA, end, 8, false).data());
        assertEquals(NvmeStatus.INVALID_FIELD, LogPagesTest.log(host, LogPageId.ANA, end + 4, 4, false).code());
    }

    @Test
    void shouldTellOnlyGroupsThatHaveNamespaces()
    {
        done(set(null, 77, AnaState.INACCESSIBLE));
        assertEquals(0, state(host, 77));
        assertEquals(0, changeCount(host));
        add(2, 77);
        assertEquals(AnaState.INACCESSIBLE.code(), state(host, 77));
        done(target.subsystem().removeNamespace(2));
        assertEquals(0, state(host, 77));
        assertEquals(2, changeCount(host));
    }

    @Test
    void shouldCountChangesAnewAfterAReset()
    {
        done(set(null, 1, AnaState.NON_OPTIMIZED));
        done(set(null, 1, AnaState.OPTIMIZED));
        assertEquals(2, changeCount(host));
        assertEquals(2, changeCount(otherHost));
        host.configure(0);
        TestTarget.await("the reset", () -> 0 == host.status());
        host.enable();
        assertEquals(0, changeCount(host));
        assertEquals(2, changeCount(otherHost));
        assertEquals(0, changeCount(target.admin()));
        done(set(null, 1, AnaState.NON_OPTIMIZED));
        assertEquals(1, changeCount(host));
    }

    @ParameterizedTest
    @EnumSource(AnaState.class)
    void shouldRefuseIoWithTheStatusOfTheState(final AnaState state)
    {
        add(2, 2);
        final int[] opcodes = {IoOpcode.FLUSH, IoOpcode.READ, IoOpcode.WRITE_ZEROES};
        done(set(TestTarget.LOCAL, 2, state));
        final int expected = switch (state)
        {
            case OPTIMIZED, NON_OPTIMIZED -> 0;
            case PERSISTENT_LOSS -> 0x301;
            case INACCESSIBLE -> 0x302;
            case CHANGE -> 0x303;
        };
        for (final int opcode : opcodes)
        {
            assertEquals(expected, io.execute((entry) ->
                entry.opcode(opcode).namespaceId(2).sglLength(IoOpcode.READ == opcode ? 512 : 0)).status());
            assertEquals(0, io.execute((entry) ->
                entry.opcode(opcode).namespaceId(1).sglLength(IoOpcode.READ == opcode ? 512 : 0)).status());
        }
        for (final boolean inCapsule : new boolean[]{true, false})
        {
            assertEquals(expected, io.execute((entry) ->
                entry.opcode(IoOpcode.WRITE).namespaceId(2), new byte[512], inCapsule).status());
            assertEquals(expected, io.execute((entry) ->
                entry.opcode(IoOpcode.COMPARE).namespaceId(2), new byte[512], inCapsule).status());
            assertEquals(expected, io.execute((entry) ->
                entry.opcode(IoOpcode.DATASET_MANAGEMENT).namespaceId(2), new byte[16], inCapsule).status());
        }
        // Of all namespaces, of which this is one.
        assertEquals(expected, io.execute((entry) -> entry.opcode(IoOpcode.FLUSH).namespaceId(-1)).status());
        assertEquals(NvmeStatus.INVALID_NAMESPACE, NvmeStatus.code(read(io, 3).status()));
        assertEquals(0, read(target.io(otherHost, 1, 1), 2).status());
    }

    @ParameterizedTest
    @EnumSource(AnaState.class)
    void shouldClearCapacitiesInIdentify(final AnaState state)
    {
        add(2, 2);
        done(set(null, 2, state));
        final boolean isCleared = AnaState.INACCESSIBLE == state || AnaState.PERSISTENT_LOSS == state;
        for (final int cns : new int[]{IdentifyCns.NAMESPACE, IdentifyCns.ALLOCATED_NAMESPACE})
        {
            final IdentifyNamespace data = new IdentifyNamespace();
            data.wrap(identify(cns, 2).buffer(), 0);
            assertEquals(TestTarget.BLOCKS, data.size());
            assertEquals(TestTarget.BLOCKS, data.capacity());
            assertEquals(isCleared ? 0 : TestTarget.BLOCKS, data.utilization());
            assertEquals(isCleared ? 0 : TestTarget.BLOCKS * TestTarget.BLOCK_BYTES, data.capacityBytes());
            assertEquals(2, data.anaGroupId());
            data.wrap(identify(cns, 1).buffer(), 0);
            assertEquals(TestTarget.BLOCKS, data.utilization());
            assertEquals(1, data.anaGroupId());
        }
        final IndependentNamespace independent = new IndependentNamespace();
        independent.wrap(identify(IdentifyCns.NAMESPACE_INDEPENDENT, 2).buffer(), 0);
        assertEquals(2, independent.anaGroupId());
        assertEquals(1, identify(IdentifyCns.ACTIVE_NAMESPACES, 1).dword(1) + 1);
    }

    private Completion identify(final int cns, final int nsid)
    {
        final Completion completion = host.execute((entry) ->
            entry.opcode(AdminOpcode.IDENTIFY).namespaceId(nsid).cdw10(cns).sglLength(IdentifyCns.DATA_BYTES));
        assertEquals(NvmeStatus.SUCCESS, completion.status());
        return completion;
    }

    private int getFeature(final int featureId, final int nsid)
    {
        return host.execute((entry) ->
            entry.opcode(AdminOpcode.GET_FEATURES).namespaceId(nsid).cdw10(featureId)).status();
    }

    private int setFeature(final int featureId, final int nsid)
    {
        return host.execute((entry) ->
            entry.opcode(AdminOpcode.SET_FEATURES).namespaceId(nsid).cdw10(featureId).cdw11(0)).status();
    }

    /** The table of section 8.1.4, with that of the NVM command set (NVM Command Set 1.0, section 5.1). */
    @ParameterizedTest
    @EnumSource(AnaState.class)
    void shouldRefuseFeaturesOfTheNamespace(final AnaState state)
    {
        add(2, 2);
        done(set(null, 2, state));
        final int refused = state.status();
        assertEquals(refused, getFeature(FeatureId.ERROR_RECOVERY, 2));
        assertEquals(refused, getFeature(FeatureId.ERROR_RECOVERY | FeatureId.SELECT_CAPABILITIES << 8, 2));
        assertEquals(refused, setFeature(FeatureId.ERROR_RECOVERY, 2));
        assertEquals(refused, setFeature(FeatureId.ERROR_RECOVERY, -1));
        assertEquals(refused, setFeature(FeatureId.WRITE_ATOMICITY, -1));
        final int notOfANamespace = NvmeStatus.FEATURE_NOT_NAMESPACE_SPECIFIC | NvmeStatus.DO_NOT_RETRY;
        assertEquals(AnaState.PERSISTENT_LOSS == state ? refused : notOfANamespace,
            setFeature(FeatureId.WRITE_ATOMICITY, 2));
        assertEquals(0, getFeature(FeatureId.WRITE_ATOMICITY, 2));
        assertEquals(0, setFeature(FeatureId.WRITE_ATOMICITY, 0));
        assertEquals(0, getFeature(FeatureId.ERROR_RECOVERY, 1));
        assertEquals(0, setFeature(FeatureId.ERROR_RECOVERY, 1));
        assertEquals(notOfANamespace, setFeature(FeatureId.WRITE_ATOMICITY, 1));
    }

    @Test
    void shouldTellHostsWhenAStateIsEntered()
    {
        for (final AnaState state : new AnaState[]{
            AnaState.NON_OPTIMIZED, AnaState.INACCESSIBLE, AnaState.OPTIMIZED, AnaState.PERSISTENT_LOSS})
        {
            final CompletableFuture<Completion> event = event(host);
            done(set(TestTarget.LOCAL, 1, AnaState.CHANGE));
            host.status();
            assertFalse(event.isDone(), "told of the transition to " + state);
            done(set(TestTarget.LOCAL, 1, state));
            final Completion told = TestHost.await(event);
            assertEquals(NvmeStatus.SUCCESS, told.status());
            assertEquals(0x0C_03_02, told.result0());
            assertEquals(state.code(), state(host, 1));
            assertEquals(AnaState.OPTIMIZED.code(), state(otherHost, 1));
        }
    }

    @Test
    void shouldTellOnceUntilTheLogPageWasRead()
    {
        final CompletableFuture<Completion> first = event(host);
        final CompletableFuture<Completion> second = event(host);
        done(set(null, 1, AnaState.NON_OPTIMIZED));
        TestHost.await(first);
        done(set(null, 1, AnaState.OPTIMIZED));
        host.status();
        assertFalse(second.isDone());
        log(host, 16, true);
        done(set(null, 1, AnaState.NON_OPTIMIZED));
        TestHost.await(second);
    }

    @Test
    void shouldNotTellOfWhatIsNoNews()
    {
        final CompletableFuture<Completion> event = event(host);
        done(set(OTHER, 1, AnaState.NON_OPTIMIZED));
        done(set(TestTarget.LOCAL, 1, AnaState.OPTIMIZED));
        done(set(TestTarget.LOCAL, 2, AnaState.INACCESSIBLE));
        host.status();
        assertFalse(event.isDone());
        // Only that there is another namespace is told, not the state it comes with.
        add(2, 2);
        assertEquals(0x04_00_02, TestHost.await(event).result0());
        final CompletableFuture<Completion> next = event(host);
        host.status();
        assertFalse(next.isDone());
    }

    @Test
    void shouldNotTellAHostThatTurnedTheNoticeOff()
    {
        assertEquals(1 << 8 | 1 << 11, host.execute((entry) ->
            entry.opcode(AdminOpcode.GET_FEATURES).cdw10(FeatureId.ASYNC_EVENT_CONFIGURATION)).result0());
        host.execute((entry) ->
            entry.opcode(AdminOpcode.SET_FEATURES).cdw10(FeatureId.ASYNC_EVENT_CONFIGURATION).cdw11(1 << 8));
        final CompletableFuture<Completion> event = event(host);
        done(set(null, 1, AnaState.INACCESSIBLE));
        host.status();
        assertFalse(event.isDone());
        host.execute((entry) ->
            entry.opcode(AdminOpcode.SET_FEATURES).cdw10(FeatureId.ASYNC_EVENT_CONFIGURATION).cdw11(1 << 11));
        done(set(null, 1, AnaState.OPTIMIZED));
        assertEquals(0x0C_03_02, TestHost.await(event).result0());
    }

    @Test
    void shouldHoldForHostsThatComeLater()
    {
        final TransportAddress later = TransportAddress.tcp("127.0.0.1", 4499);
        done(set(later, 1, AnaState.INACCESSIBLE));
        final TestHost first = connect(target, later);
        assertEquals(0x302, read(target.io(first, 1), 1).status());
        assertEquals(0, changeCount(first));
        target.target().addListener(later);
        target.target().removeListener(later);
        assertEquals(AnaState.INACCESSIBLE.code(), state(connect(target, later), 1));
        assertEquals(0, read(io, 1).status());
        done(set(null, 1, AnaState.OPTIMIZED));
        assertEquals(AnaState.OPTIMIZED.code(), state(first, 1));
    }

    @Test
    void shouldEndControllersWhenAPersistentLossIsOver()
    {
        done(set(TestTarget.LOCAL, 1, AnaState.PERSISTENT_LOSS));
        assertEquals(0x301, read(io, 1).status());
        done(set(TestTarget.LOCAL, 1, AnaState.OPTIMIZED));
        TestTarget.await("both queues to go", () -> null != host.disconnectReason() && null != io.disconnectReason());
        assertTrue(host.disconnectReason().contains("access to an ANA group was restored"), host.disconnectReason());
        assertNull(otherHost.disconnectReason());
        assertEquals(0, read(target.io(target.admin(), 1), 1).status());
    }

    /** The host that is asked for data has a second for it, which does not pass while this machine is busy. */
    @Test
    void shouldBeDoneWhenCommandsThatCameBeforeAre()
    {
        final HeldClock clock = new HeldClock();
        final ManualDevice device = target.owned(ManualDevice.create(8));
        target.subsystem().addNamespace(new Namespace(2, device, UUID.randomUUID(), 2));
        try (TestReactor home = new TestReactor(clock.reactor(ReactorConfig.of("held", -1)), target.target()))
        {
            final TestHost queue = target.io(host, 2, home);
            clock.hold();
            final CompletableFuture<Completion> written = queue.submit((entry) ->
                entry.opcode(IoOpcode.WRITE).namespaceId(2), new byte[512], true);
            queue.holdData(true);
            final CompletableFuture<Completion> awaiting = queue.submit((entry) ->
                entry.opcode(IoOpcode.WRITE).namespaceId(2).startingLba(1), new byte[512], false);
            assertEquals(1, queue.wantedCount());

            final CompletableFuture<List<UnfinishedCommands>> inaccessible = set(null, 2, AnaState.INACCESSIBLE);
            assertEquals(0x302, read(queue, 2).status());
            assertFalse(inaccessible.isDone());
            home.run(() -> device.completeFirst(BlockStatus.SUCCESS));
            assertEquals(NvmeStatus.SUCCESS, TestHost.await(written).status());
            assertFalse(inaccessible.isDone());
            // It had begun: it goes on with what it had.
            queue.deliverHeld();
            home.run(() -> device.completeFirst(BlockStatus.SUCCESS));
            assertEquals(NvmeStatus.SUCCESS, TestHost.await(awaiting).status());
            clock.release();
            done(inaccessible);
            assertEquals(2, home.call(() -> device.asked().size()));
        }
    }

    /** Changes of several groups come within a moment, and each is done when its own commands are. */
    @Test
    void shouldBeDoneForEachGroupByItselfWhenSeveralChangeAtOnce()
    {
        final HeldClock clock = new HeldClock();
        final ManualDevice second = target.owned(ManualDevice.create(8));
        final ManualDevice third = target.owned(ManualDevice.create(8));
        target.subsystem().addNamespace(new Namespace(2, second, UUID.randomUUID(), 2));
        target.subsystem().addNamespace(new Namespace(3, third, UUID.randomUUID(), 3));
        try (TestReactor home = new TestReactor(clock.reactor(ReactorConfig.of("held", -1)), target.target()))
        {
            final TestHost queue = target.io(host, 2, home);
            clock.hold();
            final CompletableFuture<Completion> ofSecond = queue.submit((entry) ->
                entry.opcode(IoOpcode.WRITE).namespaceId(2), new byte[512], true);
            final CompletableFuture<Completion> ofThird = queue.submit((entry) ->
                entry.opcode(IoOpcode.WRITE).namespaceId(3), new byte[512], true);
            final CompletableFuture<List<UnfinishedCommands>> secondDone = set(null, 2, AnaState.INACCESSIBLE);
            final CompletableFuture<List<UnfinishedCommands>> thirdDone = set(null, 3, AnaState.INACCESSIBLE);
            home.run(() -> second.completeFirst(BlockStatus.SUCCESS));
            assertEquals(NvmeStatus.SUCCESS, TestHost.await(ofSecond).status());
            done(secondDone);
            assertFalse(thirdDone.isDone());
            home.run(() -> third.completeFirst(BlockStatus.SUCCESS));
            assertEquals(NvmeStatus.SUCCESS, TestHost.await(ofThird).status());
            done(thirdDone);
        }
    }

    /** Each poll looks at all who wait. */
    @Test
    void shouldWaitOnceForWhatIsSetOverAndOver()
    {
        final ManualDevice device = target.owned(ManualDevice.create(8));
        target.subsystem().addNamespace(new Namespace(2, device, UUID.randomUUID(), 2));
        target.reactor(1).run(() -> { });
        final CompletableFuture<Completion> written = io.submit((entry) ->
            entry.opcode(IoOpcode.WRITE).namespaceId(2), new byte[512], true);
        final List<CompletableFuture<List<UnfinishedCommands>>> sets = new ArrayList<>();
        final long startNs = System.nanoTime();
        for (int i = 0; i < 1_000; i++)
        {
            sets.add(set(null, 2, AnaState.INACCESSIBLE));
        }
        final int waits = target.reactor(1).call(() -> target.reactor(1).pollGroup().resources().refused().size());
        final long intervals = (System.nanoTime() - startNs) / DrainTimer.CHECK_INTERVAL_NS;
        assertTrue(waits > 0 && waits <= intervals + 2, waits + " waits in " + intervals + " intervals");
        target.reactor(1).run(() -> device.completeFirst(BlockStatus.SUCCESS));
        assertEquals(NvmeStatus.SUCCESS, TestHost.await(written).status());
        sets.forEach(AnaTest::done);
    }

    @Test
    void shouldNotWaitForCommandsThatMayGoOn()
    {
        final ManualDevice device = target.owned(ManualDevice.create(8));
        target.subsystem().addNamespace(new Namespace(2, device, UUID.randomUUID(), 2));
        target.reactor(1).run(() -> { });
        final CompletableFuture<Completion> written = io.submit((entry) ->
            entry.opcode(IoOpcode.WRITE).namespaceId(2), new byte[512], true);
        done(set(null, 1, AnaState.INACCESSIBLE));
        done(set(null, 2, AnaState.NON_OPTIMIZED));
        done(set(OTHER, 2, AnaState.INACCESSIBLE));
        final CompletableFuture<List<UnfinishedCommands>> inaccessible = set(null, 2, AnaState.INACCESSIBLE);
        assertFalse(inaccessible.isDone());
        // Access is back: nobody need wait any more.
        done(set(null, 2, AnaState.OPTIMIZED));
        done(inaccessible);
        target.reactor(1).run(() -> device.completeFirst(BlockStatus.SUCCESS));
        assertEquals(NvmeStatus.SUCCESS, TestHost.await(written).status());
    }

    @Test
    void shouldBeDoneWhenTheConnectionIsGone()
    {
        final ManualDevice device = target.owned(ManualDevice.create(8));
        target.subsystem().addNamespace(new Namespace(2, device, UUID.randomUUID(), 2));
        target.reactor(1).run(() -> { });
        io.submit((entry) -> entry.opcode(IoOpcode.WRITE).namespaceId(2), new byte[512], true);
        final CompletableFuture<List<UnfinishedCommands>> inaccessible = set(null, 2, AnaState.INACCESSIBLE);
        io.close();
        target.reactor(1).run(() -> { });
        assertFalse(inaccessible.isDone());
        target.reactor(1).run(() -> device.completeFirst(BlockStatus.SUCCESS));
        done(inaccessible);
    }

    @Test
    void shouldListStatesByListener()
    {
        target.target().addListener(OTHER);
        target.target().addDiscoveryListener(TransportAddress.tcp("127.0.0.1", 8009));
        add(2, 2);
        add(3, 2);
        final TransportAddress gone = TransportAddress.tcp("127.0.0.1", 4499);
        done(set(OTHER, 1, AnaState.NON_OPTIMIZED));
        done(set(OTHER, 1, AnaState.INACCESSIBLE));
        done(set(gone, 7, AnaState.PERSISTENT_LOSS));
        done(set(null, 8, AnaState.CHANGE));
        final List<String> lines = new ArrayList<>();
        target.subsystem().ana().snapshots().forEach((each) ->
        {
            assertEquals(TestTarget.NQN, each.subsystemNqn());
            lines.add((null == each.listener() ? "any" : each.listener().serviceId()) + ' ' + each.group() + ' ' +
                each.state() + ' ' + each.changes() + ' ' + each.namespaces());
        });
        assertEquals(List.of(
            "4420 1 OPTIMIZED 0 1", "4420 2 OPTIMIZED 0 2", "4420 7 OPTIMIZED 0 0", "4420 8 CHANGE 1 0",
            "4421 1 INACCESSIBLE 2 1", "4421 2 OPTIMIZED 0 2", "4421 7 OPTIMIZED 0 0", "4421 8 CHANGE 1 0",
            "4499 1 OPTIMIZED 0 1", "4499 2 OPTIMIZED 0 2", "4499 7 PERSISTENT_LOSS 1 0", "4499 8 CHANGE 1 0",
            "any 8 CHANGE 1 0"), lines);
    }

    @Test
    void shouldRefuseGroupsThatAreNotThere()
    {
        for (final int group : new int[]{-1, 129, Integer.MAX_VALUE, Integer.MIN_VALUE})
        {
            assertEquals("ANA group " + group + " is not within 1 to 128: choose another, or 0 for all",
                assertThrows(IllegalArgumentException.class, () -> set(null, group, AnaState.OPTIMIZED)).getMessage());
            assertThrows(IllegalArgumentException.class,
                () -> Namespace.of(TestTarget.NQN, 2, target.subsystem().namespace(1).device(), group));
        }
        assertThrows(IllegalArgumentException.class,
            () -> Namespace.of(TestTarget.NQN, 2, target.subsystem().namespace(1).device(), 0));
    }

    @Test
    void shouldEndTransitionsThatTakeLongerThanHostsWereTold()
    {
        final List<String> expired = Collections.synchronizedList(new ArrayList<>());
        final Target hurried = new Target(new TargetConfig(4, 128, 1 << 20, 16, 3), new TargetListener()
        {
            @Override
            public void onAnaTransitionExpired(
                final String subsystemNqn, final TransportAddress listener, final int group)
            {
                expired.add(subsystemNqn + ' ' + (null == listener ? "any" : listener.serviceId()) + ' ' + group);
            }
        });
        try (MemoryDevice device = MemoryDevice.create("mem1", 1 << 20, 512);
            TestReactor reactor = new TestReactor("hurried", hurried))
        {
            final Subsystem subsystem = new Subsystem(SubsystemConfig.open(TestTarget.NQN));
            subsystem.addNamespace(Namespace.of(TestTarget.NQN, 1, device));
            done(subsystem.ana().set(null, 2, AnaState.CHANGE));
            hurried.addSubsystem(subsystem);
            final TestHost admin = reactor.connect(TestTarget.LOCAL);
            admin.connect(TestTarget.NQN, 0, ConnectData.CONTROLLER_ID_DYNAMIC);
            admin.enable();
            final CompletableFuture<Completion> event = event(admin);
            done(subsystem.ana().set(TestTarget.LOCAL, 1, AnaState.CHANGE));
            done(subsystem.ana().set(OTHER, 1, AnaState.CHANGE));
            done(subsystem.ana().set(OTHER, 1, AnaState.OPTIMIZED));
            assertEquals(AnaState.CHANGE.code(), state(admin, 1));
            assertEquals(0x0C_03_02, TestHost.await(event).result0());
            assertEquals(AnaState.INACCESSIBLE.code(), state(admin, 1));
            TestTarget.await("transitions to be told", () -> expired.size() >= 4);
            Collections.sort(expired);
            final String nqn = TestTarget.NQN;
            assertEquals(List.of(nqn + " 4420 1", nqn + " 4420 2", nqn + " 4421 2", nqn + " any 2"), expired);
        }
    }
}
