package io.millrace.lab;

import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;

/**
 * Failing devices under the kernel's initiator: one machine does everything, each test looks at one step of it. The
 * disk that is full is the machine's own, with the target in the machine.
 */
@LabTest
final class ErrorStatusTest
{
    private static LabResult result;
    private static boolean targetSurvived;

    @BeforeAll
    static void run() throws Exception
    {
        final List<String> devices = List.of(
            "{name: healthy, type: memory, size: 32MiB, block-size: 4096}",
            "{name: disk, type: memory, size: 32MiB, block-size: 4096}",
            "{name: bad, type: fault, base: disk, rules: [" +
                "{effect: error, operations: [read, verify], first-block: 1000, last-block: 1009}, " +
                "{effect: error, operations: [write], first-block: 2000, last-block: 2009}, " +
                "{effect: error, operations: [read], first-block: 3000, last-block: 3000, status: device-error, " +
                "count: 1}, " +
                "{effect: delay, operations: [read], first-block: 4000, last-block: 4000, delay: 15s}]}");
        try (TargetProcess target = TargetProcess.start("errors", devices, "healthy", "bad"))
        {
            final List<Object> arguments = new ArrayList<>(List.of(target.port(), TargetProcess.NQN));
            arguments.addAll(GuestJvm.millrace());
            result = Lab.withJvms("errors").drives(1).run(480, "errors.sh", arguments.toArray());
            targetSurvived = target.isAlive();
        }
    }

    @Test
    void shouldReportErrorsOfTheMedium()
    {
        result.assertStep("connect");
        result.assertStep("medium-errors");
    }

    @Test
    void shouldLetTheKernelRetryWhatMayPass()
    {
        result.assertStep("passing-error");
    }

    @Test
    void shouldDelayNothingElseWhenOneCommandIsSlow()
    {
        result.assertStep("delay");
    }

    @Test
    void shouldReportAFullDisk()
    {
        result.assertStep("full-disk-setup");
        result.assertStep("full-disk");
        result.assertStep("full-disk-after-deallocate");
    }

    @Test
    void shouldRefuseToStartWhenTheDiskHasNoRoom()
    {
        result.assertStep("full-disk-at-start");
    }

    @Test
    void shouldWorkAgainWhenTheDiskHasRoom()
    {
        result.assertStep("freed-disk");
    }

    @Test
    void shouldKeepErrorsToTheNamespaceThatHasThem()
    {
        result.assertStep("others");
        result.assertPassed();
        assertTrue(targetSurvived, "the target did not live through it");
    }
}
