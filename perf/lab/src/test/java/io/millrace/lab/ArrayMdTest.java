package io.millrace.lab;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.millrace.block.DeviceHealth;
import io.millrace.dataplane.config.SettingException;
import io.millrace.seed.TestSeeds;
import java.io.IOException;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.StandardOpenOption;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Random;
import java.util.Set;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

/**
 * Arrays have the layout of Linux md: md reads members that Millrace wrote, without some of them too, and its check
 * finds nothing, in an array that has grown by a member, and in one that was RAID 5 before, as well. Millrace reads the
 * data of md's arrays, without some members too.
 */
@LabTest
final class ArrayMdTest
{
    private static final int DATA_OFFSET = 1 << 20;
    private static final int MEMBER_BYTES = 2 << 20;
    /** With the second copy of the superblock. */
    private static final int FILE_BYTES = DATA_OFFSET + MEMBER_BYTES + 4096;
    private static final int LIMIT_S = 600;
    /** The array that md gets when it has grown. */
    private static final String GROWN = "6";
    /** The array that is RAID 5 first. */
    private static final String RAISED = "q-last";
    private static final List<Case> CASES = List.of(new Case("0", "0", 3, 16, 6 << 20, List.of()),
        new Case("1", "1", 2, 64, MEMBER_BYTES, anyOne(2)), new Case("5", "5", 4, 64, 6 << 20, anyOne(4)),
        new Case(GROWN, "6", 5, 16, 6 << 20, anyTwo(5)), new Case(RAISED, "6", 5, 16, 6 << 20, anyTwo(5)),
        new Case("10", "10", 3, 64, 3 << 20, anyOne(3)));

    private final Random random = TestSeeds.random();

    /**
     * An array.
     *
     * @param name      of its files.
     * @param level     of the array.
     * @param members   count of them.
     * @param stripKib  size of a strip.
     * @param sizeBytes of the array.
     * @param losses    slots that may be missing at once.
     */
    private record Case(
        String name, String level, int members, int stripKib, int sizeBytes, List<Set<Integer>> losses)
    {
        String argument()
        {
            return name + ':' + level + ':' + members + ':' + stripKib;
        }

        List<Path> files(final Path share, final String kind)
        {
            return IntStream.range(0, members).mapToObj((slot) -> share.resolve(kind + '.' + name + '.' + slot))
                .toList();
        }

        ServedArray serve(final List<Path> files, final String settings)
        {
            return new ServedArray(level, stripKib, files, settings);
        }

        /** The array as it is created. */
        ServedArray create(final List<Path> files)
        {
            return RAISED.equals(name) ?
                new ServedArray("5", stripKib, files.subList(0, members - 1), ", assume-clean: true") :
                new ServedArray(level, stripKib, files, ", assume-clean: true");
        }
    }

    private static List<Set<Integer>> anyOne(final int members)
    {
        return IntStream.range(0, members).mapToObj((slot) -> Set.of(slot)).toList();
    }

    private static List<Set<Integer>> anyTwo(final int members)
    {
        final List<Set<Integer>> all = new ArrayList<>();
        for (int slot = 0; slot < members; slot++)
        {
            for (int other = slot + 1; other < members; other++)
            {
                all.add(Set.of(slot, other));
            }
        }
        return all;
    }

    private static Path emptyShare() throws IOException
    {
        final Path share = Lab.directory("array-md-share");
        try (var files = Files.list(share))
        {
            for (final Path file : files.toList())
            {
                Files.delete(file);
            }
        }
        return share;
    }

    @Test
    void shouldReadWhatMdWritesAndTheOtherWayRound() throws Exception
    {
        final Path share = emptyShare();
        for (final Case each : CASES)
        {
            write(each, share);
        }
        final LabResult result = Lab.named("array-md").share(share).run(LIMIT_S, "array-md.sh",
            CASES.stream().map(Case::argument).toArray());
        result.assertPassed();
        for (final Case each : CASES)
        {
            result.assertStep("reads-" + each.name);
            result.assertStep("writes-" + each.name);
            read(each, share);
        }
        emptyShare();
    }

    /** Members that are full of zeroes and written in several ways, and an image for md. */
    private void write(final Case array, final Path share) throws IOException
    {
        final List<Path> files = array.files(share, "ours");
        for (final Path file : files)
        {
            makeFile(file);
        }
        final byte[] image = GROWN.equals(array.name) ? writeGrown(array, files) : write(array, files);
        Files.write(share.resolve("image." + array.name), image);
        Files.write(share.resolve("image2." + array.name), bytes(array.sizeBytes));
    }

