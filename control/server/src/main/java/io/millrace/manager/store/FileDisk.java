package io.millrace.manager.store;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.Channels;
import java.nio.channels.FileChannel;
import java.nio.channels.SeekableByteChannel;
import java.nio.file.Files;
import java.nio.file.OpenOption;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.StandardOpenOption;
import java.nio.file.attribute.FileAttribute;
import java.nio.file.attribute.PosixFilePermission;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.List;
import java.util.Set;
import java.util.stream.Stream;

/**
 * A directory of the file system. Files are for their owner to write, and for the group to read.
 */
public final class FileDisk implements StateDisk
{
    private static final FileAttribute<Set<PosixFilePermission>> FILE_MODE =
        PosixFilePermissions.asFileAttribute(PosixFilePermissions.fromString("rw-r-----"));
    private static final FileAttribute<Set<PosixFilePermission>> DIRECTORY_MODE =
        PosixFilePermissions.asFileAttribute(PosixFilePermissions.fromString("rwxr-x---"));

    private final Path directory;

    private FileDisk(final Path directory)
    {
        this.directory = directory;
    }

    /**
     * Takes a directory, and makes it and those above it when they are not there.
     *
     * @param directory to use.
     * @return the disk.
     * @throws IOException when it is unavailable.
     */
    public static FileDisk of(final Path directory) throws IOException
    {
        make(directory.toAbsolutePath().normalize());
        return new FileDisk(directory);
    }

    private static void make(final Path directory) throws IOException
    {
        if (Files.isDirectory(directory))
        {
            return;
        }
        if (null != directory.getParent())
        {
            make(directory.getParent());
        }
        Files.createDirectory(directory, DIRECTORY_MODE);
        if (null != directory.getParent())
        {
            syncDirectory(directory.getParent());
        }
    }

    @Override
    public List<String> list() throws IOException
    {
        try (Stream<Path> files = Files.list(directory))
        {
            return files.map((each) -> each.getFileName().toString()).toList();
        }
    }

    @Override
    public byte[] read(final String name) throws IOException
    {
        return Files.readAllBytes(directory.resolve(name));
    }

    @Override
    public byte[] readEnd(final String name, final int lengthMaxBytes) throws IOException
    {
        try (SeekableByteChannel channel = Files.newByteChannel(directory.resolve(name)))
        {
            channel.position(Math.max(0, channel.size() - lengthMaxBytes));
            return Channels.newInputStream(channel).readNBytes(lengthMaxBytes);
        }
    }

    @Override
    public long lengthBytes(final String name) throws IOException
    {
        return Files.size(directory.resolve(name));
    }

    @Override
    public void append(final String name, final byte[] content) throws IOException
    {
        write(name, content, Set.of(StandardOpenOption.CREATE, StandardOpenOption.APPEND));
    }

    @Override
    public void write(final String name, final byte[] content) throws IOException
    {
        write(name, content,
            Set.of(StandardOpenOption.CREATE, StandardOpenOption.TRUNCATE_EXISTING, StandardOpenOption.WRITE));
    }

    private void write(final String name, final byte[] content, final Set<OpenOption> options) throws IOException
    {
        try (FileChannel channel = FileChannel.open(directory.resolve(name), options, FILE_MODE))
        {
            final ByteBuffer bytes = ByteBuffer.wrap(content);
            while (bytes.hasRemaining())
            {
                channel.write(bytes);
            }
        }
    }

    @Override
    public void sync(final String name) throws IOException
    {
        try (FileChannel channel = FileChannel.open(directory.resolve(name), StandardOpenOption.WRITE))
        {
            channel.force(true);
        }
    }

    @Override
    public void rename(final String from, final String to) throws IOException
    {
        Files.move(directory.resolve(from), directory.resolve(to), StandardCopyOption.ATOMIC_MOVE);
    }

    @Override
    public void delete(final String name) throws IOException
    {
        Files.deleteIfExists(directory.resolve(name));
    }

    @Override
    public void syncDirectory() throws IOException
    {
        syncDirectory(directory);
    }

    private static void syncDirectory(final Path directory) throws IOException
    {
        try (FileChannel channel = FileChannel.open(directory, StandardOpenOption.READ))
        {
            channel.force(true);
        }
    }

    @Override
    public String where(final String name)
    {
        return directory.resolve(name).toString();
    }
}
