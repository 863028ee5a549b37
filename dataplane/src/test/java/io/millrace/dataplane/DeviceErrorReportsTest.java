package io.millrace.dataplane;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.millrace.bindings.Errno;
import io.millrace.block.BlockOperation;
import io.millrace.block.BlockRequest;
import io.millrace.block.BlockStatus;
import io.millrace.block.FailureCause;
import io.millrace.block.fault.FaultPlan;
import io.millrace.block.fault.FaultRule;
import io.millrace.block.file.FileDevice;
import io.millrace.block.file.FileDeviceConfig;
import io.millrace.dataplane.config.DataPlaneConfig;
import io.millrace.dataplane.config.DeviceConfig;
import io.millrace.nvme.NvmeStatus;
import io.millrace.nvmf.config.DeviceError;
import io.millrace.nvmf.config.TargetConfig;
import io.millrace.nvmf.config.TargetListener;
import io.millrace.nvmf.initiator.RemoteQueuePair;
import io.millrace.nvmf.tcp.TcpTransportConfig;
import io.millrace.nvmf.transport.TransportAddress;
import io.millrace.reactor.ReactorConfig;
import io.millrace.status.DeviceErrorStatus;
import io.millrace.status.StatusPart;
import io.millrace.status.StatusSettings;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** What is said of errors of devices, and how often. */
class DeviceErrorReportsTest
{
    private static final String NQN = OperationsFixture.NQN;

    @TempDir
    private Path directory;

    private final List<String> lines = new ArrayList<>();
    private final List<DataPlaneEvent> events = new ArrayList<>();
    private FileDevice device;

    @AfterEach
    void close()
    {
        if (null != device)
        {
            device.close();
        }
    }

    private DeviceErrorReports reports()
    {
        device = FileDevice.open(FileDeviceConfig.of("vol0", directory.resolve("vol0.img"), 1 << 20, 4096));
        final DataPlaneConfig config = new DataPlaneConfig(List.of(ReactorConfig.of("r0", -1)), 16 << 20, List.of(),
            List.of(), List.of(), DataPlaneConfig.NO_DISCOVERY_PORT, TargetConfig.defaults(),
            List.of(TcpTransportConfig.defaults()), true,
            new StatusSettings(directory.resolve("s"), false, 1 << 20, "test"));
        return new Operations(config, new TargetListener()
        {
            @Override
            public void onError(final String message)
            {
                lines.add(message);
            }
        }, events::add).deviceErrors();
    }

    private BlockRequest request(final long lba, final int errno)
    {
        final BlockRequest request = new BlockRequest(null, (done) ->
        {
        });
        request.reset(BlockOperation.WRITE, lba, 1);
        request.failed(FailureCause.ERRNO, errno);
        request.complete(Errno.ENOSPC == errno ? BlockStatus.CAPACITY_EXCEEDED : BlockStatus.MEDIA_ERROR);
        return request;
    }

    private DeviceError error(final int errno, final long... lbas)
    {
        final DeviceError error = DeviceError.of(request(0, errno), device, StatusPart.unpublished());
        for (final long lba : lbas)
        {
            error.add(request(lba, errno));
        }
        return error;
    }

    /** Which no drive has reported. */
    @Test
    void shouldNotBlameADriveForALostPath()
    {
        final DeviceErrorReports reports = reports();
        final BlockRequest lost = request(3, 0);
        lost.reset(BlockOperation.READ, 3, 1);
        lost.failed(FailureCause.NVME_STATUS, NvmeStatus.HOST_PATHING_ERROR);
        lost.complete(BlockStatus.DEVICE_ERROR);
        final DeviceError error = DeviceError.of(lost, device, StatusPart.unpublished());
        error.add(lost);
        reports.add(error);
        reports.check(1_000_000);
        assertEquals(List.of("device vol0: read failed with DEVICE_ERROR (NVMe status 0x370) at LBA 3; no path to " +
            directory.resolve("vol0.img") + " executed it in time: check the target and the network"), lines);
    }

