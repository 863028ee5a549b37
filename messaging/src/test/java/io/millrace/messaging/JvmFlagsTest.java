package io.millrace.messaging;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;

/** What is missing is said at the start, and not by connections that end again and again. */
class JvmFlagsTest
{
    @Test
    void shouldNameTheMissingFlag()
    {
        JvmFlags.check();
        assertEquals("the JVM needs --add-opens=java.base/sun.security.util=ALL-UNNAMED: add it to the options of java",
            assertThrows(IllegalStateException.class, () -> JvmFlags.check("sun.security.util")).getMessage());
    }

    @Test
    void shouldNotLaunchWithoutTheFlag() throws IOException, InterruptedException
    {
        final Process process = new ProcessBuilder(
            Path.of(System.getProperty("java.home"), "bin", "java").toString(), "--enable-native-access=ALL-UNNAMED",
            "-cp", System.getProperty("java.class.path"), "io.millrace.example.MessagingExample")
            .redirectErrorStream(true).start();
        final String text = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
        assertNotEquals(0, process.waitFor());
        assertTrue(text.contains("the JVM needs --add-opens=java.base/jdk.internal.misc=ALL-UNNAMED"), text);
    }
}
