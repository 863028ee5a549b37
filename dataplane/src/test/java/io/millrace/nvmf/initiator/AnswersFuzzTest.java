package io.millrace.nvmf.initiator;

import static org.junit.jupiter.api.Assertions.assertFalse;

import com.code_intelligence.jazzer.junit.FuzzTest;
import io.millrace.nvme.ControllerCapabilities;
import io.millrace.nvme.DiscoveryLogEntry;
import io.millrace.nvme.DiscoveryLogHeader;
import io.millrace.nvme.identify.CommandLimits;
import io.millrace.nvme.identify.ControllerInfo;
import io.millrace.nvme.identify.InvalidIdentifyException;
import io.millrace.nvme.identify.NamespaceInfo;
import java.util.Arrays;
import org.agrona.concurrent.UnsafeBuffer;

/**
 * Whatever a controller answers is taken or refused, never thrown at. Runs on the kept corpus with every build; {@code
 * JAZZER_FUZZ=1} fuzzes one of the methods, named with {@code -Dtest=AnswersFuzzTest#...}.
 */
class AnswersFuzzTest
{
    private static final int IDENTIFY_BYTES = 4096;

    /**
     * What commands of the discovery and the identify kind bring.
     */
    @FuzzTest(maxDuration = "1m")
    void shouldParseAnyData(final byte[] input)
    {
        final UnsafeBuffer entry = new UnsafeBuffer(Arrays.copyOf(input, DiscoveryLogEntry.SIZE_BYTES));
        DiscoveryEntry.parse(entry, 0).toString();
        final DiscoveryLogHeader header = new DiscoveryLogHeader();
        header.wrap(new UnsafeBuffer(Arrays.copyOf(input, DiscoveryLogHeader.SIZE_BYTES)), 0);
        header.records();
        final byte[] data = Arrays.copyOf(input, IDENTIFY_BYTES);
        final byte[] descriptors = Arrays.copyOfRange(input, input.length / 2, input.length / 2 + IDENTIFY_BYTES);
        try
        {
            final ControllerInfo controller =
                ControllerInfo.of(new UnsafeBuffer(data), ControllerCapabilities.memoryPageShiftMin(-1L));
            controller.toString();
            CommandLimits.of(controller, new UnsafeBuffer(data)).toString();
            String.valueOf(NamespaceInfo.of(1, new UnsafeBuffer(data), new UnsafeBuffer(descriptors)));
        }
        catch (final InvalidIdentifyException e)
        {
            // The caller is told in words what is wrong with the answer: that is how it is refused.
            assertFalse(e.getMessage().isBlank());
        }
    }
}
