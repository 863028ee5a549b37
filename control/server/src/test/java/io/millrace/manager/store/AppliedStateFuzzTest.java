package io.millrace.manager.store;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;

import com.code_intelligence.jazzer.junit.FuzzTest;
import java.io.IOException;
import java.nio.charset.StandardCharsets;

/**
 * Whatever is in the file in which a data plane keeps its applied state is read or refused in words; what is read is
 * kept and read again as the same. Runs on the kept corpus with every build; {@code JAZZER_FUZZ=1} fuzzes, as {@code
 * perf/fuzz} does.
 */
class AppliedStateFuzzTest
{
    private static final String NAME = "applied-state.yaml";

    /**
     * The hash in the header is that of the input where the input is a text with a line for it: a wrong one hides the
     * rest.
     */
    @FuzzTest(maxDuration = "2m")
    void shouldReadOrRefuseAnyFile(final byte[] input) throws IOException
    {
        read(input);
        final String text = new String(input, StandardCharsets.UTF_8);
        final int hash = text.indexOf("\n" + HeaderText.SHA256) + 1;
        final int body = text.indexOf("\n" + HeaderText.BODY, hash) + 1;
        if (hash > 0 && body > 0)
        {
            final String hashed = text.substring(0, hash) + text.substring(body);
            read((text.substring(0, hash) + HeaderText.SHA256 + HeaderText.hash(hashed) + "\n" + text.substring(body))
                .getBytes(StandardCharsets.UTF_8));
        }
    }

    private static void read(final byte[] content) throws IOException
    {
        final CrashDisk disk = new CrashDisk();
        disk.write(NAME, content);
        try (AppliedStateFile file = AppliedStateFile.on(disk))
        {
            final AppliedState state;
            try
            {
                state = file.read();
            }
            catch (final StoreException e)
            {
                assertFalse(e.getMessage().isBlank());
                return;
            }
            file.write(state);
            assertEquals(state, file.read());
        }
    }
}
