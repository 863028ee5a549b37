package io.millrace.serve.config;

import static org.junit.jupiter.api.Assertions.assertFalse;

import com.code_intelligence.jazzer.api.BugDetectors;
import com.code_intelligence.jazzer.junit.FuzzTest;
import io.millrace.settings.ConfigException;
import java.nio.charset.StandardCharsets;

/**
 * Whatever a configuration file says is read or refused in words. Runs on the kept corpus with every build; {@code
 * JAZZER_FUZZ=1} fuzzes, as {@code perf/fuzz} does.
 */
class ConfigFuzzTest
{
    @FuzzTest(maxDuration = "2m")
    void shouldReadOrRefuseAnyText(final byte[] input)
    {
        BugDetectors.allowNetworkConnections();
        try
        {
            ConfigReader.read("fuzz.yaml", new String(input, StandardCharsets.UTF_8)).toString();
        }
        catch (final ConfigException e)
        {
            assertFalse(e.getMessage().isBlank());
        }
    }
}
