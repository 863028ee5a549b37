package io.millrace.nvmf.tcp;

import com.code_intelligence.jazzer.api.BugDetectors;
import com.code_intelligence.jazzer.junit.FuzzTest;
import java.io.IOException;
import java.util.Arrays;
import java.util.List;

/**
 * Any bytes on any connection never throw and never hang: the connection closes or waits for more, and gives everything
 * back. Runs on the kept corpus with every build; fuzzes with coverage guidance when the environment says {@code
 * JAZZER_FUZZ=1}:
 * {@code JAZZER_FUZZ=1 mvn -pl dataplane -am test -Dtest=PduReceiverFuzzTest -Dsurefire.failIfNoSpecifiedTests=false}.
 */
class PduReceiverFuzzTest
{
    private static ReceiverHarness harness;

    /**
     * The first byte says how far the connection gets before the bytes come (bits 1:0), its digests (bits 3:2); the
     * second one how the bytes are cut.
     */
    @FuzzTest(maxDuration = "2m")
    void shouldSurviveAnyBytes(final byte[] input) throws IOException
    {
        if (input.length < 2)
        {
            return;
        }
        BugDetectors.allowNetworkConnections();
        final ReceiverHarness.Stage stage = ReceiverHarness.Stage.values()[input[0] & 3];
        final byte[] bytes = Arrays.copyOfRange(input, 2, input.length);
        final int piece = 0 == input[1] ? Integer.MAX_VALUE : (input[1] & 0xFF) * 7;
        if (null == harness)
        {
            harness = new ReceiverHarness();
        }
        try (ReceiverHarness.Session session = harness.open(stage, Digests.of(input[0] >>> 2 & 3)))
        {
            session.deliver(bytes, List.of(piece));
        }
    }
}
