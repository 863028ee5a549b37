package io.millrace.testing;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import jdk.jfr.Recording;
import jdk.jfr.consumer.RecordingFile;

/** Paths of the files and directories that this process syncs, as the JVM's flight recorder sees it. */
public final class FileSyncs
{
    private static final String EVENT = "jdk.FileForce";

    /** What is done while syncs are recorded. */
    @FunctionalInterface
    public interface Action
    {
        /**
         * Runs it.
         *
         * @throws IOException when a file is unavailable.
         */
        void run() throws IOException;
    }

    private FileSyncs()
    {
    }

    /**
     * Runs an action.
     *
     * @param action to run; others must not sync the same files meanwhile.
     * @return paths that were synced by {@code FileChannel.force}, in order, as they were opened.
     * @throws IOException when the action or the recording fails.
     */
    public static List<String> during(final Action action) throws IOException
    {
        final Path file = Files.createTempFile("syncs", ".jfr");
        try (Recording recording = new Recording())
        {
            recording.enable(EVENT).withThreshold(Duration.ZERO).withoutStackTrace();
            recording.start();
            action.run();
            recording.stop();
            recording.dump(file);
            return RecordingFile.readAllEvents(file).stream()
                .filter((each) -> EVENT.equals(each.getEventType().getName()))
                .map((each) -> each.getString("path")).toList();
        }
        finally
        {
            Files.delete(file);
        }
    }
}
