package io.millrace.nvmf;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.millrace.block.BlockStatus;
import io.millrace.nvme.AdminOpcode;
import io.millrace.nvme.AsyncEvent;
import io.millrace.nvme.FeatureId;
import io.millrace.nvme.IoOpcode;
import io.millrace.nvme.NvmeStatus;
import io.millrace.nvme.identify.IdentifyCns;
import io.millrace.nvmf.config.Nqn;
import io.millrace.nvmf.namespace.Namespace;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.List;
import java.util.UUID;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class FeaturesTest
{
    private final TestTarget target = new TestTarget(1);
    private final TestHost host = target.admin();

    @AfterEach
    void close()
    {
        target.close();
    }

    private Completion get(final int id, final int select, final int dword11)
    {
        return get(host, id, select, dword11);
    }

    private static Completion get(final TestHost host, final int id, final int select, final int dword11)
    {
        return host.execute((entry) -> entry.opcode(AdminOpcode.GET_FEATURES).cdw10(id | select << 8).cdw11(dword11));
    }

    private Completion set(final int id, final int value)
    {
        return set(host, id, value);
    }

    private static Completion set(final TestHost host, final int id, final int value)
    {
        return host.execute((entry) -> entry.opcode(AdminOpcode.SET_FEATURES).cdw10(id).cdw11(value));
    }

    @ParameterizedTest
    @CsvSource({
        "0x01, 0x01020307, 0x01020307, 0",
        "0x01, 0xFF, 0x07, 0",
        "0x02, 0x40, 0x40, 0",
        "0x04, 0x0150, 0x0150, 0x157",
        "0x0A, 0xFF, 1, 0",
        "0x0B, 0x9FF, 0x9FF, 0x900",
    })
    void shouldKeepWhatWasSet(final String id, final String value, final String kept, final String initial)
    {
        final int feature = Integer.decode(id);
        assertEquals(Integer.decode(initial), get(feature, FeatureId.SELECT_CURRENT, 0).result0());
        assertEquals(NvmeStatus.SUCCESS, set(feature, Integer.decode(value)).status());
        assertEquals(Integer.decode(kept), get(feature, FeatureId.SELECT_CURRENT, 0).result0());
        assertEquals(Integer.decode(initial), get(feature, FeatureId.SELECT_DEFAULT, 0).result0());
        assertEquals(Integer.decode(initial), get(feature, FeatureId.SELECT_SAVED, 0).result0());
        assertEquals(4, get(feature, FeatureId.SELECT_CAPABILITIES, 0).result0());
    }

    @Test
    void shouldRefuseFeaturesItDoesNotHave()
    {
        final List<Integer> known = List.of(0x01, 0x02, 0x04, 0x05, 0x07, 0x08, 0x09, 0x0A, 0x0B, 0x0E, 0x0F, 0x81);
        for (int id = 0; id < 256; id++)
        {
            if (!known.contains(id))
            {
                final Completion refused = get(id, FeatureId.SELECT_CURRENT, 0);
                assertEquals(NvmeStatus.INVALID_FIELD, refused.code(), "feature " + id);
                assertFalse(refused.isRetryable());
                assertEquals(NvmeStatus.INVALID_FIELD, set(id, 0).code(), "feature " + id);
            }
        }
    }

    @ParameterizedTest
    @ValueSource(ints = {4, 5, 6, 7})
    void shouldRefuseSelectionsThatAreReserved(final int select)
    {
        assertEquals(NvmeStatus.INVALID_FIELD, get(FeatureId.ARBITRATION, select, 0).code());
    }

    @Test
    void shouldSaveNothing()
    {
        final Completion refused = set(FeatureId.ARBITRATION | FeatureId.SAVE, 0);
        assertEquals(NvmeStatus.FEATURE_NOT_SAVEABLE | NvmeStatus.DO_NOT_RETRY, refused.status());
    }

    @Test
    void shouldRefuseToSetAFeatureOfTheControllerForANamespace()
    {
        assertEquals(NvmeStatus.FEATURE_NOT_NAMESPACE_SPECIFIC, host.execute((entry) ->
            entry.opcode(AdminOpcode.SET_FEATURES).namespaceId(1).cdw10(FeatureId.ARBITRATION)).code());
        assertEquals(NvmeStatus.SUCCESS, host.execute((entry) ->
            entry.opcode(AdminOpcode.SET_FEATURES).namespaceId(-1).cdw10(FeatureId.ARBITRATION)).status());
    }

    @Test
    void shouldGrantQueues()
    {
        assertEquals(127 << 16 | 127, get(FeatureId.NUMBER_OF_QUEUES, 0, 0).result0());
        assertEquals(3 << 16 | 3, set(FeatureId.NUMBER_OF_QUEUES, 7 << 16 | 3).result0());
        assertEquals(3 << 16 | 3, get(FeatureId.NUMBER_OF_QUEUES, 0, 0).result0());
        assertEquals(127 << 16 | 127, set(FeatureId.NUMBER_OF_QUEUES, 0xFFFE << 16 | 0xFFFE).result0());
        assertEquals(NvmeStatus.INVALID_FIELD, set(FeatureId.NUMBER_OF_QUEUES, 0xFFFF).code());
        assertEquals(NvmeStatus.INVALID_FIELD, set(FeatureId.NUMBER_OF_QUEUES, 0xFFFF << 16).code());
        set(FeatureId.NUMBER_OF_QUEUES, 1 << 16 | 1);
        target.io(host, 2);
        assertEquals(NvmeStatus.CONNECT_INVALID_PARAMETERS,
            target.connection().connect(TestTarget.NQN, 3, host.queuePair().association().id()).code());
        assertEquals(NvmeStatus.COMMAND_SEQUENCE_ERROR, set(FeatureId.NUMBER_OF_QUEUES, 7 << 16 | 7).code());
    }

    @Test
    void shouldTellInterruptSettingsThatCannotBeChanged()
    {
        assertEquals(0, get(FeatureId.INTERRUPT_COALESCING, 0, 0).result0());
        assertEquals(1 << 16 | 5, get(FeatureId.INTERRUPT_VECTOR_CONFIGURATION, 0, 5).result0());
        assertEquals(NvmeStatus.FEATURE_NOT_CHANGEABLE, set(FeatureId.INTERRUPT_COALESCING, 0).code());
        assertEquals(NvmeStatus.FEATURE_NOT_CHANGEABLE, set(FeatureId.INTERRUPT_VECTOR_CONFIGURATION, 0).code());
        assertEquals(0, get(FeatureId.INTERRUPT_COALESCING, FeatureId.SELECT_CAPABILITIES, 0).result0());
    }

    @Test
    void shouldRefusePowerStatesAndSensorsThatAreNotThere()
    {
        assertEquals(NvmeStatus.INVALID_FIELD, set(FeatureId.POWER_MANAGEMENT, 1).code());
        assertEquals(NvmeStatus.INVALID_FIELD, set(FeatureId.TEMPERATURE_THRESHOLD, 1 << 16).code());
        assertEquals(NvmeStatus.INVALID_FIELD, set(FeatureId.TEMPERATURE_THRESHOLD, 2 << 20).code());
        assertEquals(NvmeStatus.SUCCESS, set(FeatureId.TEMPERATURE_THRESHOLD, 1 << 20 | 0xF << 16 | 5).status());
        assertEquals(5, get(FeatureId.TEMPERATURE_THRESHOLD, 0, 1 << 20).result0());
        assertEquals(0x157, get(FeatureId.TEMPERATURE_THRESHOLD, 0, 0).result0());
    }

    @Test
    void shouldKeepErrorRecoveryForEachNamespace()
    {
        target.subsystem().addNamespace(new Namespace(2, target.subsystem().namespace(1).device(), UUID.randomUUID()));
        assertEquals(NvmeStatus.SUCCESS, setRecovery(-1, 7).status());
        assertEquals(NvmeStatus.SUCCESS, setRecovery(2, 9).status());
        assertEquals(7, getRecovery(1).result0());
        assertEquals(9, getRecovery(2).result0());
        assertEquals(NvmeStatus.INVALID_NAMESPACE, setRecovery(3, 1).code());
        assertEquals(NvmeStatus.INVALID_NAMESPACE, setRecovery(0, 1).code());
        assertEquals(NvmeStatus.INVALID_NAMESPACE, getRecovery(-1).code());
        assertEquals(NvmeStatus.INVALID_FIELD, setRecovery(1, 1 << 16).code());
        assertEquals(6, get(FeatureId.ERROR_RECOVERY, FeatureId.SELECT_CAPABILITIES, 0).result0());
    }

    private Completion setRecovery(final int nsid, final int value)
    {
        return host.execute((entry) -> entry.opcode(AdminOpcode.SET_FEATURES).namespaceId(nsid)
            .cdw10(FeatureId.ERROR_RECOVERY).cdw11(value));
    }

    private Completion getRecovery(final int nsid)
    {
        return host.execute((entry) -> entry.opcode(AdminOpcode.GET_FEATURES).namespaceId(nsid)
            .cdw10(FeatureId.ERROR_RECOVERY));
    }

    @Test
    void shouldTellTheHostIdentifier()
    {
        final Completion got = host.execute((entry) -> entry.opcode(AdminOpcode.GET_FEATURES)
            .cdw10(FeatureId.HOST_IDENTIFIER).cdw11(1).sglLength(16));
        assertArrayEquals(TestHost.HOST_ID, got.data());
        assertEquals(NvmeStatus.HOST_ID_INCONSISTENT_FORMAT, host.execute((entry) ->
            entry.opcode(AdminOpcode.GET_FEATURES).cdw10(FeatureId.HOST_IDENTIFIER).sglLength(8)).code());
        assertEquals(NvmeStatus.DATA_SGL_LENGTH_INVALID, host.execute((entry) ->
            entry.opcode(AdminOpcode.GET_FEATURES).cdw10(FeatureId.HOST_IDENTIFIER).cdw11(1).sglLength(8)).code());
        assertEquals(NvmeStatus.COMMAND_SEQUENCE_ERROR, set(FeatureId.HOST_IDENTIFIER, 1).code());
    }

    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    void shouldKeepTheTimestamp(final boolean inCapsule)
    {
        final long before = timestamp(0);
        assertTrue(Math.abs(before - System.currentTimeMillis()) < 60_000);
        final byte[] bytes = ByteBuffer.allocate(8).order(ByteOrder.LITTLE_ENDIAN).putLong(123_456_789L).array();
        assertEquals(NvmeStatus.SUCCESS, host.execute((entry) ->
            entry.opcode(AdminOpcode.SET_FEATURES).cdw10(FeatureId.TIMESTAMP), bytes, inCapsule).status());
        final long after = timestamp(0);
        assertEquals(1, after >>> 49);
        final long epochMs = after & 0xFFFF_FFFF_FFFFL;
        assertTrue(epochMs >= 123_456_789L && epochMs < 123_456_789L + 60_000, "timestamp " + epochMs);
        assertEquals(0, timestamp(FeatureId.SELECT_DEFAULT));
        assertEquals(NvmeStatus.DATA_SGL_LENGTH_INVALID, host.execute((entry) ->
            entry.opcode(AdminOpcode.SET_FEATURES).cdw10(FeatureId.TIMESTAMP), new byte[7], inCapsule).code());
    }

    private long timestamp(final int select)
    {
        final Completion got = host.execute((entry) -> entry.opcode(AdminOpcode.GET_FEATURES)
            .cdw10(FeatureId.TIMESTAMP | select << 8).sglLength(8));
        assertEquals(NvmeStatus.SUCCESS, got.status());
        return ByteBuffer.wrap(got.data()).order(ByteOrder.LITTLE_ENDIAN).getLong();
    }

    @Test
    void shouldWriteThroughWhenTheCacheIsTurnedOff()
    {
        final ManualDevice device = target.owned(ManualDevice.create(4));
        device.automatic(BlockStatus.SUCCESS);
        target.subsystem().addNamespace(new Namespace(2, device, UUID.randomUUID()));
        final TestHost io = target.io(host, 1);
        assertEquals(1, get(FeatureId.VOLATILE_WRITE_CACHE, 0, 0).result0());
        write(io);
        assertEquals(NvmeStatus.SUCCESS, set(FeatureId.VOLATILE_WRITE_CACHE, 0).status());
        assertEquals(0, get(FeatureId.VOLATILE_WRITE_CACHE, 0, 0).result0());
        write(io);
        set(FeatureId.VOLATILE_WRITE_CACHE, 1);
        write(io);
        assertEquals(List.of("WRITE 0+1", "WRITE 0+1 FUA", "WRITE 0+1"), device.asked());
    }

    @Test
    void shouldWriteThroughToACacheThatTheHostDoesNotKnowOf()
    {
        host.execute((entry) -> entry.opcode(AdminOpcode.IDENTIFY).cdw10(IdentifyCns.CONTROLLER).sglLength(4096));
        final ManualDevice device = target.owned(ManualDevice.create(4));
        device.automatic(BlockStatus.SUCCESS);
        target.subsystem().addNamespace(new Namespace(2, device, UUID.randomUUID()));
        final TestHost io = target.io(host, 1);
        write(io);
        host.execute((entry) -> entry.opcode(AdminOpcode.IDENTIFY).cdw10(IdentifyCns.CONTROLLER).sglLength(4096));
        write(io);
        assertEquals(List.of("WRITE 0+1 FUA", "WRITE 0+1"), device.asked());
    }

    private static void write(final TestHost io)
    {
        assertEquals(NvmeStatus.SUCCESS, io.execute((entry) ->
            entry.opcode(IoOpcode.WRITE).namespaceId(2), new byte[512], true).status());
    }

    @Test
    void shouldGiveDiscoveryControllersTheirsOnly()
    {
        final TestHost discovery = target.admin(Nqn.DISCOVERY);
        assertEquals(AsyncEvent.ENABLE_DISCOVERY_NOTICES,
            get(discovery, FeatureId.ASYNC_EVENT_CONFIGURATION, 0, 0).result0());
        assertEquals(NvmeStatus.SUCCESS, set(discovery, FeatureId.KEEP_ALIVE_TIMER, 60_000).status());
        assertEquals(60_000, get(discovery, FeatureId.KEEP_ALIVE_TIMER, 0, 0).result0());
        for (final int id : new int[]{0x01, 0x02, 0x04, 0x05, 0x06, 0x07, 0x08, 0x0A, 0x0E, 0x81})
        {
            assertEquals(NvmeStatus.INVALID_FIELD, get(discovery, id, 0, 0).code());
            assertEquals(NvmeStatus.INVALID_FIELD, set(discovery, id, 0).code());
        }
    }
}
