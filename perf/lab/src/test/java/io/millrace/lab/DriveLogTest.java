package io.millrace.lab;

import java.util.List;
import org.junit.jupiter.api.Test;

/**
 * What {@code millrace drive} reads of a drive and how it resets it, through the kernel and through VFIO.
 */
@LabTest
final class DriveLogTest
{
    @Test
    void shouldReadLogsAndResetThroughTheKernelAndThroughVfio() throws Exception
    {
        final List<String> jvm = GuestJvm.command();
        final LabResult result;
        try (LabMachine machine = Lab.withJvms("drive-log").option("--image", "ns:256M")
            .option("--device", "nvme,serial=LAB0,id=lab0")
            .option("--device", "nvme-ns,drive=ns,bus=lab0,nsid=1,uuid=4ee8eebf-bb25-4a4e-9c5a-9d4d0fbc1d0e")
            .start(480, "drive-log.sh", String.join(" ", jvm)))
        {
            result = machine.await();
        }
        result.assertPassed();
        List.of("by-kernel", "refuse", "reset-by-kernel", "by-vfio", "in-use", "give-back")
            .forEach(result::assertStep);
    }
}