    @Test
    void shouldSayAnErrorAtOnceThenOnceAMinuteThenAgainAfterAQuietMinute()
    {
        final DeviceErrorReports reports = reports();
        final DeviceError full = error(Errno.ENOSPC, 5);
        long nowMs = 1_000_000;
        reports.check(nowMs);
        assertEquals(List.of(), lines);
        reports.add(full);
        reports.check(nowMs);
        assertEquals(List.of("device vol0: write failed with CAPACITY_EXCEEDED (ENOSPC, No space left on device " +
            "(errno 28)) at LBA 5; the file system of " + directory.resolve("vol0.img") +
            " is full: free space on it, or create devices with preallocate"), lines);
        assertEquals(1, events.size());
        assertEquals(ResourceKind.DEVICE, events.getFirst().kind());
        assertEquals(ResourceChange.FAILED, events.getFirst().change());
        assertEquals("vol0", events.getFirst().name());
        assertEquals(lines.getFirst(), "device vol0: " + events.getFirst().text());
        lines.clear();
        // Another reactor meets the same, and both go on for two minutes.
        final DeviceError second = error(Errno.ENOSPC, 6);
        reports.add(second);
        for (int s = 0; s < 119; s++)
        {
            nowMs += 1_000;
            full.add(request(100 + s, Errno.ENOSPC));
            second.add(request(200 + s, Errno.ENOSPC));
            reports.check(nowMs);
        }
        assertEquals(1, lines.size(), () -> lines.toString());
        assertEquals("device vol0, more errors: 121 times write failed with CAPACITY_EXCEEDED (ENOSPC, No space left " +
            "on device (errno 28)), last at LBA 259", lines.getFirst());
        assertEquals(1, events.size());
        lines.clear();
        // What was left is said, and then nothing while nothing happens.
        for (int s = 0; s < 300; s++)
        {
            nowMs += 1_000;
            reports.check(nowMs);
        }
        assertEquals(1, lines.size(), () -> lines.toString());
        assertTrue(lines.getFirst().startsWith("device vol0, more errors: 118 times "), lines.getFirst());
        second.add(request(9, Errno.ENOSPC));
        reports.check(nowMs + 1_000);
        assertEquals(2, lines.size());
        assertEquals(2, events.size());
        assertTrue(lines.getLast().startsWith(
            "device vol0: write failed with CAPACITY_EXCEEDED (ENOSPC, No space left on " +
            "device (errno 28)) at LBA 9; "), lines.getLast());
    }

    @Test
    void shouldTellErrorsApartAndForgetThoseOfADeviceThatIsGone()
    {
        final DeviceErrorReports reports = reports();
        final DeviceError full = error(Errno.ENOSPC, 5, 6);
        final DeviceError broken = error(Errno.EIO, 7);
        reports.add(full);
        reports.add(broken);
        reports.check(1_000_000);
        assertEquals(2, lines.size());
        assertTrue(lines.getFirst().contains("at LBA 5, 2 times"), lines.getFirst());
        assertEquals(2, events.size());
        assertEquals(List.of("ENOSPC", "EIO"), reports.list().stream().map(DeviceErrorStatus::cause).toList());
        reports.remove(full);
        reports.remove(broken);
        reports.check(1_001_000);
        assertEquals(List.of(), reports.list());
        reports.add(error(Errno.EIO, 8));
        reports.check(1_002_000);
        assertEquals(3, lines.size(), () -> lines.toString());
    }

    @Test
    void shouldTellOfAFaultDeviceThatHostsUse()
    {
        try (OperationsFixture fixture = new OperationsFixture())
        {
            fixture.memory("mem0", 256);
            fixture.dataPlane.devices().create(DeviceConfig.fault("faulty", "mem0",
                FaultPlan.of(1, FaultRule.error(BlockStatus.MEDIA_ERROR).withRange(8, 99))));
            fixture.subsystem(NQN);
            fixture.namespace(NQN, 1, "faulty");
            final TransportAddress address = fixture.dataPlane.listeners().add(OperationsFixture.anyPort(), false);
            final RemoteQueuePair queue = fixture.queue(fixture.connect(address));
            assertEquals(0, fixture.write(queue, 1, 0));
            assertEquals(List.of(), fixture.dataPlane.deviceErrors());
            for (int lba = 8; lba < 28; lba++)
            {
                assertTrue(0 != fixture.write(queue, 1, lba));
            }
            final List<DeviceErrorStatus> errors = fixture.dataPlane.deviceErrors();
            assertEquals(1, errors.size());
            final DeviceErrorStatus error = errors.getFirst();
            assertEquals(new DeviceErrorStatus("faulty", "write", "MEDIA_ERROR", "fault rule 1", 0, 20,
                error.firstEpochMs(), error.lastEpochMs(), 8, 27), error);
            assertEquals(errors, fixture.dataPlane.statusSnapshot().deviceErrors());
            fixture.awaitEvent(ResourceKind.DEVICE, ResourceChange.FAILED, "faulty");
            assertEquals(1, fixture.events.stream()
                .filter((event) -> ResourceChange.FAILED == event.change()).count());
        }
    }
}
