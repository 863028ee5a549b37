package io.millrace.dataplane;

import static io.millrace.dataplane.OperationsFixture.BLOCK;
import static io.millrace.dataplane.OperationsFixture.NQN;
import static io.millrace.dataplane.OperationsFixture.get;
import static io.millrace.dataplane.OperationsFixture.refused;
import static io.millrace.dataplane.OperationsFixture.until;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.millrace.block.BlockStatus;
import io.millrace.block.fault.FaultPlan;
import io.millrace.block.fault.FaultRule;
import io.millrace.dataplane.OperationException.Reason;
import io.millrace.dataplane.config.DeviceConfig;
import io.millrace.dataplane.snapshot.DeviceSnapshot;
import io.millrace.dataplane.snapshot.ReactorSnapshot;
import io.millrace.nvme.AsyncEvent;
import io.millrace.nvme.NvmeStatus;
import io.millrace.nvmf.initiator.ControllerListener;
import io.millrace.nvmf.initiator.RemoteController;
import io.millrace.nvmf.initiator.RemoteQueuePair;
import io.millrace.nvmf.transport.TransportAddress;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class DevicesTest
{
    private static final String GONE = "device gone: does not exist; existing devices: mem0, file0, bad0";
    @TempDir
    private Path directory;

    private final OperationsFixture fixture = new OperationsFixture();
    private final Devices devices = fixture.dataPlane.devices();

    @AfterEach
    void close()
    {
        fixture.close();
    }

    private DeviceConfig file(final String name, final String file)
    {
        return DeviceConfig.of(name, "file", Map.of("path", directory.resolve(file).toString(), "size", 1 << 20,
            "block-size", BLOCK, "preallocate", false));
    }

    @Test
    void shouldMakeAndDeleteEveryKind() throws IOException
    {
        final long before = OperationsFixture.descriptors();
        fixture.memory("mem0", 256);
        devices.create(DeviceConfig.discard("sink0", 1L << 40, 512));
        devices.create(file("file0", "vol.img"));
        devices.create(DeviceConfig.fault("bad0", "file0", FaultPlan.NONE));
        assertEquals(List.of("mem0", "sink0", "file0", "bad0"),
            devices.list().stream().map(DeviceSnapshot::name).toList());
        assertEquals("device bad0", devices.get("file0").user());
        assertEquals(1, devices.get("file0").users());
        assertNull(devices.get("bad0").user());
        assertEquals(1 << 20, devices.get("bad0").geometry().sizeBytes());
        refused(Reason.IN_USE, "device file0: is used by device bad0; remove that first",
            () -> devices.delete("file0"));
        for (final String name : List.of("bad0", "file0", "sink0", "mem0"))
        {
            devices.delete(name);
            fixture.awaitEvent(ResourceKind.DEVICE, ResourceChange.CREATED, name);
            fixture.awaitEvent(ResourceKind.DEVICE, ResourceChange.DELETED, name);
        }
        assertEquals(List.of(), devices.list());
        assertEquals(1 << 20, Files.size(directory.resolve("vol.img")));
        OperationsFixture.until("descriptors to be closed", () -> OperationsFixture.descriptors() <= before);
        devices.create(file("file1", "vol.img"));
    }

    @Test
    void shouldRefuseWhatCannotBeMade()
    {
        fixture.memory("mem0", 256);
        devices.create(file("file0", "vol.img"));
        devices.create(DeviceConfig.fault("bad0", "mem0", FaultPlan.NONE));
        final List<DeviceSnapshot> before = devices.list();
        refused(Reason.EXISTS, "device mem0: already exists; choose another name", () -> fixture.memory("mem0", 1));
        refused(Reason.INVALID, "device name ' ': is not a name of 1 to 64 letters, digits, '.', '_' or '-', a " +
            "letter or digit first; choose another",
            () -> fixture.memory(" ", 1));
        refused(Reason.INVALID, "device odd: size 513 is not a positive multiple of block-size 512; use 512 or 1024",
            () -> devices.create(DeviceConfig.memory("odd", 513, 512)));
        refused(Reason.IN_USE, "device file1: path " + directory.resolve("vol.img") +
            " is used by device file0; choose another", () -> devices.create(file("file1", "../" +
                directory.getFileName() + "/vol.img")));
        refused(Reason.FAILED, "device file2: path " + directory.resolve("none/vol.img") + " cannot be opened: " +
            "No such file or directory (errno 2): make its directory first",
            () -> devices.create(file("file2", "none/vol.img")));
        refused(Reason.NOT_FOUND, GONE,
            () -> devices.create(DeviceConfig.fault("bad1", "gone", FaultPlan.NONE)));
        refused(Reason.IN_USE, "device mem0: is used by device bad0; a device has one user: use another",
            () -> devices.create(DeviceConfig.fault("bad1", "mem0", FaultPlan.NONE)));
        refused(Reason.NOT_FOUND, GONE, () -> devices.delete("gone"));
        refused(Reason.NOT_FOUND, GONE, () -> devices.get("gone"));
        assertEquals(before, devices.list());
    }

    @Test
    void shouldRefuseToDeleteWhatANamespaceShows()
    {
        fixture.serveVolume();
        assertEquals("namespace " + NQN + "/1", devices.get("mem0").user());
        refused(Reason.IN_USE, "device mem0: is used by namespace " + NQN + "/1; remove that first",
            () -> devices.delete("mem0"));
        get(fixture.dataPlane.namespaces().remove(NQN, 1));
        devices.delete("mem0");
    }

    @Test
    void shouldGrowAMemoryDeviceUnderAHostThatIsTold()
    {
        final TransportAddress address = fixture.serveVolume();
        final AtomicInteger told = new AtomicInteger();
        final ControllerListener listener = new ControllerListener()
        {
            @Override
            public void onAsyncEvent(final RemoteController controller, final int event)
            {
                if (AsyncEvent.NAMESPACE_CHANGED == event)
                {
                    told.incrementAndGet();
                }
            }
        };
        try (RemoteController controller = get(fixture.tryConnect(address, fixture.host, listener)))
        {
            final RemoteQueuePair first = fixture.queue(controller);
            final RemoteQueuePair second = fixture.queue(controller);
            assertEquals(NvmeStatus.LBA_OUT_OF_RANGE, NvmeStatus.code(fixture.write(first, 1, 256)));
            get(devices.resize("mem0", 2048L * BLOCK));
            until("the host to be told", () -> told.get() > 0);
            assertEquals(2048L * BLOCK, get(controller.namespace(1)).sizeBytes());
            assertEquals(2048L * BLOCK, devices.get("mem0").geometry().sizeBytes());
            assertEquals(2048L * BLOCK, fixture.dataPlane.namespaces().list(NQN).getFirst().sizeBytes());
            for (final RemoteQueuePair queue : List.of(first, second))
            {
                for (final long lba : new long[]{0, 255, 256, 2047})
                {
                    assertEquals(NvmeStatus.SUCCESS, fixture.write(queue, 1, lba));
                }
                assertEquals(NvmeStatus.LBA_OUT_OF_RANGE, NvmeStatus.code(fixture.write(queue, 1, 2048)));
            }
        }
    }

    @Test
    void shouldGrowAFileAndWhatWrapsIt() throws IOException
    {
        devices.create(file("file0", "vol.img"));
        devices.create(DeviceConfig.fault("bad0", "file0", FaultPlan.NONE));
        fixture.subsystem(NQN);
        fixture.namespace(NQN, 1, "bad0");
        final TransportAddress address = fixture.dataPlane.listeners().add(OperationsFixture.anyPort(), false);
        try (RemoteController controller = fixture.connect(address))
        {
            final RemoteQueuePair queue = fixture.queue(controller);
            get(devices.resize("file0", 2 << 20));
            assertEquals(2 << 20, Files.size(directory.resolve("vol.img")));
            assertEquals(2 << 20, get(controller.namespace(1)).sizeBytes());
            assertEquals(NvmeStatus.SUCCESS, fixture.write(queue, 1, 511));
        }
    }

    @Test
    void shouldRefuseSizesThatCannotBe()
    {
        fixture.memory("mem0", 256);
        devices.create(file("file0", "vol.img"));
        devices.create(DeviceConfig.fault("bad0", "file0", FaultPlan.NONE));
        final List<DeviceSnapshot> before = devices.list();
        refused(Reason.NOT_FOUND, GONE, () -> devices.resize("gone", BLOCK));
        refused(Reason.INVALID, "device mem0: size 4096 bytes is below its present 1048576, and data is never " +
            "truncated: use that size or a larger one", () -> devices.resize("mem0", BLOCK));
        refused(Reason.INVALID, "device mem0: size 1048577 bytes is not a positive multiple of block-size 4096: use " +
            "1048576 or another multiple", () -> devices.resize("mem0", (1 << 20) + 1));
        refused(Reason.INVALID, "device mem0: size 2199023255552 bytes is above the 1073741824 that its addresses " +
            "were set aside for: make a new device", () -> devices.resize("mem0", 1L << 41));
        refused(Reason.INVALID, "device file0: size 4096 bytes is below its present 1048576, and data is never " +
            "truncated: use that size or a larger one", () -> devices.resize("file0", BLOCK));
        refused(Reason.UNSUPPORTED, "device bad0: size 2097152 cannot be set, it is fault over file0; resize the " +
            "device that it wraps", () -> devices.resize("bad0", 2 << 20));
        assertEquals(before, devices.list());
    }

    @Test
    void shouldSetFaultRulesWhileHostsWrite()
    {
        fixture.memory("mem0", 256);
        devices.create(DeviceConfig.fault("bad0", "mem0", FaultPlan.NONE));
        fixture.subsystem(NQN);
        fixture.namespace(NQN, 1, "bad0");
        final TransportAddress address = fixture.dataPlane.listeners().add(OperationsFixture.anyPort(), false);
        try (RemoteController controller = fixture.connect(address))
        {
            final RemoteQueuePair queue = fixture.queue(controller);
            assertEquals(NvmeStatus.SUCCESS, fixture.write(queue, 1, 0));
            get(OperationsFixture.setFaults(
                devices, "bad0", FaultPlan.of(1, FaultRule.error(BlockStatus.MEDIA_ERROR))));
            assertEquals(NvmeStatus.WRITE_FAULT, NvmeStatus.code(fixture.write(queue, 1, 0)));
            get(OperationsFixture.setFaults(devices, "bad0", FaultPlan.of(1, FaultRule.hang())));
            final CompletableFuture<Integer> hung = fixture.submit(queue, (r) -> r.flush(1));
            until("the flush to hang", () -> requests() > 0);
            final CompletableFuture<Void> removed = fixture.dataPlane.namespaces().remove(NQN, 1);
            assertFalse(removed.isDone());
            get(OperationsFixture.setFaults(devices, "bad0", FaultPlan.NONE));
            assertNotEquals(NvmeStatus.SUCCESS, get(hung));
            get(removed);
            devices.delete("bad0");
            assertTrue(fixture.dataPlane.namespaces().list(null).isEmpty());
        }
    }

    /** Commands under way but for the event request of the host. */
    private int requests()
    {
        return fixture.dataPlane.reactorSnapshots().stream().mapToInt(ReactorSnapshot::requests).sum() - 1;
    }

    @Test
    void shouldRefuseFaultRulesOfOtherDevices()
    {
        fixture.memory("mem0", 256);
        refused(Reason.INVALID, "device mem0: is memory, which has no settings that change while it serves; " +
            "delete it and create it again",
            () -> OperationsFixture.setFaults(devices, "mem0", FaultPlan.NONE));
        refused(Reason.NOT_FOUND, "device gone: does not exist; existing devices: mem0",
            () -> OperationsFixture.setFaults(devices, "gone", FaultPlan.NONE));
    }
}
