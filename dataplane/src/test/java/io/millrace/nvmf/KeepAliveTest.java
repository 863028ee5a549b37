package io.millrace.nvmf;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.millrace.nvme.AdminOpcode;
import io.millrace.nvme.ConnectData;
import io.millrace.nvme.FeatureId;
import io.millrace.nvme.IoOpcode;
import io.millrace.nvme.NvmeStatus;
import io.millrace.nvmf.config.Nqn;
import io.millrace.reactor.HeldClock;
import io.millrace.reactor.Poller;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** By a clock that stands unless a test advances it, so that what is measured does not depend on the machine. */
class KeepAliveTest
{
    private static final long SECOND_NS = 1_000_000_000;
    private static final int REACTORS = 2;

    private final HeldClock clock = new HeldClock();
    private final TestTarget target = new TestTarget(REACTORS, clock);

    @BeforeEach
    void hold()
    {
        clock.hold();
    }

    @AfterEach
    void close()
    {
        clock.release();
        target.close();
    }

    private TestHost admin(final int timeoutMs)
    {
        final TestHost host = target.connection();
        host.connect(TestTarget.NQN, 0, ConnectData.CONTROLLER_ID_DYNAMIC,
            (command, data) -> command.keepAliveTimeoutMs(timeoutMs));
        host.enable();
        // Until then its association is kept for two minutes.
        TestTarget.await("controller to be ready", () -> 0 != host.status());
        return host;
    }

    /** Time passes, on all reactors, and what was due has happened. */
    private void pass(final long ns)
    {
        final long nowNs = clock.advance(ns);
        for (int i = 0; i < REACTORS; i++)
        {
            final TestReactor each = target.reactor(i);
            // Tasks may run in a cycle that has begun before, but timers go by its time.
            final CompletableFuture<Long> passed = new CompletableFuture<>();
            each.run(() -> each.reactor().schedule(nowNs, passed::complete));
            passed.orTimeout(30, TimeUnit.SECONDS).join();
            each.run(() -> { });
        }
    }

    @Test
    void shouldEndTheAssociationWhenNoCommandComes()
    {
        final TestHost admin = admin(300);
        final TestHost io = target.io(admin, 1, 1);
        final TestHost other = target.admin();
        // Timeouts are rounded up to a second.
        pass(SECOND_NS - 1);
        assertNull(admin.disconnectReason());
        assertNull(io.disconnectReason());
        pass(1);
        TestTarget.await("keep alive", () -> null != admin.disconnectReason() && null != io.disconnectReason());
        assertTrue(admin.disconnectReason().contains("no command for 1000 ms: keep alive"), admin.disconnectReason());
        TestTarget.await("gone", () -> 1 == target.subsystem().controllers().count());
        // The listener is notified when the controller is gone, and not before.
        TestTarget.await("told", () -> target.log().getLast().contains("keep alive"));
        assertNull(other.disconnectReason());
    }

    @Test
    void shouldTakeCommandsOnAnyQueueForASignOfLife()
    {
        final TestHost admin = admin(2000);
        final TestHost io = target.io(admin, 1, 1);
        for (int i = 0; i < 5; i++)
        {
            pass(2 * SECOND_NS - 1);
            assertNull(admin.disconnectReason());
            assertEquals(NvmeStatus.SUCCESS,
                io.execute((entry) -> entry.opcode(IoOpcode.FLUSH).namespaceId(1)).status());
        }
        pass(2 * SECOND_NS - 1);
        assertNull(admin.disconnectReason());
        pass(1);
        TestTarget.await("keep alive", () -> null != admin.disconnectReason());
    }

    @Test
    void shouldGoByTheTimeoutThatWasSet()
    {
        final TestHost admin = admin(0);
        assertEquals(0, admin.execute((entry) ->
            entry.opcode(AdminOpcode.GET_FEATURES).cdw10(FeatureId.KEEP_ALIVE_TIMER)).result0());
        assertEquals(NvmeStatus.KEEP_ALIVE_INVALID, admin.execute((entry) ->
            entry.opcode(AdminOpcode.SET_FEATURES).cdw10(FeatureId.KEEP_ALIVE_TIMER)).code());
        pass(600 * SECOND_NS);
        assertNull(admin.disconnectReason());
        assertEquals(NvmeStatus.SUCCESS, admin.execute((entry) ->
            entry.opcode(AdminOpcode.SET_FEATURES).cdw10(FeatureId.KEEP_ALIVE_TIMER).cdw11(5001)).status());
        assertEquals(6000, admin.execute((entry) ->
            entry.opcode(AdminOpcode.GET_FEATURES).cdw10(FeatureId.KEEP_ALIVE_TIMER)).result0());
        pass(6 * SECOND_NS - 1);
        assertNull(admin.disconnectReason());
        admin.execute((entry) ->
            entry.opcode(AdminOpcode.SET_FEATURES).cdw10(FeatureId.KEEP_ALIVE_TIMER).cdw11(1));
        pass(SECOND_NS - 1);
        assertNull(admin.disconnectReason());
        pass(1);
        TestTarget.await("keep alive", () -> null != admin.disconnectReason());
    }

