package io.millrace.block.raid.format;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNull;

import io.millrace.testing.Requirement;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.stream.Stream;
import org.agrona.concurrent.UnsafeBuffer;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/**
 * What the tools themselves write, on files: those that need no block device and no privilege.
 */
class ForeignSignatureToolsTest
{
    private static final int DEVICE_BYTES = 32 << 20;
    private static final int HEAD_BYTES = 256 << 10;
    private static final int TAIL_BYTES = 128 << 10;

    @TempDir
    private Path directory;
    private Path device;

    @BeforeEach
    void create() throws IOException
    {
        device = directory.resolve("device");
        Files.write(device, new byte[DEVICE_BYTES]);
    }

    private void run(final String debianPackage, final String... command) throws IOException, InterruptedException
    {
        runWithInput(debianPackage, "", command);
    }

    private void runWithInput(final String debianPackage, final String input, final String... command)
        throws IOException, InterruptedException
    {
        final String program = Stream.of("", "/usr/sbin/", "/sbin/")
            .map((each) -> each + command[0])
            .filter((each) -> each.startsWith("/") ? Files.isExecutable(Path.of(each)) : Requirement.isOnPath(each))
            .findFirst().orElse(null);
        Requirement.require(null != program, "there is no " + command[0], "apt-get install " + debianPackage);
        final List<String> line = new ArrayList<>(List.of(program));
        line.addAll(Arrays.asList(command).subList(1, command.length));
        line.add(device.toString());
        final Path in = Files.writeString(directory.resolve("input"), input);
        final Process process = new ProcessBuilder(line).redirectErrorStream(true).redirectInput(in.toFile()).start();
        final String output = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
        assertEquals(0, process.waitFor(), () -> line + ": " + output);
    }

    private String find() throws IOException
    {
        final UnsafeBuffer bytes = new UnsafeBuffer(Files.readAllBytes(device));
        return ForeignSignature.find(new UnsafeBuffer(bytes, 0, HEAD_BYTES),
            new UnsafeBuffer(bytes, bytes.capacity() - TAIL_BYTES, TAIL_BYTES), bytes.capacity());
    }

    @Test
    void shouldRecogniseNothingInZeroes() throws IOException
    {
        assertNull(find());
    }

    @ParameterizedTest
    @CsvSource({
        "ext2, an ext2 file system",
        "ext3, an ext3 file system",
        "ext4, an ext4 file system"})
    void shouldRecogniseExtFileSystems(final String type, final String noun) throws Exception
    {
        run("e2fsprogs", "mke2fs", "-q", "-F", "-t", type);
        assertEquals(noun, find());
    }

    @Test
    void shouldRecogniseTheJournalOfAFileSystem() throws Exception
    {
        run("e2fsprogs", "mke2fs", "-q", "-F", "-O", "journal_dev");
        assertEquals("the journal of an ext3 or ext4 file system", find());
    }

    @ParameterizedTest
    @CsvSource({"4096", "16384", "65536"})
    void shouldRecogniseSwapOfEachPageSize(final String pageBytes) throws Exception
    {
        run("util-linux", "mkswap", "-p", pageBytes);
        assertEquals("a Linux swap area", find());
    }

    @ParameterizedTest
    @CsvSource({
        "dos, an MBR partition table",
        "gpt, a GPT partition table"})
    void shouldRecognisePartitionTables(final String label, final String noun) throws Exception
    {
        runWithInput("fdisk", "label: " + label + "\nsize=4MiB\n", "sfdisk", "-q");
        assertEquals(noun, find());
    }

    /** The copy at the end is still there when somebody overwrites the beginning. */
    @Test
    void shouldRecogniseTheSecondHeaderOfAGpt() throws Exception
    {
        runWithInput("fdisk", "label: gpt\nsize=4MiB\n", "sfdisk", "-q");
        final byte[] bytes = Files.readAllBytes(device);
        Arrays.fill(bytes, 0, 1 << 20, (byte)0);
        Files.write(device, bytes);
        assertEquals("a GPT partition table", find());
    }

    @Test
    void shouldRecogniseNothingInAnEmptyPartitionTable() throws Exception
    {
        runWithInput("fdisk", "label: dos\n", "sfdisk", "-q");
        assertNull(find());
    }
}
