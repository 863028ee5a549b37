package io.millrace.lab;

import java.util.List;
import org.junit.jupiter.api.Test;

/**
 * A drive on a machine whose IOMMU is off. Kernels that were built without {@code CONFIG_VFIO_NOIOMMU}, Debian's for
 * one, refuse it whatever is said; others do it when it is said out loud.
 */
@LabTest
final class NoIommuTest
{
    @Test
    void shouldRefuseADriveWithoutIommuUnlessTheRiskIsTakenOutLoud() throws Exception
    {
        final List<String> jvm = GuestJvm.command();
        final LabResult result;
        try (LabMachine machine = Lab.withJvms("noiommu").drives(1).option("--append", "intel_iommu=off")
            .start(480, "noiommu.sh", String.join(" ", jvm)))
        {
            result = machine.await();
        }
        result.assertPassed();
        List.of("refuse", "risk").forEach(result::assertStep);
    }
}
