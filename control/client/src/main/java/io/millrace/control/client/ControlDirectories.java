package io.millrace.control.client;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.DirectoryIteratorException;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;

/**
 * The directories through which commands are sent over IPC, and whom they belong to. Who may write to one can command,
 * and who owns one can make a client do what it likes: both sides look at owner and mode before they use it. Stateless;
 * any thread may use it.
 */
public final class ControlDirectories
{
    /** Environment variable with the directory or channel that control commands talk to. */
    public static final String CONTROL_VARIABLE = "MILLRACE_CONTROL";
    /** Name of a data plane whose configuration gives none. */
    public static final String DATA_PLANE_NAME_DEFAULT = "millrace";
    private static final String GROUP_VARIABLE = "MILLRACE_CONTROL_GROUP";
    private static final String DATA_PLANE = "data-plane";
    private static final Path SHARED_MEMORY = Path.of("/dev/shm");
    private static final Path RUN = Path.of("/run");
    private static final String RUNTIME_VARIABLE = "XDG_RUNTIME_DIR";
    private static final String TMPFS = "tmpfs";
    private static final String PROGRAM = "millrace";
    /** What {@code sun_path} has room for, without the 0 at its end. */
    private static final int SOCKET_PATH_BYTES_MAX = 107;
    private static final int TYPE_MASK = 0170000;
    private static final int DIRECTORY_TYPE = 0040000;
    private static final int LINK_TYPE = 0120000;
    /** On the way to a directory, as the kernel has it. */
    private static final int LINKS_MAX = 40;
    private static final int GROUP_WRITE = 0020;
    private static final int OTHERS_WRITE = 0002;
    private static final int STICKY = 01000;
    private static final int OWN_UID = ownUid();

    private ControlDirectories()
    {
    }

    /** The effective one: files of this process are made with it. */
    private static int ownUid()
    {
        try
        {
            for (final String line : Files.readAllLines(Path.of("/proc/self/status")))
            {
                if (line.startsWith("Uid:"))
                {
                    return Integer.parseInt(line.split("\\s+")[2]);
                }
            }
            throw new IOException("no Uid");
        }
        catch (final IOException e)
        {
            throw new UncheckedIOException("/proc/self/status cannot be read: mount /proc", e);
        }
    }

    /**
     * {@return the directory of a data plane without a name of its own when none is named}
     */
    public static Path dataPlane()
    {
        return base().resolve(DATA_PLANE);
    }

    /**
     * {@return the directory of a data plane when none is named}
     *
     * @param name of the data plane; {@value #DATA_PLANE_NAME_DEFAULT} is that of one without a name of its own.
     */
    public static Path dataPlane(final String name)
    {
        return DATA_PLANE_NAME_DEFAULT.equals(name) ? dataPlane() : base().resolve(DATA_PLANE + '-' + name);
    }

    /**
     * {@return the Unix domain socket of SPDK's JSON-RPC in a data plane when none is named; null: its path would be
     * too long for a socket}
     *
     * @param name of the data plane.
     */
    public static Path spdkSocket(final String name)
    {
        final Path socket = base().resolve(spdkSocketName(name));
        return isTooLong(socket) ? null : socket;
    }

    /**
     * {@return whether the kernel takes a path for no socket, since it is longer than 107 bytes}
     *
     * @param socket path of a Unix domain socket.
     */
    public static boolean isTooLong(final Path socket)
    {
        return socket.toString().getBytes(StandardCharsets.UTF_8).length > SOCKET_PATH_BYTES_MAX;
    }

    private static String spdkSocketName(final String name)
    {
        return DATA_PLANE_NAME_DEFAULT.equals(name) ? "spdk.sock" : "spdk-" + name + ".sock";
    }

    /**
     * {@return the Unix domain socket of SPDK's JSON-RPC beside the directory of a data plane; null: its name is not
     * the one that such a directory has when none is named}
     *
     * @param directory of the data plane.
     */
    public static Path spdkSocketOf(final Path directory)
    {
        final String file = String.valueOf(directory.getFileName());
        return DATA_PLANE.equals(file) || file.startsWith(DATA_PLANE + '-') ?
            directory.resolveSibling(spdkSocketName(nameOf(directory))) : null;
    }

    /**
     * {@return the name of the data plane whose directory this is when none is named}
     *
     * @param directory as {@link #dataPlanes} has it.
     */
    public static String nameOf(final Path directory)
    {
        final String file = directory.getFileName().toString();
        return DATA_PLANE.equals(file) ? DATA_PLANE_NAME_DEFAULT : file.substring(DATA_PLANE.length() + 1);
    }

    /**
     * {@return the existing directories of data planes of this user, in the order of their names; processes may have
     * ended}
     */
    public static List<Path> dataPlanes()
    {
        try (DirectoryStream<Path> found = Files.newDirectoryStream(base(), DATA_PLANE + "{,-*}"))
        {
            final List<Path> directories = new ArrayList<>();
            found.forEach(directories::add);
            directories.removeIf((path) -> !Files.isDirectory(path, LinkOption.NOFOLLOW_LINKS));
            directories.sort(null);
            return directories;
        }
        catch (final IOException | DirectoryIteratorException _)
        {
            // No process of this user was started, or the directory is closed to this user.
            return List.of();
        }
    }

    /**
     * {@return the group that may own control directories besides this user and root, from
     * {@code MILLRACE_CONTROL_GROUP}; null: none}
     *
     * @param environment of the process.
     */
    public static String trustedGroup(final Map<String, String> environment)
    {
        final String group = environment.getOrDefault(GROUP_VARIABLE, "");
        return group.isBlank() ? null : group;
    }

