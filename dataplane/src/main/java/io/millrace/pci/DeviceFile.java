package io.millrace.pci;

import io.millrace.bindings.Errno;
import io.millrace.bindings.linux.Files;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;

/**
 * A descriptor of VFIO and calls on it with one structure. Set-up only; one thread at a time.
 */
final class DeviceFile implements AutoCloseable
{
    private final String name;
    private int fd;

    DeviceFile(final String name, final int fd)
    {
        this.name = name;
        this.fd = fd;
    }

    /**
     * {@return the descriptor, or a negated errno}
     *
     * @param path of the file.
     */
    static int open(final String path)
    {
        return open(path, Files.O_RDWR);
    }

    /**
     * {@return the descriptor, or a negated errno}
     *
     * @param path of the file.
     */
    static int openReadOnly(final String path)
    {
        return open(path, Files.O_RDONLY);
    }

    private static int open(final String path, final int access)
    {
        try (Arena arena = Arena.ofConfined())
        {
            return Files.open(arena.allocateFrom(path).address(), access | Files.O_CLOEXEC, 0);
        }
    }

    /**
     * {@return the result when it is not negative}
     *
     * @param what   was tried, for the message.
     * @param result of a call.
     * @throws PciException when it is a negated errno.
     */
    static int check(final String what, final int result)
    {
        if (result < 0)
        {
            throw new PciException(what + ": " + Errno.describe(-result));
        }
        return result;
    }

    int fd()
    {
        return fd;
    }

    /**
     * {@return the result, or a negated errno}
     *
     * @param request  number.
     * @param argument value or address.
     */
    int call(final long request, final long argument)
    {
        return Files.ioctl(fd, request, argument);
    }

    /**
     * A call that has to succeed.
     *
     * @param what     it is for, in a few words.
     * @param request  number.
     * @param argument value or address.
     * @return the result.
     * @throws PciException when it failed.
     */
    int require(final String what, final long request, final long argument)
    {
        return check(name + ": " + what + " failed", call(request, argument));
    }

    /**
     * Makes a call whose result has a length that only the kernel knows.
     *
     * @param what      it is for, in a few words.
     * @param request   number.
     * @param arena     to take memory from.
     * @param sizeBytes of the answer's fixed part.
     * @param init      writes what is asked: address and room.
     * @return the whole result.
     * @throws PciException when the call failed.
     */
    MemorySegment answer(
        final String what, final long request, final Arena arena, final int sizeBytes, final AnswerInit init)
    {
        int room = sizeBytes;
        while (true)
        {
            final MemorySegment answer = arena.allocate(room, Long.BYTES);
            init.init(answer.address(), room);
            require(what, request, answer.address());
            final int wanted = answer.get(ValueLayout.JAVA_INT, 0);
            if (wanted <= room)
            {
                return answer;
            }
            room = wanted;
        }
    }

    /** A second call does nothing. */
    @Override
    public void close()
    {
        if (fd >= 0)
        {
            Files.close(fd);
            fd = -1;
        }
    }

    /**
     * Initializes the zeroed structure of a call; its first field is the size of the structure.
     */
    interface AnswerInit
    {
        /**
         * Fills it.
         *
         * @param address   of the structure.
         * @param roomBytes for the answer.
         */
        void init(long address, int roomBytes);
    }
}
