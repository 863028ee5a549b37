package io.millrace.nvmf.rdma.cm;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotNull;

import com.code_intelligence.jazzer.junit.FuzzTest;
import io.millrace.seed.TestSeeds;
import java.util.Random;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;

/** Any bytes of a peer are read or refused, without an exception. */
class CmFuzzTest
{
    private static final int BYTES_MAX = 256;

    @Property(tries = 2000)
    void shouldReadOrRefuseAnyBytes(@ForAll final long seed)
    {
        final Random random = TestSeeds.fixed(seed);
        final byte[] data = new byte[random.nextInt(BYTES_MAX)];
        random.nextBytes(data);
        if (random.nextBoolean() && data.length > 1)
        {
            // The only format that there is: else hardly any is read.
            data[0] = 0;
            data[1] = 0;
        }
        check(data);
    }

    /**
     * The same, with coverage guidance. Runs on the kept corpus with every build; {@code JAZZER_FUZZ=1} fuzzes, as
     * {@code perf/fuzz} does.
     */
    @FuzzTest(maxDuration = "1m")
    void shouldReadOrRefuseWhatIsFound(final byte[] input)
    {
        check(input);
    }

    private static void check(final byte[] data)
    {
        final ConnectRequest request = ConnectRequest.read(data);
        assertEquals(null == request, null != ConnectRequest.refusal(data));
        if (null != request)
        {
            assertEquals(request, ConnectRequest.read(request.toBytes()));
        }
        final ConnectAccept accept = ConnectAccept.read(data);
        if (null != accept)
        {
            assertEquals(accept, ConnectAccept.read(accept.toBytes()));
        }
        assertNotNull(ConnectReject.read(data).status());
    }
}
