package io.millrace.lab;

import java.util.List;
import org.junit.jupiter.api.Test;

/**
 * A disk below {@code millrace serve} that takes no writes from one moment on, under fio and a file system of the
 * kernel's initiator: the kernel's dm-flakey drops them, and the process is killed. What was flushed, forced or synced
 * before is there afterwards, and file systems on both sides are sound.
 */
@LabTest
final class PowerLossTest
{
    @Test
    void shouldKeepWhatWasFlushedWhenTheDiskTakesNothingMore() throws Exception
    {
        final List<String> jvm = GuestJvm.command("-Xmx128m");
        final LabResult result = Lab.withJvms("power-loss").drives(3).option("--drive-size", "64M")
            .run(480, "power-loss.sh", String.join(" ", jvm), TargetProcess.NQN);
        result.assertPassed();
        List.of("disks", "serve", "cut", "recovered").forEach(result::assertStep);
    }
}
