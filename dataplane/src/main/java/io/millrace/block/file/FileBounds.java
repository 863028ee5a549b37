package io.millrace.block.file;

import io.millrace.block.BlockDeviceException;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFileAttributes;
import java.nio.file.attribute.PosixFilePermission;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.ArrayList;
import java.util.EnumSet;
import java.util.List;
import java.util.Set;
import java.util.stream.Collectors;

/**
 * Directories in which the files and block devices of file devices may lie, so that those who may create devices cannot
 * access every file that the process can open. A path is checked after all symbolic links are resolved, except links to
 * block devices that root created, such as those in {@code /dev/disk/by-id}: their own location is checked. Immutable;
 * any thread that may block.
 */
public final class FileBounds
{
    /** No bounds: callers are trusted with every file that the process may open. */
    public static final FileBounds ANYWHERE = new FileBounds("", null, List.of(), List.of());
    private static final Path DEV = Path.of("/dev");
    private static final Set<PosixFilePermission> FOREIGN_WRITE =
        EnumSet.of(PosixFilePermission.GROUP_WRITE, PosixFilePermission.OTHERS_WRITE);

    private final String setting;
    private final Path home;
    private final List<Path> directories;
    private final List<Path> own;

    private FileBounds(final String setting, final Path home, final List<Path> directories, final List<Path> own)
    {
        this.setting = setting;
        this.home = home;
        this.directories = directories;
        this.own = own;
    }

    /**
     * Bounds that were configured.
     *
     * @param setting     key of the setting that names the directories, for messages.
     * @param directories below which paths may lie; each may be the path of a file or block device too.
     * @param own         paths that are allowed besides and not shown, such as those that the configuration declares.
     * @return bounds.
     */
    public static FileBounds below(final String setting, final List<Path> directories, final List<Path> own)
    {
        return new FileBounds(setting, null, absolute(directories), absolute(own));
    }

    /**
     * Bounds of the default directory: it is made, for this user alone, when the first path in it is asked for.
     *
     * @param setting key of the setting that names others, for messages.
     * @param home    the directory.
     * @param own     paths that are allowed besides and not shown.
     * @return bounds.
     */
    public static FileBounds home(final String setting, final Path home, final List<Path> own)
    {
        return new FileBounds(setting, home.toAbsolutePath().normalize(), absolute(List.of(home)), absolute(own));
    }

    private static List<Path> absolute(final List<Path> paths)
    {
        return paths.stream().map((path) -> path.toAbsolutePath().normalize()).toList();
    }

    /**
     * {@return the directories, for messages}
     */
    public List<Path> directories()
    {
        return directories;
    }

    /**
     * Resolves a path and checks it against the bounds.
     *
     * @param device of which it is the path, for messages.
     * @param path   of a file that is there, or is to be made in a directory that is there.
     * @return the same without links; the last name of it may be missing.
     * @throws BlockDeviceException when it lies elsewhere or its directory is missing.
     */
    Path resolve(final String device, final Path path)
    {
        final Path wanted = path.toAbsolutePath();
        final boolean looksInside = isBelow(wanted.normalize(), directories);
        if (looksInside)
        {
            makeHome(device, wanted.normalize());
        }
        final Path real = real(wanted);
        if (null != real && (isAllowed(real) || isLinkOfRoot(wanted, real)))
        {
            return real;
        }
        if (null == real && looksInside)
        {
            throw new BlockDeviceException("device " + device + ": path " + path +
                " cannot be opened: make its directory first");
        }
        // The target of a path outside of the bounds, or its existence, is not disclosed.
        throw new BlockDeviceException("device " + device + ": path " + path +
            (looksInside ? " leads to " + real + ", which" : "") + " is in none of the directories of " + setting +
            " (" + directories.stream().map(Path::toString).collect(Collectors.joining(", ")) +
            "): choose a path there, or name its directory in that setting of the data plane's configuration file " +
            "and start the data plane again");
    }

    private boolean isAllowed(final Path real)
    {
        final List<Path> bounds = new ArrayList<>();
        for (final List<Path> each : List.of(directories, own))
        {
            each.stream().map(FileBounds::real).filter((bound) -> null != bound).forEach(bounds::add);
        }
        return isBelow(real, bounds);
    }

    private static boolean isBelow(final Path path, final List<Path> bounds)
    {
        return bounds.stream().anyMatch(path::startsWith);
    }

    /** A link below /dev in a directory where only root can create one. */
    private boolean isLinkOfRoot(final Path wanted, final Path real)
    {
        final Path directory = null == wanted.getParent() ? null : real(wanted.getParent());
        if (null == directory || !directory.startsWith(DEV) || !real.startsWith(DEV) ||
            !isAllowed(directory.resolve(wanted.getFileName())))
        {
            return false;
        }
        try
        {
            final PosixFileAttributes attributes =
                Files.readAttributes(directory, PosixFileAttributes.class, LinkOption.NOFOLLOW_LINKS);
            return 0 == (int)Files.getAttribute(directory, "unix:uid", LinkOption.NOFOLLOW_LINKS) &&
                attributes.permissions().stream().noneMatch(FOREIGN_WRITE::contains);
        }
        catch (final IOException _)
        {
            return false;
        }
    }

    private void makeHome(final String device, final Path path)
    {
        if (null == home || !path.startsWith(home) || Files.exists(home))
        {
            return;
        }
        try
        {
            Files.createDirectories(home,
                PosixFilePermissions.asFileAttribute(PosixFilePermissions.fromString("rwx------")));
        }
        catch (final IOException e)
        {
            throw new BlockDeviceException("device " + device + ": directory " + home + " cannot be made (" +
                e.getMessage() + "): name another with " + setting, e);
        }
    }

    /** Null when neither the path nor its directory exists. */
    private static Path real(final Path path)
    {
        try
        {
            return path.toRealPath();
        }
        catch (final IOException _)
        {
            // To be made, perhaps.
        }
        try
        {
            return null == path.getParent() ? null : path.getParent().toRealPath().resolve(path.getFileName());
        }
        catch (final IOException _)
        {
            return null;
        }
    }
}
