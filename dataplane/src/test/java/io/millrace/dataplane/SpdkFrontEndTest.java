package io.millrace.dataplane;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.millrace.block.BlockStatus;
import io.millrace.block.fault.FaultPlan;
import io.millrace.block.fault.FaultRule;
import io.millrace.dataplane.config.DataPlaneConfig;
import io.millrace.dataplane.config.DeviceConfig;
import io.millrace.dataplane.config.SettingException;
import io.millrace.nvme.NvmeStatus;
import io.millrace.nvmf.initiator.ConnectionConfig;
import io.millrace.nvmf.initiator.HostFixture;
import io.millrace.nvmf.initiator.RemoteController;
import io.millrace.nvmf.initiator.RemoteQueuePair;
import io.millrace.nvmf.initiator.Waits;
import io.millrace.spdk.SpdkFrontEnd;
import io.millrace.spdk.SpdkTesting;
import java.io.IOException;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * Devices that SPDK's own NVMe-oF target serves.
 */
@Tag("spdk")
class SpdkFrontEndTest
{
    private static final int BLOCK = 4096;
    private static final long SIZE_BYTES = 4 << 20;

    @TempDir
    private Path directory;

    private static ConnectionConfig to(final SpdkFrontEnd served)
    {
        return ConnectionConfig.to(
            new InetSocketAddress(InetAddress.getLoopbackAddress(), served.port()), served.nqn()).build();
    }

    @Test
    void shouldServeADeviceThatGrows()
    {
        final String name = SpdkTesting.name("Served");
        try (SpdkFrontEnd served = new SpdkFrontEnd(directory, DeviceConfig.memory(name, SIZE_BYTES, BLOCK));
            HostFixture host = new HostFixture(); RemoteController controller = host.connect(to(served)))
        {
            final RemoteQueuePair queue = host.queue(controller);
            final MemorySegment data = host.memory(8L * BLOCK);
            data.set(ValueLayout.JAVA_LONG, 7 * BLOCK, 42);
            assertEquals(0, host.run(queue, (r) -> r.write(1, 8, 8, data.address(), 8 * BLOCK)));
            data.fill((byte)0);
            assertEquals(0, host.run(queue, (r) -> r.read(1, 8, 8, data.address(), 8 * BLOCK)));
            assertEquals(42, data.get(ValueLayout.JAVA_LONG, 7 * BLOCK));
            assertEquals(0, host.run(queue, (r) -> r.flush(1)));

            Waits.get(served.dataPlane().devices().resize(name, 2 * SIZE_BYTES));
            Waits.until("larger namespace",
                () -> 2 * SIZE_BYTES == Waits.get(controller.namespace(1)).sizeBytes());
            final long lastLba = 2 * SIZE_BYTES / BLOCK - 1;
            assertEquals(0, host.run(queue, (r) -> r.write(1, lastLba, 1, data.address(), BLOCK)));
            assertEquals(NvmeStatus.LBA_OUT_OF_RANGE,
                NvmeStatus.code(host.run(queue, (r) -> r.write(1, lastLba + 1, 1, data.address(), BLOCK))));
        }
    }

    @Test
    void shouldTellHostsHowRequestsFailed()
    {
        final String base = SpdkTesting.name("Base");
        final String name = SpdkTesting.name("Served");
        try (SpdkFrontEnd served = new SpdkFrontEnd(directory, DeviceConfig.memory(base, SIZE_BYTES, BLOCK),
                DeviceConfig.fault(name, base, FaultPlan.of(1,
                    FaultRule.error(BlockStatus.MEDIA_ERROR).withRange(5, 5),
                    FaultRule.error(BlockStatus.DEVICE_ERROR).withRange(6, 6))));
            HostFixture host = new HostFixture(); RemoteController controller = host.connect(to(served)))
        {
            final RemoteQueuePair queue = host.queue(controller);
            final MemorySegment data = host.memory(BLOCK);
            assertEquals(NvmeStatus.UNRECOVERED_READ_ERROR,
                NvmeStatus.code(host.run(queue, (r) -> r.read(1, 5, 1, data.address(), BLOCK))));
            assertEquals(NvmeStatus.INTERNAL_ERROR,
                NvmeStatus.code(host.run(queue, (r) -> r.write(1, 6, 1, data.address(), BLOCK))));
            assertEquals(NvmeStatus.WRITE_FAULT,
                NvmeStatus.code(host.run(queue, (r) -> r.write(1, 5, 1, data.address(), BLOCK))));
            assertEquals(0, host.run(queue, (r) -> r.read(1, 7, 1, data.address(), BLOCK)));
        }
    }

