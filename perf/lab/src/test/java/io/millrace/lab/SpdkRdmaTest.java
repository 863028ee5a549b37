package io.millrace.lab;

import io.millrace.testing.Requirement;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

/**
 * NVMe/RDMA by SPDK, on a device of the kernel in software: SPDK's target under the kernel's host ({@code nvme-rdma}),
 * and SPDK's NVMe driver as host of our target.
 */
@LabTest
final class SpdkRdmaTest
{
    private static final String LIBRARY = "MILLRACE_SPDK_LIBRARY";

    @Test
    void shouldServeTheKernelByRdma() throws Exception
    {
        Requirement.require(null != System.getenv(LIBRARY), LIBRARY + " is not set",
            "install SPDK, make -C native/spdk SPDK_DIR=PREFIX, and set it to native/spdk/target/libmillrace_spdk.so");
        final List<String> jvm = new ArrayList<>(List.of("env", LIBRARY + '=' + System.getenv(LIBRARY)));
        jvm.addAll(GuestJvm.command("-Xmx96m"));
        final LabResult result = Lab.withJvms("spdk-rdma").run(
            900, "spdk-rdma.sh", String.join(" ", jvm), TargetProcess.NQN);
        List.of("make", "far", "serve", "connect", "verify", "leave", "end", "attach", "use", "check")
            .forEach(result::assertStep);
        result.assertPassed();
    }
}
