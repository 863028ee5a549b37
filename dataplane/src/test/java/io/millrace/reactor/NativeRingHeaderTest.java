package io.millrace.reactor;

import static io.millrace.testing.Requirement.requireProgram;
import java.io.IOException;
import java.nio.file.Path;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** The tests of the C header, as it is compiled for use and under the sanitizers. */
class NativeRingHeaderTest
{
    @ParameterizedTest
    @ValueSource(strings = {"test", "asan", "tsan"})
    void shouldPassTheTestsOfNativeCode(final String goal, @TempDir final Path directory)
        throws IOException, InterruptedException
    {
        requireProgram("cc", "gcc");
        requireProgram("g++", "g++");
        requireProgram("make", "make");
        NativeRingTesting.run(directory, "make", "-C", NativeRingTesting.RING.toString(),
            "OUT=" + directory.resolve("programs"), goal);
    }
}