    @Test
    void shouldHaveADeviceThatSpdkServesForNothingElse()
    {
        final String name = SpdkTesting.name("Served");
        try (SpdkFrontEnd served = new SpdkFrontEnd(directory, DeviceConfig.memory(name, SIZE_BYTES, BLOCK)))
        {
            final Devices devices = served.dataPlane().devices();
            final OperationException e = assertThrows(OperationException.class, () -> devices.delete(name));
            assertEquals(OperationException.Reason.IN_USE, e.reason());
            assertTrue(e.getMessage().contains("is used by SPDK (spdk.exports)"), e.getMessage());
            assertEquals("SPDK (spdk.exports)", devices.get(name).user());
        }
    }

    private static SettingException refusal(
        final List<DeviceConfig> devices, final List<String> exports, final Path frontEnds)
    {
        final DataPlaneConfig config = SpdkFrontEnd.config(devices, exports, frontEnds);
        return assertThrows(SettingException.class, () -> DataPlane.start(config));
    }

    @Test
    void shouldSayWhatCannotBeServed() throws IOException
    {
        final SettingException missing = refusal(List.of(), List.of("vol7"), null);
        assertEquals("spdk.exports[0]", missing.key());
        assertTrue(missing.getMessage().contains("does not exist"), missing.getMessage());

        final DeviceConfig device = DeviceConfig.memory(SpdkTesting.name("Served"), SIZE_BYTES, BLOCK);
        final SettingException twice = refusal(List.of(device), List.of(device.name(), device.name()), null);
        assertEquals("spdk.exports[1]", twice.key());
        assertTrue(twice.getMessage().contains("is used by SPDK"), twice.getMessage());

        final SettingException noFile = refusal(List.of(device), List.of(device.name()), directory.resolve("none"));
        assertEquals("spdk.front-ends", noFile.key());
        assertTrue(noFile.getMessage().contains("cannot be read"), noFile.getMessage());

        final Path wrong = Files.writeString(directory.resolve("wrong.json"), """
            {"subsystems": [{"subsystem": "nvmf", "config": [{"method": "nvmf_subsystem_add_ns",
            "params": {"nqn": "nqn.2026-11.io.millrace:none", "namespace": {"bdev_name": "none"}}}]}]}
            """);
        final SettingException refused = refusal(List.of(device), List.of(device.name()), wrong);
        assertEquals("spdk.front-ends", refused.key());
        assertTrue(refused.getMessage().contains("Unable to find subsystem"), refused.getMessage());

        final String object = "{\"subsystems\": []}\n";
        final Path twoObjects = Files.writeString(directory.resolve("two.json"), object + object);
        final String text = refusal(List.of(device), List.of(device.name()), twoObjects).getMessage();
        assertTrue(text.contains("two.json: the configuration has text after its JSON object, in line 2"), text);
        final Path nothing = Files.writeString(directory.resolve("nothing.json"), "// nothing yet\n");
        final String empty = refusal(List.of(device), List.of(device.name()), nothing).getMessage();
        assertTrue(empty.contains("nothing.json: the configuration is empty: write it"), empty);

        SpdkTesting.rpc("bdev_null_create", "{'name':'Taken','num_blocks':1024,'block_size':4096}");
        final SettingException taken =
            refusal(List.of(DeviceConfig.memory("Taken", SIZE_BYTES, BLOCK)), List.of("Taken"), null);
        SpdkTesting.rpc("bdev_null_delete", "{'name':'Taken'}");
        assertTrue(taken.getMessage().contains("SPDK has a bdev with this name"), taken.getMessage());
    }
}
