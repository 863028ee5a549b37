package io.millrace.nvmf;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.millrace.nvme.AdminOpcode;
import io.millrace.nvme.ConnectData;
import io.millrace.nvme.ControllerCapabilities;
import io.millrace.nvme.ControllerConfiguration;
import io.millrace.nvme.ControllerProperty;
import io.millrace.nvme.ControllerStatus;
import io.millrace.nvme.NvmeStatus;
import io.millrace.nvme.PropertyCommand;
import java.util.EnumSet;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;

class ControllerTest
{
    private static final int ENABLED = ControllerConfiguration.ENABLE |
        ControllerConfiguration.SUBMISSION_ENTRY_64 | ControllerConfiguration.COMPLETION_ENTRY_16;
    private static final Map<ControllerState, EnumSet<ControllerState>> TRANSITIONS = Map.of(
        ControllerState.DISABLED, EnumSet.of(ControllerState.ENABLING, ControllerState.READY, ControllerState.SHUTDOWN,
            ControllerState.FAILED, ControllerState.DEAD),
        ControllerState.ENABLING, EnumSet.of(ControllerState.READY, ControllerState.RESETTING,
            ControllerState.SHUTTING_DOWN, ControllerState.FAILED, ControllerState.DEAD),
        ControllerState.READY, EnumSet.of(ControllerState.RESETTING, ControllerState.SHUTTING_DOWN,
            ControllerState.FAILED, ControllerState.DEAD),
        ControllerState.RESETTING, EnumSet.of(ControllerState.DISABLED, ControllerState.FAILED, ControllerState.DEAD),
        ControllerState.SHUTTING_DOWN, EnumSet.of(ControllerState.SHUTDOWN, ControllerState.RESETTING,
            ControllerState.FAILED, ControllerState.DEAD),
        ControllerState.SHUTDOWN, EnumSet.of(ControllerState.ENABLING, ControllerState.READY, ControllerState.RESETTING,
            ControllerState.FAILED, ControllerState.DEAD),
        ControllerState.FAILED, EnumSet.of(ControllerState.RESETTING, ControllerState.DEAD),
        ControllerState.DEAD, EnumSet.noneOf(ControllerState.class));

    private final TestTarget target = new TestTarget(2);

    @AfterEach
    void close()
    {
        target.close();
    }

    @ParameterizedTest
    @EnumSource(ControllerState.class)
    void shouldAllowTheTransitionsOfTheTableOnly(final ControllerState from)
    {
        for (final ControllerState to : ControllerState.values())
        {
            assertEquals(TRANSITIONS.get(from).contains(to), from.mayBecome(to), from + " to " + to);
        }
    }

    private TestHost connected()
    {
        final TestHost host = target.connection();
        assertEquals(NvmeStatus.SUCCESS,
            host.connect(TestTarget.NQN, 0, ConnectData.CONTROLLER_ID_DYNAMIC).status());
        return host;
    }

    @Test
    void shouldTellItsProperties()
    {
        final TestHost host = connected();
        final long capabilities =
            host.propertyGet(ControllerProperty.CAPABILITIES, PropertyCommand.SIZE_8).result();
        assertEquals(1024, ControllerCapabilities.queueEntriesMax(capabilities));
        assertEquals(5000, ControllerCapabilities.timeoutMs(capabilities));
        assertEquals(12, ControllerCapabilities.memoryPageShiftMin(capabilities));
        assertTrue(0 != (capabilities & ControllerCapabilities.CONTIGUOUS_QUEUES));
        assertEquals((int)capabilities,
            host.propertyGet(ControllerProperty.CAPABILITIES, PropertyCommand.SIZE_4).result());
        assertEquals((int)(capabilities >>> 32),
            host.propertyGet(ControllerProperty.CAPABILITIES + 4, PropertyCommand.SIZE_4).result());
        assertEquals(0x20000, host.propertyGet(ControllerProperty.VERSION, PropertyCommand.SIZE_4).result());
        assertEquals(0, host.propertyGet(ControllerProperty.CONFIGURATION, PropertyCommand.SIZE_4).result());
        assertEquals(0, host.status());
        assertEquals(10, host.propertyGet(ControllerProperty.READY_TIMEOUTS, PropertyCommand.SIZE_4).result());
    }

    @Test
    void shouldRefusePropertiesThatAreNotThere()
    {
        final TestHost host = connected();
        for (final int offset : new int[]{0x0C, 0x10, 0x15, 0x18, 0x20, 0x24, 0x28, 0x30, 0x38, 0x1000, -4})
        {
            assertEquals(NvmeStatus.INVALID_FIELD, host.propertyGet(offset, PropertyCommand.SIZE_4).code());
        }
        for (final int size : new int[]{2, 3, 7})
        {
            assertEquals(NvmeStatus.INVALID_FIELD, host.propertyGet(ControllerProperty.VERSION, size).code());
        }
        assertEquals(NvmeStatus.INVALID_FIELD,
            host.propertyGet(ControllerProperty.VERSION, PropertyCommand.SIZE_8).code());
        for (final int offset : new int[]{0x00, 0x08, 0x1C, 0x20, 0x68})
        {
            assertEquals(NvmeStatus.INVALID_FIELD, host.propertySet(offset, PropertyCommand.SIZE_4, 1).code());
        }
        assertEquals(NvmeStatus.INVALID_FIELD,
            host.propertySet(ControllerProperty.CONFIGURATION, PropertyCommand.SIZE_8, ENABLED).code());
    }

