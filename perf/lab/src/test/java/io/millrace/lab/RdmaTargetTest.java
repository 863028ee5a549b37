package io.millrace.lab;

import java.util.List;
import org.junit.jupiter.api.Test;

/** Our target over RDMA under the kernel's host ({@code nvme-rdma}), on a device of the kernel in software. */
@LabTest
final class RdmaTargetTest
{
    @Test
    void shouldServeTheKernelThroughLeavesAndAKill() throws Exception
    {
        final List<String> jvm = GuestJvm.command("-Xmx128m");
        final LabResult result = Lab.withJvms("rdma-target").run(
            900, "rdma-target.sh", String.join(" ", jvm), TargetProcess.NQN);
        List.of("make", "serve", "discover", "connect", "offer", "verify", "capsules", "file-system", "quiet", "leave",
            "kill", "end").forEach(result::assertStep);
        result.assertPassed();
    }
}
