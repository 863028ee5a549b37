package io.millrace.manager.metrics;

import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.code_intelligence.jazzer.junit.FuzzTest;
import java.io.ByteArrayInputStream;
import java.io.IOException;

/**
 * Whatever a client of the metrics endpoint sends is a request or refused. Runs on the kept corpus with every build;
 * {@code JAZZER_FUZZ=1} fuzzes, as {@code perf/fuzz} does.
 */
class ScrapeRequestFuzzTest
{
    @FuzzTest(maxDuration = "1m")
    void shouldReadOrRefuseAnyRequest(final byte[] input)
    {
        try
        {
            final ScrapeRequest request = ScrapeRequest.read(new ByteArrayInputStream(input));
            if (null != request)
            {
                assertTrue(request.path().startsWith("/") && request.path().indexOf('?') < 0, request::path);
                assertFalse((request.path() + request.accept()).contains("\r\n"), request::toString);
                assertTrue(request.isHead() || "GET".equals(request.method()), request::method);
            }
        }
        catch (final ScrapeRequest.Refused e)
        {
            assertTrue(e.status().matches("4[0-9]{2} .*"), e::status);
        }
        catch (final IOException e)
        {
            assertFalse(e.getMessage().isBlank());
        }
    }
}
