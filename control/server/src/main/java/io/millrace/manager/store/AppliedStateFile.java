package io.millrace.manager.store;

import io.millrace.control.message.Command;
import io.millrace.control.message.LeadershipInfo;
import io.millrace.control.message.StatePosition;
import io.millrace.control.message.Terms;
import io.millrace.control.state.StateDocument;
import io.millrace.settings.ConfigException;
import java.io.IOException;
import java.nio.channels.FileChannel;
import java.nio.channels.OverlappingFileLockException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.Set;
import java.util.UUID;
import org.agrona.CloseHelper;

/**
 * The file in which a data plane keeps its {@link AppliedState}, in a directory of its own: a header of lines, {@code
 * ---}, and the state as {@link StateDocument} keeps it. It is there as a whole or not at all, whatever stops the
 * process or the machine. The directory is made, and locked for one process, when something is read or written there
 * first; a data plane that never had a manager makes nothing. One thread at a time.
 */
public final class AppliedStateFile implements AutoCloseable
{
    /** NVM Express Base 2.0, section 3.1.2: ids above are reserved. */
    static final int CONTROLLER_ID_MAX = 0xFFEF;
    private static final String NAME = "applied-state.yaml";
    private static final String TEMPORARY = NAME + ".tmp";
    static final String LOCK = "lock";
    private static final String CONFIGURATION = "configuration";
    private static final String INTRODUCTION =
        "# State that a manager applied last, kept by its data plane. An edited file is refused: change it with " +
            "commands.\n";
    private static final long CHANGES_MAX = 999_999_999_999_999_999L;

    private final Path directory;
    private final String configuration;
    private String foundConfiguration = "";
    private StateDisk disk;
    private FileChannel lock;

    private AppliedStateFile(final Path directory, final StateDisk disk, final String configuration)
    {
        this.directory = directory;
        this.disk = disk;
        this.configuration = configuration;
    }

    /**
     * {@return the file in a directory, of which nothing is touched yet}
     *
     * @param directory for one data plane.
     */
    public static AppliedStateFile in(final Path directory)
    {
        return new AppliedStateFile(directory, null, "");
    }

    /**
     * {@return the same, which records the configuration file that the data plane was started with}
     *
     * @param directory     for one data plane.
     * @param configuration path of its configuration file.
     */
    public static AppliedStateFile in(final Path directory, final Path configuration)
    {
        return new AppliedStateFile(directory, null, configuration.toAbsolutePath().normalize().toString());
    }

    /** On any disk. */
    static AppliedStateFile on(final StateDisk disk)
    {
        return new AppliedStateFile(null, disk, "");
    }

    /**
     * {@return where it is, for messages}
     */
    public String where()
    {
        return null == directory ? disk.where(NAME) : directory.resolve(NAME).toString();
    }

    /**
     * {@return path of the configuration file that the data plane was started with which kept what was read; empty when
     * that was not recorded}
     */
    public String foundConfiguration()
    {
        return foundConfiguration;
    }

    /**
     * {@return whether the directory is this process's: something was read or written, well or not}
     */
    public boolean isOpen()
    {
        return null != disk;
    }

    /**
     * Reads it.
     *
     * @return what was kept last; null when nothing ever was.
     * @throws IOException    when it cannot be read.
     * @throws StoreException when it is damaged, or another data plane uses the directory; says what to do.
     */
    public AppliedState read() throws IOException
    {
        if (null != directory && !Files.exists(directory.resolve(NAME)))
        {
            return null;
        }
        open();
        if (!disk.list().contains(NAME))
        {
            return null;
        }
        try
        {
            return parse(where(), disk.read(NAME));
        }
        catch (final StoreException e)
        {
            throw new StoreException(e.getMessage() + "; restore it, or start once with --import, which begins with " +
                "the configuration file", e);
        }
    }

    /**
     * Keeps a state. When this returns nothing loses it any more; when it throws, this state or the one before is found
     * at the next start.
     *
     * @param state to keep.
     * @throws IOException    when it cannot be kept, such as when the disk is full, or its version could not be read
     *                        again.
     * @throws StoreException when another data plane uses the directory.
     */
    public void write(final AppliedState state) throws IOException
    {
        final StatePosition position = state.leadership().position();
        if (!position.isWithinBounds())
        {
            throw new IOException(position + " is not kept: its term is at most " + Terms.MAX +
                ", its version at most " + StatePosition.VERSION_MAX);
        }
        open();
        try
        {
            disk.write(TEMPORARY, format(state));
            disk.sync(TEMPORARY);
            disk.rename(TEMPORARY, NAME);
        }
        catch (final IOException e)
        {
            try
            {
                disk.delete(TEMPORARY);
            }
            catch (final IOException second)
            {
                e.addSuppressed(second);
            }
            throw e;
        }
        disk.syncDirectory();
    }