    @Test
    void shouldTakeTheLargestTimeout()
    {
        final TestHost admin = admin(-1);
        assertEquals(4_294_967_000L, Integer.toUnsignedLong(admin.execute((entry) ->
            entry.opcode(AdminOpcode.GET_FEATURES).cdw10(FeatureId.KEEP_ALIVE_TIMER)).result0()));
        pass(4_294_966 * SECOND_NS);
        assertNull(admin.disconnectReason());
        pass(SECOND_NS);
        TestTarget.await("keep alive", () -> null != admin.disconnectReason());
    }

    /** Others keep the reactor's time for admin commands: a host has said that it is there, and cannot do more. */
    @Test
    void shouldNotEndAnAssociationWhoseCommandWaitsForItsTurn()
    {
        final TestHost admin = admin(1000);
        final TestReactor home = target.reactor(0);
        // After the poll group, which begins a new turn, and before commands are offered again.
        final Poller others = () ->
        {
            AdminTurns.spend(home.pollGroup());
            return 1;
        };
        home.run(() ->
        {
            home.reactor().addPoller(others);
            // The command may come in this very cycle, whose pollers have run.
            AdminTurns.spend(home.pollGroup());
        });
        final CompletableFuture<Completion> alive =
            admin.submit((entry) -> entry.opcode(AdminOpcode.KEEP_ALIVE));
        for (int i = 0; i < 7; i++)
        {
            pass(SECOND_NS / 2);
        }
        assertFalse(alive.isDone(), "its turn has come: nothing was tested");
        assertNull(admin.disconnectReason());
        home.run(() -> home.reactor().removePoller(others));
        assertEquals(NvmeStatus.SUCCESS, TestHost.await(alive).status());
        pass(SECOND_NS - 1);
        assertNull(admin.disconnectReason());
        pass(1);
        TestTarget.await("keep alive", () -> null != admin.disconnectReason());
    }

    private TestHost discovery(final int timeoutMs)
    {
        final TestHost host = target.connection();
        host.connect(Nqn.DISCOVERY, 0, ConnectData.CONTROLLER_ID_DYNAMIC,
            (command, data) -> command.keepAliveTimeoutMs(timeoutMs));
        return host;
    }

    /** Any host may have a discovery controller, so those that say nothing make room while there is little. */
    @Test
    void shouldGiveUpDiscoveryControllersThatSayNothingWhilePlacesAreScarce()
    {
        final TestHost silent = discovery(0);
        silent.enable();
        final TestHost notReady = discovery(1000);
        final TestHost elsewhere = discovery(0);
        elsewhere.enable();
        final TestHost persistent = discovery(30_000);
        persistent.enable();
        for (final TestHost each : new TestHost[]{silent, elsewhere, persistent})
        {
            TestTarget.await("controller to be ready", () -> 0 != each.status());
        }
        for (final TestHost each : new TestHost[]{silent, notReady, persistent})
        {
            each.crowded(true);
        }
        pass(TimeUnit.MILLISECONDS.toNanos(KeepAlive.SCARCE_MS) - 1);
        assertNull(silent.disconnectReason());
        assertNull(notReady.disconnectReason());
        pass(1);
        TestTarget.await("both to go", () -> null != silent.disconnectReason() && null != notReady.disconnectReason());
        assertTrue(silent.disconnectReason().contains("scarce"), silent.disconnectReason());
        assertNull(elsewhere.disconnectReason());
        assertNull(persistent.disconnectReason());
        pass(20 * SECOND_NS);
        TestTarget.await("keep alive", () -> null != persistent.disconnectReason());
        assertTrue(persistent.disconnectReason().contains("ran out"), persistent.disconnectReason());
        pass(90 * SECOND_NS - 1);
        assertNull(elsewhere.disconnectReason());
        pass(1);
        TestTarget.await("two minutes", () -> null != elsewhere.disconnectReason());
    }
}