    private byte[] write(final Case array, final List<Path> files)
    {
        final byte[] image = bytes(array.sizeBytes);
        try (ServedArray served = array.create(files))
        {
            assertEquals(array.sizeBytes, served.sizeBytes(), array::argument);
            served.write(image, 128 << 10);
        }
        // Of one that was RAID 5, Q is computed of what was written before, and updated by what is written now.
        try (ServedArray served = array.serve(files, ""))
        {
            served.awaitOnline(array.members);
            // Parity of all is updated by blocks that change, half of it is written again by larger transfers.
            random.nextBytes(image);
            served.write(image, 4096);
            System.arraycopy(bytes(array.sizeBytes / 2), 0, image, 0, array.sizeBytes / 2);
            served.write(Arrays.copyOf(image, array.sizeBytes / 2), 96 << 10);
            served.awaitOnline(array.members);
        }
        return image;
    }

    /** An array that gets its last member when it has data: what is added reads as zeroes. */
    private byte[] writeGrown(final Case array, final List<Path> files)
    {
        final byte[] image = bytes(array.sizeBytes - MEMBER_BYTES);
        try (ServedArray served =
            array.serve(files.subList(0, array.members - 1), ", assume-clean: true"))
        {
            assertEquals(image.length, served.sizeBytes(), array::argument);
            served.write(image, 128 << 10);
        }
        final byte[] grown = Arrays.copyOf(image, array.sizeBytes);
        try (ServedArray served = array.serve(files, ""))
        {
            served.awaitSize(array.sizeBytes);
        }
        try (ServedArray served = array.serve(files, ""))
        {
            assertArrayEquals(grown, served.read(96 << 10), array::argument);
            assertEquals(DeviceHealth.ONLINE, served.health());
        }
        return grown;
    }

    /** Data areas of md's members in an array of Millrace, with all members and without those that may be missing. */
    private void read(final Case array, final Path share) throws IOException
    {
        final byte[] image = Files.readAllBytes(share.resolve("image2." + array.name));
        final List<Path> ofMd = array.files(share, "md");
        final String refusal =
            assertThrows(SettingException.class, () -> array.serve(ofMd, "").close(), array::argument).getMessage();
        assertTrue(refusal.contains("md"), refusal);
        final List<Path> files = array.files(share, "read");
        for (final Path file : files)
        {
            makeFile(file);
        }
        array.create(files).close();
        if (RAISED.equals(array.name))
        {
            try (ServedArray served = array.serve(files, ""))
            {
                served.awaitOnline(array.members);
            }
        }
        for (int slot = 0; slot < array.members; slot++)
        {
            copyData(ofMd.get(slot), files.get(slot));
        }
        try (ServedArray served = array.serve(files, ""))
        {
            assertEquals(array.sizeBytes, served.sizeBytes(), array::argument);
            assertArrayEquals(image, served.read(128 << 10), array::argument);
        }
        final List<Path> left = array.files(share, "left");
        for (final Set<Integer> missing : array.losses)
        {
            for (int slot = 0; slot < array.members; slot++)
            {
                Files.deleteIfExists(left.get(slot));
                if (!missing.contains(slot))
                {
                    Files.copy(files.get(slot), left.get(slot), StandardCopyOption.REPLACE_EXISTING);
                }
            }
            try (ServedArray served = array.serve(left, "1".equals(array.level) ? ", force-start: true" : ""))
            {
                assertEquals(DeviceHealth.DEGRADED, served.health());
                assertArrayEquals(image, served.read(64 << 10), () -> array.argument() + " without " + missing);
            }
        }
    }

    private static void copyData(final Path from, final Path to) throws IOException
    {
        try (FileChannel source = FileChannel.open(from, StandardOpenOption.READ);
            FileChannel target = FileChannel.open(to, StandardOpenOption.WRITE))
        {
            target.position(DATA_OFFSET);
            // The kernel may copy less than it is asked for at a time.
            for (long copied = 0; copied < MEMBER_BYTES; )
            {
                final long now = source.transferTo(DATA_OFFSET + copied, MEMBER_BYTES - copied, target);
                assertNotEquals(0, now, () -> from + " ends within its data");
                copied += now;
            }
        }
    }

    private static void makeFile(final Path file) throws IOException
    {
        Files.write(file, new byte[FILE_BYTES]);
    }

    private byte[] bytes(final int count)
    {
        final byte[] bytes = new byte[count];
        random.nextBytes(bytes);
        return bytes;
    }
}
