package io.millrace.dataplane;

import static io.millrace.dataplane.OperationsFixture.refused;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.millrace.block.fault.FaultPlan;
import io.millrace.dataplane.OperationException.Reason;
import io.millrace.dataplane.config.DataPlaneConfig;
import io.millrace.dataplane.config.DeviceConfig;
import io.millrace.memory.DmaMemory;
import io.millrace.memory.MemoryRegion;
import io.millrace.memory.MemoryRegistry;
import io.millrace.memory.MemoryRole;
import io.millrace.memory.RefusingListener;
import io.millrace.nvmf.config.TargetListener;
import io.millrace.rdma.core.LinuxRdmaCore;
import io.millrace.reactor.ReactorConfig;
import io.millrace.spdk.SpdkRuntime;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/**
 * Memory of devices that lend it, as the data plane announces it.
 */
class LentMemoryTest
{
    private static final long MIB = 1 << 20;

    private final MemoryRegistry registry = new MemoryRegistry();
    private final RefusingListener listener = new RefusingListener();
    private Devices devices;

    @BeforeEach
    void open()
    {
        final DataPlaneConfig config = DataPlaneConfig.managed(List.of(ReactorConfig.of("r0", -1)), 16 * MIB);
        devices = new Devices(new Operations(config, TargetListener.NONE, (event) ->
        {
        }), registry, LinuxRdmaCore.INSTANCE, SpdkRuntime::running);
        registry.addListener(listener);
    }

    @AfterEach
    void close()
    {
        devices.closeAll(false);
        assertEquals(0, listener.heldBytes());
    }

    @Test
    void shouldAnnounceWhatDevicesLendItsGrowthAndItsEnd()
    {
        devices.create(DeviceConfig.memory("mem0", 4 * MIB, 512));
        devices.create(DeviceConfig.discard("gone0", 64 * MIB, 512));
        devices.create(DeviceConfig.fault("bad0", "mem0", FaultPlan.NONE));
        final List<MemoryRegion> regions = registry.regions();
        assertEquals(2, regions.size(), "a device over another lends nothing of its own");
        assertEquals(MemoryRole.LENT, regions.getFirst().role());
        assertEquals(4 * MIB, regions.getFirst().lengthBytes());
        final long bytes = listener.heldBytes();
        devices.resize("mem0", 8 * MIB);
        assertEquals(bytes + 4 * MIB, listener.heldBytes());
        devices.delete("bad0");
        devices.delete("mem0");
        assertEquals(bytes - 4 * MIB, listener.heldBytes());
    }

    @Test
    void shouldRefuseADeviceWhoseMemoryIsRefused()
    {
        final long before = DmaMemory.mappedBytes();
        listener.bytesMax(2 * MIB);
        final OperationException refused = assertThrows(
            OperationException.class, () -> devices.create(DeviceConfig.memory("mem0", 4 * MIB, 512)));
        assertEquals(Reason.FAILED, refused.reason());
        assertTrue(refused.getMessage().matches("device mem0: 4194304 bytes of host memory at 0x\\w+ refused by " +
            "nic0: it takes up to 2097152 bytes.*"), refused.getMessage());
        assertEquals(before, DmaMemory.mappedBytes());
        devices.create(DeviceConfig.memory("mem0", 2 * MIB, 512));
        assertThrows(OperationException.class, () -> devices.resize("mem0", 4 * MIB));
        assertEquals(2 * MIB, devices.get("mem0").geometry().sizeBytes());
        listener.bytesMax(4 * MIB);
        devices.resize("mem0", 4 * MIB);
        assertEquals(4 * MIB, listener.heldBytes());
    }

    @Test
    void shouldKeepADeviceWhoseMemoryIsStillHeld()
    {
        devices.create(DeviceConfig.memory("mem0", 4 * MIB, 512));
        listener.holdsOn(true);
        final String region = registry.regions().getFirst().toString();
        refused(Reason.IN_USE, region + " stays mapped, since nic0 did not let go of it (it is in use); " +
            "try again", () -> devices.delete("mem0"));
        assertEquals(1, devices.list().size());
        listener.holdsOn(false);
        devices.delete("mem0");
        assertEquals(List.of(), devices.list());
    }
}