    @Test
    void shouldBecomeReadyWhenEnabled()
    {
        final TestHost host = connected();
        assertEquals(NvmeStatus.SUCCESS, host.configure(ENABLED).status());
        assertEquals(ControllerStatus.READY, host.status());
        assertEquals(ENABLED, host.propertyGet(ControllerProperty.CONFIGURATION, PropertyCommand.SIZE_4).result0());
        assertEquals(NvmeStatus.SUCCESS, host.execute((entry) -> entry.opcode(AdminOpcode.KEEP_ALIVE)).status());
    }

    @ParameterizedTest
    @ValueSource(ints = {ControllerConfiguration.ENABLE,
        ENABLED | 1 << 7, ENABLED | 1 << 11, ENABLED | 1 << 4, ENABLED | 7 << 4, ENABLED | 3 << 14,
        ENABLED & ~ControllerConfiguration.SUBMISSION_ENTRY_MASK,
        ENABLED & ~ControllerConfiguration.COMPLETION_ENTRY_MASK})
    void shouldRefuseConfigurationsThatAreNotSupported(final int configuration)
    {
        final TestHost host = connected();
        assertEquals(NvmeStatus.INVALID_FIELD, host.configure(configuration).code());
        assertEquals(0, host.status());
        assertEquals(NvmeStatus.SUCCESS, host.enable().status());
        assertEquals(ControllerStatus.READY, host.status());
    }

    @Test
    void shouldTakeAllCommandSetsAndEntrySizesBeforeEnable()
    {
        final TestHost host = connected();
        assertEquals(NvmeStatus.SUCCESS, host.configure(ControllerConfiguration.COMMAND_SET_ALL).status());
        assertEquals(NvmeStatus.SUCCESS, host.configure(ENABLED | ControllerConfiguration.COMMAND_SET_ALL).status());
        assertEquals(ControllerStatus.READY, host.status());
    }

    @Test
    void shouldDisconnectIoQueuesOnResetAndTakeNewOnesAfterwards()
    {
        final TestHost admin = target.admin();
        final TestHost near = target.io(admin, 1, 0);
        final TestHost far = target.io(admin, 2, 1);
        final CompletableFuture<Completion> event =
            admin.submit((entry) -> entry.opcode(AdminOpcode.ASYNC_EVENT_REQUEST));
        assertEquals(NvmeStatus.SUCCESS, admin.configure(ENABLED & ~ControllerConfiguration.ENABLE).status());
        assertEquals(NvmeStatus.ABORT_REQUESTED, TestHost.await(event).code());
        TestTarget.await("not ready", () -> 0 == admin.status());
        assertEquals("controller reset", near.disconnectReason());
        assertEquals("controller reset", far.disconnectReason());
        assertEquals(NvmeStatus.COMMAND_SEQUENCE_ERROR,
            admin.execute((entry) -> entry.opcode(AdminOpcode.KEEP_ALIVE)).code());
        assertEquals(NvmeStatus.SUCCESS, admin.enable().status());
        target.io(admin, 1, 1);
        assertNull(admin.disconnectReason());
    }

    @Test
    void shouldShutDown()
    {
        final TestHost admin = target.admin();
        final TestHost io = target.io(admin, 1, 1);
        assertEquals(NvmeStatus.SUCCESS, admin.configure(ENABLED | ControllerConfiguration.SHUTDOWN_NORMAL).status());
        TestTarget.await("shut down", () -> ControllerStatus.SHUTDOWN_COMPLETE ==
            (admin.status() & ControllerStatus.SHUTDOWN_MASK));
        assertEquals("controller shutdown", io.disconnectReason());
        assertEquals(NvmeStatus.COMMAND_SEQUENCE_ERROR,
            target.connection().connect(TestTarget.NQN, 1, admin.queuePair().association().id()).code());
        // The way back leads over a reset.
        assertEquals(NvmeStatus.SUCCESS, admin.configure(0).status());
        assertEquals(0, admin.status());
        assertEquals(NvmeStatus.SUCCESS, admin.enable().status());
        assertEquals(ControllerStatus.READY, admin.status());
    }

    @Test
    void shouldShutDownAtOnceWhenDisabled()
    {
        final TestHost host = connected();
        assertEquals(NvmeStatus.SUCCESS, host.configure(ControllerConfiguration.SHUTDOWN_ABRUPT).status());
        assertEquals(ControllerStatus.SHUTDOWN_COMPLETE, host.status());
        assertEquals(NvmeStatus.SUCCESS, host.enable().status());
        assertEquals(ControllerStatus.READY, host.status());
    }

    @Test
    void shouldEndWithItsSubsystem()
    {
        final TestHost admin = target.admin();
        final TestHost io = target.io(admin, 1, 1);
        assertTrue(target.target().removeSubsystem(TestTarget.NQN).orTimeout(10, java.util.concurrent.TimeUnit.SECONDS)
            .join());
        TestTarget.await("disconnect", () -> null != admin.disconnectReason() && null != io.disconnectReason());
        TestTarget.await("gone", () -> 0 == target.subsystem().controllers().count());
        assertEquals(NvmeStatus.CONNECT_INVALID_PARAMETERS,
            target.connection().connect(TestTarget.NQN, 0, ConnectData.CONTROLLER_ID_DYNAMIC).code());
        TestTarget.await("told", () -> target.log().stream().anyMatch((line) -> line.contains("is no longer served")));
        assertFalse(target.target().removeSubsystem(TestTarget.NQN).join());
    }
}