    /**
     * {@return the directory of a manager when none is named}
     */
    public static Path manager()
    {
        return base().resolve("manager");
    }

    /**
     * {@return which process a directory without one needs, and how it is started, as a sentence}
     *
     * @param directory in which no process accepts commands.
     */
    static String userOf(final Path directory)
    {
        if (directory.equals(manager()))
        {
            return "the manager of this user ended, or does not respond; start it with 'millrace manager'";
        }
        if (directory.equals(dataPlane()))
        {
            return "the data plane of this user ended, or does not respond; start it with 'millrace serve --config " +
                "FILE'";
        }
        return "its data plane or manager ended, or does not respond; start 'millrace serve' or 'millrace manager' " +
            "with the configuration that names this directory";
    }

    /**
     * {@return what the default directories of this user are in}
     */
    public static Path base()
    {
        return base(System.getenv(), RUN, SHARED_MEMORY, System.getProperty("user.name"));
    }

    /**
     * $XDG_RUNTIME_DIR, or the system's directory of a service, where they are in memory and this user's; else one
     * beside others' in shared memory.
     */
    static Path base(final Map<String, String> environment, final Path run, final Path shared, final String user)
    {
        final String runtime = environment.getOrDefault(RUNTIME_VARIABLE, "");
        if (runtime.startsWith("/") && isOwnMemory(Path.of(runtime)))
        {
            return Path.of(runtime, PROGRAM);
        }
        final Path service = run.resolve(PROGRAM);
        if (isOwnMemory(service) || !Files.exists(service, LinkOption.NOFOLLOW_LINKS) && isOwnMemory(run))
        {
            return service;
        }
        return shared.resolve(PROGRAM + '-' + user);
    }

    private static boolean isOwnMemory(final Path directory)
    {
        try
        {
            final int mode = mode(directory);
            return uid(directory) == OWN_UID && 0 == (mode & (GROUP_WRITE | OTHERS_WRITE)) &&
                DIRECTORY_TYPE == (mode & TYPE_MASK) && TMPFS.equals(Files.getFileStore(directory).type());
        }
        catch (final IOException | UnsupportedOperationException _)
        {
            return false;
        }
    }

    /**
     * Looks whether a directory may be used, without following a link in its place.
     *
     * @param directory of a media driver.
     * @param group     that is trusted besides user and root; null: none.
     * @return why it is not to be used, as a sentence without its subject; null when it may be used, or is not there.
     */
    public static String trustProblem(final Path directory, final String group)
    {
        final Path absolute = directory.toAbsolutePath().normalize();
        try
        {
            final String own = ownTrustProblem(absolute, group);
            return null != own || null == absolute.getParent() ? own :
                trustProblem(absolute.getParent(), group, true, LINKS_MAX);
        }
        catch (final NoSuchFileException _)
        {
            return null;
        }
        catch (final IOException | UnsupportedOperationException e)
        {
            return "cannot be looked at (" + e.getClass().getSimpleName() + ")";
        }
    }

    private static String ownTrustProblem(final Path path, final String group) throws IOException
    {
        try
        {
            return trustProblem(path, group, false, 0);
        }
        catch (final NoSuchFileException _)
        {
            // It will be made, where its parent leads.
            return null;
        }
    }

    /** A parent may be open to all when it is sticky: only its owner can replace there what is not theirs. */
    private static String trustProblem(
        final Path path, final String group, final boolean isParent, final int linksLeft) throws IOException
    {
        final int mode = mode(path);
        final int owner = uid(path);
        final String subject = isParent ? "is in " + path + ", which " : "";
        // A parent is reached through links of this user or root; the directory itself is not.
        if (isParent && LINK_TYPE == (mode & TYPE_MASK))
        {
            // Who made it says where it leads, and may say otherwise at any time.
            return 0 != owner && owner != OWN_UID ? subject + "is a link that " + belongs(path) : linksLeft > 0 ?
                trustProblem(path.resolveSibling(Files.readSymbolicLink(path)), group, true, linksLeft - 1) :
                subject + "is a link to links without end";
        }
        if (DIRECTORY_TYPE != (mode & TYPE_MASK))
        {
            return subject + "is no directory";
        }
        final boolean isTrustedGroup = null != group && group.equals(groupOf(path));
        if (0 != owner && owner != OWN_UID && !isTrustedGroup)
        {
            return subject + belongs(path);
        }
        if (isParent && 0 != (mode & STICKY))
        {
            return null;
        }
        if (0 != (mode & OTHERS_WRITE))
        {
            return subject + "can be written by all users" + remedy(path);
        }
        return 0 == (mode & GROUP_WRITE) || isTrustedGroup ? null :
            subject + "can be written by group " + groupOf(path) + ", which was not named" + remedy(path);
    }

    private static String belongs(final Path path) throws IOException
    {
        return "belongs to user " + ownerOf(path) + ", and neither to this user nor to root";
    }

    private static String remedy(final Path path)
    {
        return ": chmod go-w " + path;
    }

    private static int mode(final Path path) throws IOException
    {
        return (Integer)Files.getAttribute(path, "unix:mode", LinkOption.NOFOLLOW_LINKS);
    }

    private static int uid(final Path path) throws IOException
    {
        return (Integer)Files.getAttribute(path, "unix:uid", LinkOption.NOFOLLOW_LINKS);
    }

    private static String groupOf(final Path path) throws IOException
    {
        return Files.getAttribute(path, "posix:group", LinkOption.NOFOLLOW_LINKS).toString();
    }

    private static String ownerOf(final Path path) throws IOException
    {
        return Files.getAttribute(path, "posix:owner", LinkOption.NOFOLLOW_LINKS).toString();
    }
}
