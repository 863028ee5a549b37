package io.millrace.block.file;

import java.util.ArrayList;
import java.util.List;

/**
 * The command line of another JVM with this one's classes.
 */
public final class ChildJvm
{
    private ChildJvm()
    {
    }

    public static List<String> command(final Class<?> main, final String... arguments)
    {
        final List<String> command = new ArrayList<>(List.of(
            System.getProperty("java.home") + "/bin/java",
            "--add-opens=java.base/jdk.internal.misc=ALL-UNNAMED",
            "--enable-native-access=ALL-UNNAMED",
            "-Xmx64m",
            "-XX:TieredStopAtLevel=1",
            "-cp",
            System.getProperty("java.class.path"),
            main.getName()));
        command.addAll(List.of(arguments));
        return command;
    }
}
