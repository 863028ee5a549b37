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
import io.millrace.reactor.Poller;
import io.millrace.testing.MeasuresTime;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@MeasuresTime
class KeepAliveTest
{
    private static final long SECOND_NS = 1_000_000_000;

    private final TestTarget target = new TestTarget(2);

    @AfterEach
    void close()
    {
        target.close();
    }

    private TestHost admin(final int timeoutMs)
    {
        final TestHost host = target.connection();
        host.connect(TestTarget.NQN, 0, ConnectData.CONTROLLER_ID_DYNAMIC,
            (command, data) -> command.keepAliveTimeoutMs(timeoutMs));
        host.enable();
        return host;
    }

    @Test
    void shouldEndTheAssociationWhenNoCommandComes()
    {
        final long startNs = System.nanoTime();
        final TestHost admin = admin(300);
        final TestHost io = target.io(admin, 1, 1);
        final TestHost other = target.admin();
        TestTarget.await("keep alive", () -> null != admin.disconnectReason() && null != io.disconnectReason());
        assertTrue(System.nanoTime() - startNs >= SECOND_NS, "timeouts are rounded up to a second");
        assertTrue(admin.disconnectReason().contains("keep alive"), admin.disconnectReason());
        TestTarget.await("gone", () -> 1 == target.subsystem().controllers().count());
        // The listener is notified when the controller is gone, and not before.
        TestTarget.await("told", () -> target.log().getLast().contains("keep alive"));
        assertNull(other.disconnectReason());
    }

    @Test
    void shouldTakeCommandsOnAnyQueueForASignOfLife()
    {
        // Long enough that a machine which stands still for a moment does not look like a host that went.
        final TestHost admin = admin(2000);
        final TestHost io = target.io(admin, 1, 1);
        final long startNs = System.nanoTime();
        TestTarget.await("time passes", () ->
        {
            assertEquals(NvmeStatus.SUCCESS,
                io.execute((entry) -> entry.opcode(IoOpcode.FLUSH).namespaceId(1)).status());
            return System.nanoTime() - startNs > 9 * SECOND_NS / 2;
        });
        assertNull(admin.disconnectReason());
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
        assertEquals(NvmeStatus.SUCCESS, admin.execute((entry) ->
            entry.opcode(AdminOpcode.SET_FEATURES).cdw10(FeatureId.KEEP_ALIVE_TIMER).cdw11(5001)).status());
        assertEquals(6000, admin.execute((entry) ->
            entry.opcode(AdminOpcode.GET_FEATURES).cdw10(FeatureId.KEEP_ALIVE_TIMER)).result0());
        admin.execute((entry) ->
            entry.opcode(AdminOpcode.SET_FEATURES).cdw10(FeatureId.KEEP_ALIVE_TIMER).cdw11(1));
        TestTarget.await("keep alive", () -> null != admin.disconnectReason());
    }

    @Test
    void shouldTakeTheLargestTimeout()
    {
        final TestHost admin = admin(-1);
        assertEquals(4_294_967_000L, Integer.toUnsignedLong(admin.execute((entry) ->
            entry.opcode(AdminOpcode.GET_FEATURES).cdw10(FeatureId.KEEP_ALIVE_TIMER)).result0()));
        assertNull(admin.disconnectReason());
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
        home.run(() -> home.reactor().addPoller(others));
        final CompletableFuture<Completion> alive =
            admin.submit((entry) -> entry.opcode(AdminOpcode.KEEP_ALIVE));
        // By the reactor's own timers, which come in order, however long it stands still.
        final CompletableFuture<Long> later = new CompletableFuture<>();
        home.run(() -> home.reactor().schedule(home.reactor().nowNs() + 7 * SECOND_NS / 2, later::complete));
        later.orTimeout(30, TimeUnit.SECONDS).join();
        assertNull(admin.disconnectReason());
        assertFalse(alive.isDone(), "its turn has come: nothing was tested");
        home.run(() -> home.reactor().removePoller(others));
        assertEquals(NvmeStatus.SUCCESS, TestHost.await(alive).status());
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
    @Timeout(value = 60, unit = TimeUnit.SECONDS)
    void shouldGiveUpDiscoveryControllersThatSayNothingWhilePlacesAreScarce()
    {
        final long startNs = System.nanoTime();
        final TestHost silent = discovery(0);
        silent.enable();
        final TestHost notReady = discovery(1000);
        final TestHost elsewhere = discovery(0);
        elsewhere.enable();
        final TestHost persistent = discovery(30_000);
        persistent.enable();
        for (final TestHost each : new TestHost[]{silent, notReady, persistent})
        {
            each.crowded(true);
        }
        while (null == silent.disconnectReason() || null == notReady.disconnectReason())
        {
            LockSupport.parkNanos(1_000_000);
        }
        assertTrue(System.nanoTime() - startNs >= TimeUnit.MILLISECONDS.toNanos(KeepAlive.SCARCE_MS));
        assertTrue(silent.disconnectReason().contains("scarce"), silent.disconnectReason());
        assertNull(elsewhere.disconnectReason());
        assertNull(persistent.disconnectReason());
    }
}
