package io.millrace.lab;

import io.millrace.testing.Requirement;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

/**
 * {@code millrace serve} over a drive that SPDK drives, with the kernel's NVMe/TCP initiator in the same machine:
 * verified I/O, the drive pulled under load, plugged in again, and given back to the kernel's driver.
 */
@LabTest
final class SpdkDriveTest
{
    private static final String LIBRARY = "MILLRACE_SPDK_LIBRARY";

    @Test
    void shouldServeADriveOfSpdkThatIsPulledUnderLoad() throws Exception
    {
        Requirement.require(null != System.getenv(LIBRARY), LIBRARY + " is not set",
            "install SPDK, make -C native/spdk SPDK_DIR=PREFIX, and set it to native/spdk/target/libmillrace_spdk.so");
        final List<String> jvm = new ArrayList<>(List.of("env", LIBRARY + '=' + System.getenv(LIBRARY)));
        jvm.addAll(GuestJvm.command("-Xmx128m"));
        final Path image = Lab.directory("spdk-drive").resolve("hot.img");
        final LabResult result;
        try (LabMachine machine = Lab.withJvms("spdk-drive")
            .option("--image", "hot:48M")
            .option("--device", "nvme,serial=HOT,drive=hot,bus=hotplug0,id=hot")
            .start(600, "spdk-drive.sh", String.join(" ", jvm), TargetProcess.NQN))
        {
            machine.awaitLine("ready to unplug");
            try (QemuMonitor monitor = machine.monitor())
            {
                monitor.unplug("hot");
                monitor.awaitUnplugged("hot");
                machine.awaitLine("ready to plug");
                monitor.plugDrive("again", image, 0);
            }
            result = machine.await();
        }
        result.assertPassed();
        List.of("serve", "verify", "unplug", "plug", "give-back").forEach(result::assertStep);
    }
}
