package io.millrace.dataplane;

import io.millrace.dataplane.OperationException.Reason;
import io.millrace.nvmf.transport.TransportAddress;
import io.millrace.reactor.Reactor;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.FileAlreadyExistsException;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;

/**
 * The socket by which virtual machines reach a subsystem over vfio-user: a controller of SPDK's target has a directory
 * of its own, which is named by the NQN and lies in that of the listener. Off the reactors; immutable.
 *
 * @param listener  to which it belongs.
 * @param directory that SPDK makes the socket in.
 */
record VfioUserSocket(TransportAddress listener, Path directory)
{
    /** Name of the socket in its directory, as SPDK has it. */
    static final String NAME = "cntrl";
    /** Most bytes of the path of a socket, without the zero behind it (sun_path). */
    static final int PATH_BYTES_MAX = 107;
    private static final Path BOUND = Path.of("/proc/net/unix");
    private static final long CLOSE_NS = TimeUnit.SECONDS.toNanos(5);
    private static final long POLL_MS = 5;

    /**
     * {@return the socket of a subsystem at a listener}
     *
     * @param listener of vfio-user.
     * @param nqn      of the subsystem.
     * @throws OperationException when there cannot be one.
     */
    static VfioUserSocket of(final TransportAddress listener, final String nqn)
    {
        if (nqn.indexOf('/') >= 0)
        {
            throw new OperationException(Reason.UNSUPPORTED, "subsystem " + nqn, "has a '/' in its NQN, which names " +
                "the directory of its socket at listener " + listener.listenerName(), "choose another NQN, or remove " +
                "that listener first");
        }
        final VfioUserSocket socket = new VfioUserSocket(listener, Path.of(listener.address(), nqn));
        final int bytes = socket.path().toString().getBytes(StandardCharsets.UTF_8).length;
        if (bytes > PATH_BYTES_MAX)
        {
            throw new OperationException(Reason.INVALID, "subsystem " + nqn, "has its socket at listener " +
                listener.listenerName() + " at " + socket.path() + ", " + bytes + " bytes, and the kernel takes " +
                PATH_BYTES_MAX, "choose a shorter directory for the listener, or a shorter NQN");
        }
        return socket;
    }

    /**
     * Checks the directory of a listener.
     *
     * @param listener of vfio-user.
     * @throws OperationException when no sockets can be made there.
     */
    static void check(final TransportAddress listener)
    {
        final Path directory = Path.of(listener.address());
        if (!Files.isDirectory(directory) && Files.exists(directory))
        {
            throw new OperationException(Reason.INVALID, "listener " + listener.listenerName(),
                "is no directory", "name one in which sockets can be made");
        }
        if (!Files.isDirectory(directory))
        {
            throw new OperationException(Reason.INVALID, "listener " + listener.listenerName(),
                "is a directory that does not exist",
                "make it for the user of the data plane ('install -d -m 0700 " + directory + "')");
        }
        if (!Files.isWritable(directory))
        {
            throw new OperationException(Reason.INVALID, "listener " + listener.listenerName(),
                "is a directory that this user may not write to", "give it to the user of the data plane ('chown')");
        }
    }

    private Path path()
    {
        return directory.resolve(NAME);
    }

    /**
     * Checks that nobody has the socket.
     *
     * @throws OperationException when another process has.
     */
    void checkFree()
    {
        if (isBound())
        {
            throw new OperationException(Reason.IN_USE, "listener " + listener.listenerName(),
                "another process listens at " + path(), "stop it, or choose another directory");
        }
    }

    /**
     * Makes the directory, and removes a socket that a process left that has ended.
     *
     * @throws OperationException when the directory cannot be made.
     */
    void prepare()
    {
        try
        {
            Files.deleteIfExists(path());
            Files.createDirectory(directory);
        }
        catch (final FileAlreadyExistsException e)
        {
            if (!Files.isDirectory(directory, LinkOption.NOFOLLOW_LINKS))
            {
                throw refused(e);
            }
        }
        catch (final IOException e)
        {
            throw refused(e);
        }
    }

    private OperationException refused(final IOException e)
    {
        return new OperationException(Reason.FAILED, "listener " + listener.listenerName(), "the directory " +
            directory + " of a socket cannot be made: " + e, "remove what is there, or choose another directory", e);
    }

    /** To connect would be to be a virtual machine: the kernel's list says who has the socket. */
    private boolean isBound()
    {
        try (Stream<String> lines = Files.lines(BOUND))
        {
            return isThere() && lines.anyMatch((line) -> line.endsWith(' ' + path().toString()));
        }
        catch (final IOException e)
        {
            throw refused(e);
        }
    }

    private boolean isThere()
    {
        return Files.exists(path(), LinkOption.NOFOLLOW_LINKS);
    }

    /** SPDK closes the socket when the controller of a virtual machine that is connected has ended. */
    private void awaitClosed()
    {
        Reactor.checkMayBlock("the end of a socket of vfio-user");
        final long endNs = System.nanoTime() + CLOSE_NS;
        boolean isInterrupted = false;
        while (isThere() && System.nanoTime() - endNs < 0)
        {
            try
            {
                TimeUnit.MILLISECONDS.sleep(POLL_MS);
            }
            catch (final InterruptedException _)
            {
                isInterrupted = true;
            }
        }
        if (isInterrupted)
        {
            Thread.currentThread().interrupt();
        }
    }

    /**
     * Waits until SPDK has closed the socket, five seconds at most, and removes the directory. SPDK removes the path as
     * the last of it, be it that of a new socket by then.
     *
     * @throws OperationException when something is left there.
     */
    void remove()
    {
        awaitClosed();
        try
        {
            Files.deleteIfExists(directory);
        }
        catch (final IOException e)
        {
            throw new OperationException(Reason.FAILED, "listener " + listener.listenerName(), "the directory " +
                directory + " of a socket is not removed: " + e, "remove it when the virtual machine has ended", e);
        }
    }
}
