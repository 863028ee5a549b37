package io.millrace.lab;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.io.RandomAccessFile;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import org.junit.jupiter.api.Test;

/**
 * What the kernel's initiator was promised to be durable is on the disk below {@code millrace serve} at the moment of
 * the promise: the kernel's dm-log-writes says what a loss of power would have left there. On a drive, and in a file
 * of ext4 on another.
 */
@LabTest
final class DurabilityTest
{
    private static final int DRIVE_BYTES = 64 << 20;
    private static final int WRITE_BYTES = 16 << 10;
    /** Three of fsync, two of O_DSYNC, three Writes and a Write Zeroes with FUA, a write before and after its Flush. */
    private static final List<String> PROMISES = List.of("present", "present", "present", "present", "present",
        "present", "present", "present", "zeroes", "present");
    /** What the kernel adds when the device is removed. */
    private static final String END = "dm-log-writes-end";

    @Test
    void shouldHoldWhatTheHostWasPromisedWhereverThePowerGoes() throws Exception
    {
        final List<String> jvm = GuestJvm.command("-Xmx128m");
        final LabResult result = Lab.withJvms("durability").drives(4).option("--drive-size", "64M")
            .run(480, "durability.sh", String.join(" ", jvm), TargetProcess.NQN);
        result.assertPassed();
        List.of("serve", "drive", "file", "file-system", "end").forEach(result::assertStep);

        final Path directory = result.directory();
        final List<String> onDrive = new ArrayList<>(PROMISES);
        onDrive.add(onDrive.size() - 1, "absent");
        onDrive.addAll(List.of("file", "file", "file"));
        assertEquals(onDrive, replay(directory, 1, DurabilityTest::checkDrive));
        final List<String> inFile = new ArrayList<>(PROMISES);
        inFile.addFirst("zeroes");
        assertEquals(inFile, replay(directory, 3, DurabilityTest::checkVolume));
    }

    /** What is checked at a mark: its kind, place and word. */
    private interface MarkCheck
    {
        void check(Path image, String[] mark) throws IOException, InterruptedException;
    }

    /** Kinds of the marks that were met. */
    private static List<String> replay(final Path directory, final int logDrive, final MarkCheck check)
        throws IOException, InterruptedException
    {
        final Path image = directory.resolve("replay.img");
        final List<String> kinds = new ArrayList<>();
        try (WriteLog log = new WriteLog(directory.resolve("nvme" + logDrive + ".img"), image, DRIVE_BYTES))
        {
            log.replay((text) ->
            {
                if (!END.equals(text))
                {
                    final String[] mark = text.split("@", -1);
                    check.check(image, mark);
                    kinds.add(mark[0]);
                }
            });
        }
        Files.delete(image);
        return kinds;
    }

    private static void checkDrive(final Path image, final String[] mark) throws IOException, InterruptedException
    {
        if ("file".equals(mark[0]))
        {
            // Those of the marks before are there too.
            for (int i = 1; i <= mark[1].charAt(mark[1].length() - 1) - '0'; i++)
            {
                assertArrayEquals(pattern("file-" + i), recovered(image, "/file" + i), String.join("@", mark));
            }
            return;
        }
        checkContent(read(image, Long.parseLong(mark[1])), mark);
    }

    private static void checkVolume(final Path image, final String[] mark) throws IOException, InterruptedException
    {
        final byte[] volume = recovered(image, "/volume");
        assertEquals(16 << 20, volume.length, "length of the device's file at " + String.join("@", mark));
        final int offsetBytes = Integer.parseInt(mark[1]);
        checkContent(Arrays.copyOfRange(volume, offsetBytes, offsetBytes + WRITE_BYTES), mark);
    }

    private static void checkContent(final byte[] actual, final String[] mark)
    {
        final String text = String.join("@", mark);
        switch (mark[0])
        {
            case "present" -> assertArrayEquals(pattern(mark[2]), actual, text);
            case "absent" -> assertFalse(Arrays.equals(pattern(mark[2]), actual), text);
            case "zeroes" -> assertArrayEquals(new byte[WRITE_BYTES], actual, text);
            default -> throw new AssertionError("mark " + text);
        }
    }

    private static byte[] pattern(final String word)
    {
        final String line = word + "\n";
        return line.repeat(WRITE_BYTES / line.length() + 1).substring(0, WRITE_BYTES)
            .getBytes(StandardCharsets.US_ASCII);
    }

    private static byte[] read(final Path image, final long offsetBytes) throws IOException
    {
        try (RandomAccessFile file = new RandomAccessFile(image.toFile(), "r"))
        {
            final byte[] content = new byte[WRITE_BYTES];
            file.seek(offsetBytes);
            file.readFully(content);
            return content;
        }
    }

    /** A file of the file system on an image, after its journal was replayed and the rest found sound. */
    private static byte[] recovered(final Path image, final String name) throws IOException, InterruptedException
    {
        final Path copy = image.resolveSibling("recovered.img");
        final Path content = image.resolveSibling("recovered.content");
        Files.copy(image, copy, StandardCopyOption.REPLACE_EXISTING);
        run(1, "e2fsck", "-y", "-E", "journal_only", copy.toString());
        run(0, "e2fsck", "-fn", copy.toString());
        Files.deleteIfExists(content);
        run(0, "debugfs", "-R", "dump " + name + " " + content, copy.toString());
        assertTrue(Files.exists(content), name + " is not in the file system");
        final byte[] bytes = Files.readAllBytes(content);
        Files.delete(content);
        Files.delete(copy);
        return bytes;
    }

    /** Runs a program of e2fsprogs, whose status may be 0 or the one given. */
    private static void run(final int statusMax, final String... command) throws IOException, InterruptedException
    {
        // An account's PATH need not have the directories of these programs.
        final List<String> words =
            new ArrayList<>(List.of("sh", "-c", "PATH=$PATH:/usr/sbin:/sbin; exec \"$@\"", "sh"));
        words.addAll(List.of(command));
        final Process process = new ProcessBuilder(words).redirectErrorStream(true).start();
        final String output = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
        final int status = process.waitFor();
        assertTrue(status >= 0 && status <= statusMax, String.join(" ", command) + ": " + output);
    }
}