    private void open() throws IOException
    {
        if (null != disk)
        {
            return;
        }
        final FileDisk opened = FileDisk.of(directory);
        final FileChannel channel = FileChannel.open(directory.resolve(LOCK),
            Set.of(StandardOpenOption.CREATE, StandardOpenOption.WRITE),
            PosixFilePermissions.asFileAttribute(PosixFilePermissions.fromString("rw-------")));
        try
        {
            if (null == channel.tryLock())
            {
                throw new OverlappingFileLockException();
            }
        }
        catch (final OverlappingFileLockException e)
        {
            CloseHelper.quietClose(channel);
            throw new StateInUseException(directory);
        }
        lock = channel;
        disk = opened;
    }

    private byte[] format(final AppliedState applied)
    {
        final LeadershipInfo leadership = applied.leadership();
        final StatePosition position = leadership.position();
        final String head = INTRODUCTION +
            "lineage: " + HeaderText.digits(position.lineage()) + '\n' +
            "version-term: " + position.term() + '\n' +
            "version: " + position.version() + '\n' +
            "term: " + leadership.term() + '\n' +
            "manager-id: " + HeaderText.digits(leadership.managerId()) + '\n' +
            "manager: " + HeaderText.quoted(leadership.managerName()) + '\n' +
            "manager-address: " + HeaderText.quoted(leadership.managerAddress()) + '\n' +
            (configuration.isEmpty() ? "" : CONFIGURATION + ": " + HeaderText.quoted(configuration) + '\n') +
            "since: " + leadership.sinceEpochNs() + '\n' +
            "direct-changes: " + leadership.directChanges() + '\n' +
            "direct-changes-seen: " + leadership.directChangesSeen() + '\n' +
            "controller-id-first: " + applied.ids().firstId() + '\n' +
            "controller-id-last: " + applied.ids().lastId() + '\n';
        final String body = HeaderText.BODY + StateDocument.writePersisted(applied.state());
        return (head + HeaderText.SHA256 + HeaderText.hash(head + body) + '\n' + body)
            .getBytes(StandardCharsets.UTF_8);
    }

    private AppliedState parse(final String where, final byte[] content)
    {
        final HeaderText.Lines lines = new HeaderText.Lines(where, HeaderText.text(where, content));
        if (!INTRODUCTION.equals(lines.next() + '\n'))
        {
            throw lines.problem("does not begin as a state that a data plane kept");
        }
        final UUID lineage = HeaderText.id(lines, "lineage");
        final StatePosition position = new StatePosition(lineage, HeaderText.number(lines, "version-term", Terms.MAX),
            HeaderText.number(lines, "version", StatePosition.VERSION_MAX));
        final long term = HeaderText.number(lines, "term", Terms.MAX);
        final UUID managerId = HeaderText.id(lines, "manager-id");
        final String name = HeaderText.unquoted(lines, lines.value("manager"));
        final String address = HeaderText.unquoted(lines, lines.value("manager-address"));
        final String startedWith =
            lines.has(CONFIGURATION) ? HeaderText.unquoted(lines, lines.value(CONFIGURATION)) : "";
        final long since = epochNs(lines);
        final long directChanges = HeaderText.number(lines, "direct-changes", CHANGES_MAX);
        final long directChangesSeen = HeaderText.number(lines, "direct-changes-seen", CHANGES_MAX);
        final Command.AssignControllerIds ids = ids(lines);
        final String body = HeaderText.body(lines);
        foundConfiguration = startedWith;
        try
        {
            return new AppliedState(new LeadershipInfo(term, managerId, since, position, directChanges,
                directChangesSeen, name, address), StateDocument.readPersisted(where, body), ids);
        }
        catch (final ConfigException e)
        {
            throw new StoreException(e.getMessage(), e);
        }
    }

    private static Command.AssignControllerIds ids(final HeaderText.Lines lines)
    {
        final int first = (int)HeaderText.number(lines, "controller-id-first", CONTROLLER_ID_MAX);
        final int last = (int)HeaderText.number(lines, "controller-id-last", CONTROLLER_ID_MAX);
        if (first < 1 || first > last)
        {
            throw lines.problem("controller-id-first " + first + " and controller-id-last " + last + " are no range");
        }
        return new Command.AssignControllerIds(first, last);
    }

    private static long epochNs(final HeaderText.Lines lines)
    {
        try
        {
            return Long.parseLong(lines.value("since"));
        }
        catch (final NumberFormatException e)
        {
            throw lines.problem("since is no number");
        }
    }

    /**
     * Locks the directory for this process, and makes it when it is not there.
     *
     * @throws IOException    when it cannot be made.
     * @throws StoreException when another data plane uses it.
     */
    public void lock() throws IOException
    {
        open();
    }

    /** Lets another process have the directory. */
    @Override
    public void close()
    {
        CloseHelper.quietClose(lock);
    }
}
