package io.millrace.block.file;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.charset.StandardCharsets;
import java.nio.file.FileAlreadyExistsException;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.StandardOpenOption;
import java.nio.file.attribute.PosixFilePermissions;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.Arrays;
import java.util.HexFormat;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;

/**
 * Records of the files of devices, across starts: a missing file with a record was lost, or its file system is not
 * mounted, and is not created again, since hosts would find an empty volume under the identity of theirs. Logical
 * volumes of SPDK are recorded as files would be. A file for each path in a directory, so that processes may share it.
 * Any thread that may block.
 */
public final class FileRecords
{
    /** Stores no records: missing files are created. */
    public static final FileRecords NONE = new FileRecords(null, Map.of(), false, null, null);
    private static final String DEVICE = "device: ";
    private static final String SINCE = "since: ";

    private final Path directory;
    private final Map<Path, Record> known;
    private final boolean isPermanent;
    /** Of a file of which somebody else knows; null: of none. */
    private final Path expected;
    private final String expectedBy;

    private FileRecords(
        final Path directory,
        final Map<Path, Record> known,
        final boolean isPermanent,
        final Path expected,
        final String expectedBy)
    {
        this.directory = directory;
        this.known = known;
        this.isPermanent = isPermanent;
        this.expected = expected;
        this.expectedBy = expectedBy;
    }

    /**
     * Record of the file of a device.
     *
     * @param device name of the device.
     * @param since  when a device had it first, ISO 8601 in UTC; empty: not known.
     * @param isOwn  whether it is recorded here; if not, who said so forgets it when the device is deleted.
     */
    record Record(String device, String since, boolean isOwn)
    {
        Record(final String device, final String since)
        {
            this(device, since, true);
        }

        String text(final Path path)
        {
            return "# A device has its data here. While that is missing it is not made again.\n" +
                "path: " + path + '\n' +
                DEVICE + device + '\n' + (since.isEmpty() ? "" : SINCE + since + '\n');
        }

        static Record of(final String text)
        {
            return new Record(value(text, DEVICE), value(text, SINCE));
        }

        private static String value(final String text, final String key)
        {
            return text.lines().filter((line) -> line.startsWith(key)).map((line) -> line.substring(key.length()))
                .findFirst().orElse("");
        }

        @Override
        public String toString()
        {
            return "device " + device + " had it" + (since.isEmpty() ? " before" : " since " + since);
        }
    }

    /**
     * {@return records in a directory, which is made with the first one}
     *
     * @param directory for these records; null: they end with the process.
     */
    public static FileRecords in(final Path directory)
    {
        return new FileRecords(directory, new ConcurrentHashMap<>(), false, null, null);
    }

    /**
     * {@return the same for devices that a configuration file declares: a command that deletes one does not remove its
     * record, as the next start brings the device back}
     */
    public FileRecords permanent()
    {
        return this == NONE ? NONE : new FileRecords(directory, known, true, expected, expectedBy);
    }

    /**
     * The same for a device of which somebody else knows that it had its file: a missing one is not created, and
     * nothing is recorded of it either, so that the device can still be deleted and begin again.
     *
     * @param device name of the device.
     * @param path   of its file.
     * @return records for that device.
     */
    public FileRecords expecting(final String device, final Path path)
    {
        return new FileRecords(
            directory, this == NONE ? new ConcurrentHashMap<>() : known, isPermanent, key(path), device);
    }

    /**
     * Adds the file of a device without opening it.
     *
     * @param device name of the device.
     * @param path   of its file.
     */
    public void adopt(final String device, final Path path)
    {
        try
        {
            add(path, new Record(device, ""));
        }
        catch (final IOException _)
        {
            // Kept in memory only: the caller adds it again at the next start.
        }
    }

    /**
     * {@return the path that a logical volume of SPDK is recorded by}
     *
     * @param lvol as {@code STORE/NAME}.
     */
    public static Path pathOfLvol(final String lvol)
    {
        return Path.of("/spdk-lvol", lvol);
    }

    /**
     * {@return who had a file, as the beginning of a sentence; null: nobody}
     *
     * @param path of the file.
     * @throws IOException when that cannot be read.
     */
    public String had(final Path path) throws IOException
    {
        final Record record = find(path);
        return null == record ? null : record.toString();
    }

    /**
     * {@return whether a device that is made now had a file before, as who makes it knows: one that is declared in a
     * configuration file by its record, one that is restored by what restores it}
     *
     * @param path of the file.
     * @throws IOException when that cannot be read.
     */
    public boolean isReturning(final Path path) throws IOException
    {
        return this == NONE || isPermanent && null != find(path) || key(path).equals(expected);
    }

    /**
     * Records a file that was opened; again does nothing.
     *
     * @param device name of the device.
     * @param path   of its file.
     * @throws IOException when the record cannot be kept beyond this process.
     */
    public void add(final String device, final Path path) throws IOException
    {
        add(path, new Record(device, Instant.now().truncatedTo(ChronoUnit.SECONDS).toString()));
    }

    /**
     * Removes the record of a device that was deleted on purpose: a device created again begins with an empty file.
     *
     * @param path of its file.
     * @throws IOException when it cannot be removed; it still counts then.
     */
    public void remove(final Path path) throws IOException
    {
        if (!isPermanent)
        {
            withdraw(path);
        }
    }

    /**
     * Removes the record of a file that is removed too, on purpose or as the start that made both failed.
     *
     * @param path of its file.
     * @throws IOException when it cannot be removed; it still counts then.
     */
    public void withdraw(final Path path) throws IOException
    {
        if (this == NONE)
        {
            return;
        }
        final Path key = key(path);
        if (null != directory)
        {
            Files.deleteIfExists(file(key));
        }
        known.remove(key);
    }

    /**
     * {@return what is recorded of a file; null: nothing}
     *
     * @throws IOException when that cannot be read.
     */
    Record find(final Path path) throws IOException
    {
        if (this == NONE)
        {
            return null;
        }
        final Path key = key(path);
        if (null != directory)
        {
            try
            {
                return Record.of(Files.readString(file(key)));
            }
            catch (final NoSuchFileException _)
            {
                // The record may not have been written.
            }
        }
        final Record record = known.get(key);
        return null == record && key.equals(expected) ? new Record(expectedBy, "", false) : record;
    }

    private void add(final Path path, final Record record) throws IOException
    {
        if (this == NONE)
        {
            return;
        }
        final Path key = key(path);
        known.putIfAbsent(key, record);
        if (null == directory || Files.exists(file(key)))
        {
            return;
        }
        make(directory);
        final Path temporary = Files.createTempFile(directory, "new", ".tmp");
        try
        {
            try (FileChannel channel = FileChannel.open(temporary, Set.of(StandardOpenOption.WRITE)))
            {
                final ByteBuffer text = ByteBuffer.wrap(record.text(key).getBytes(StandardCharsets.UTF_8));
                while (text.hasRemaining())
                {
                    channel.write(text);
                }
                channel.force(true);
            }
            Files.move(temporary, file(key), StandardCopyOption.ATOMIC_MOVE);
        }
        finally
        {
            Files.deleteIfExists(temporary);
        }
        sync(directory);
    }

    /** Whose entry above is on stable storage: else a loss of power could take all records with it. */
    private static void make(final Path directory) throws IOException
    {
        if (Files.isDirectory(directory))
        {
            return;
        }
        final Path parent = directory.toAbsolutePath().getParent();
        make(parent);
        try
        {
            Files.createDirectory(directory,
                PosixFilePermissions.asFileAttribute(PosixFilePermissions.fromString("rwxr-x---")));
        }
        catch (final FileAlreadyExistsException e)
        {
            if (!Files.isDirectory(directory))
            {
                throw e;
            }
        }
        sync(parent);
    }

    private static void sync(final Path directory) throws IOException
    {
        try (FileChannel channel = FileChannel.open(directory, StandardOpenOption.READ))
        {
            channel.force(true);
        }
    }

    private static Path key(final Path path)
    {
        return path.toAbsolutePath().normalize();
    }

    private Path file(final Path key)
    {
        try
        {
            final byte[] digest =
                MessageDigest.getInstance("SHA-256").digest(key.toString().getBytes(StandardCharsets.UTF_8));
            return directory.resolve(HexFormat.of().formatHex(Arrays.copyOf(digest, Long.BYTES * 2)));
        }
        catch (final NoSuchAlgorithmException e)
        {
            throw new IllegalStateException(e);
        }
    }
}
