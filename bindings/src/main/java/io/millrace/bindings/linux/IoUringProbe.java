package io.millrace.bindings.linux;

import io.millrace.bindings.Capability;
import io.millrace.bindings.Errno;
import io.millrace.bindings.NativeMemory;
import io.millrace.bindings.generated.iouring.io_uring_probe;
import io.millrace.bindings.generated.iouring.io_uring_probe_op;
import java.io.IOException;
import java.lang.foreign.Arena;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.BitSet;
import java.util.List;

/**
 * What io_uring offers to this process on this kernel, found by asking it: whether rings can be made at all, which
 * set-up flags are taken and which operations are known. Never throws. Set-up only; immutable, any thread.
 */
public final class IoUringProbe
{
    /** Oldest kernel whose io_uring the data plane uses. */
    public static final String LINUX_MIN = "5.6";
    private static final String NAME = "io_uring";
    private static final Path DISABLED = Path.of("/proc/sys/kernel/io_uring_disabled");
    private static final int OPERATIONS_MAX = 256;
    private static final int ENTRIES = 4;
    private static final String NEWER_KERNEL = "run Linux %s or newer";

    private final Capability ring;
    private final int features;
    private final BitSet operations;

    private IoUringProbe(final Capability ring, final int features, final BitSet operations)
    {
        this.ring = ring;
        this.features = features;
        this.operations = operations;
    }

    /**
     * Makes a ring, asks what it can and closes it again.
     *
     * @return what was found.
     */
    public static IoUringProbe run()
    {
        try (Arena arena = Arena.ofConfined())
        {
            final long params = arena.allocate(RingParams.SIZE_BYTES, Long.BYTES).address();
            final int fd = IoUringCalls.setup(ENTRIES, params);
            if (fd < 0)
            {
                return new IoUringProbe(refused(-fd, disabledSetting()), 0, new BitSet());
            }
            try
            {
                final Capability on = Capability.on(NAME, "Linux " + System.getProperty("os.version"));
                return new IoUringProbe(on, RingParams.features(params), operations(fd, arena));
            }
            finally
            {
                Files.close(fd);
            }
        }
    }

    /**
     * {@return whether rings can be made at all, and why not}
     */
    public Capability ring()
    {
        return ring;
    }

    /**
     * {@return what the kernel says it can, {@code IORING_FEAT_*}; 0 when rings cannot be made}
     */
    public int features()
    {
        return features;
    }

    /**
     * Whether an operation is known. Says nothing of flags that were added to it later.
     *
     * @param operation {@code IORING_OP_*}.
     * @return false as well when rings cannot be made.
     */
    public boolean knows(final int operation)
    {
        return operations.get(operation);
    }

    /**
     * Whether a ring can be made with set-up flags; tries it.
     *
     * @param setupFlags {@code IORING_SETUP_*}, with those that they need beside them.
     * @return false as well when rings cannot be made.
     */
    public boolean accepts(final int setupFlags)
    {
        if (!ring.isAvailable())
        {
            return false;
        }
        try (Arena arena = Arena.ofConfined())
        {
            final long params = arena.allocate(RingParams.SIZE_BYTES, Long.BYTES).address();
            RingParams.flags(params, setupFlags);
            final int fd = IoUringCalls.setup(ENTRIES, params);
            if (fd < 0)
            {
                return false;
            }
            Files.close(fd);
            return true;
        }
    }

    /**
     * All that the data plane uses of io_uring where it is there, for people to read.
     *
     * @return rings first, then single features; only the first when rings cannot be made.
     */
    public List<Capability> capabilities()
    {
        final List<Capability> all = new ArrayList<>();
        all.add(ring);
        if (ring.isAvailable())
        {
            all.add(flags("deferred completions", "6.1",
                IoUring.IORING_SETUP_SINGLE_ISSUER | IoUring.IORING_SETUP_DEFER_TASKRUN));
            all.add(flags("ring without index array", "6.6", IoUring.IORING_SETUP_NO_SQARRAY));
            all.add(operation("registered buffers", "5.1", IoUring.IORING_OP_READ_FIXED));
            all.add(operation("allocate and deallocate", LINUX_MIN, IoUring.IORING_OP_FALLOCATE));
            all.add(operation("send without copy", "6.0", IoUring.IORING_OP_SEND_ZC));
            all.add(operation("device commands", "5.19", IoUring.IORING_OP_URING_CMD));
        }
        return List.copyOf(all);
    }

    static Capability refused(final int errno, final String disabled)
    {
        final String reason = "io_uring_setup: " + Errno.describe(errno);
        if ("2".equals(disabled))
        {
            return Capability.off(NAME, reason + ", kernel.io_uring_disabled is 2",
                "set it to 0: sysctl -w kernel.io_uring_disabled=0");
        }
        if ("1".equals(disabled))
        {
            return Capability.off(NAME, reason + ", kernel.io_uring_disabled is 1",
                "set it to 0, or add this user to the group of kernel.io_uring_group");
        }
        return switch (errno)
        {
            case Errno.EPERM, Errno.EACCES -> Capability.off(NAME,
                reason + ", a seccomp filter or security module forbids it",
                "allow the io_uring system calls in the profile of the container or service");
            case Errno.ENOSYS -> Capability.off(NAME, reason + ", the kernel or a seccomp filter does not have it",
                "run Linux " + LINUX_MIN + " or newer with CONFIG_IO_URING and allow its system calls");
            case Errno.ENOMEM -> Capability.off(NAME, reason, "raise the locked memory limit: ulimit -l");
            case Errno.EMFILE -> Capability.off(NAME, reason, "raise the limit of open files: ulimit -n");
            default -> Capability.off(NAME, reason, "see io_uring_setup(2)");
        };
    }

    private Capability flags(final String name, final String since, final int setupFlags)
    {
        return accepts(setupFlags) ?
            Capability.on(name, "set-up takes it") :
            Capability.off(name, "set-up refuses it", NEWER_KERNEL.formatted(since));
    }

    private Capability operation(final String name, final String since, final int operation)
    {
        return knows(operation) ?
            Capability.on(name, "operation " + operation + " is known") :
            Capability.off(name, "operation " + operation + " is not known", NEWER_KERNEL.formatted(since));
    }

    /** Empty on kernels without the setting, which came with 6.6. */
    private static String disabledSetting()
    {
        try
        {
            return java.nio.file.Files.readString(DISABLED).strip();
        }
        catch (final IOException e)
        {
            return "";
        }
    }

    private static BitSet operations(final int ringFd, final Arena arena)
    {
        final long entryBytes = io_uring_probe_op.sizeof();
        final long reply = arena.allocate(
            io_uring_probe.sizeof() + OPERATIONS_MAX * entryBytes, Long.BYTES).address();
        final BitSet known = new BitSet(OPERATIONS_MAX);
        if (IoUringCalls.register(ringFd, IoUring.IORING_REGISTER_PROBE, reply, OPERATIONS_MAX) < 0)
        {
            return known;
        }
        final int count = Byte.toUnsignedInt(NativeMemory.getByte(reply + io_uring_probe.ops_len$offset()));
        for (int i = 0; i < count; i++)
        {
            final long entry = reply + io_uring_probe.ops$offset() + i * entryBytes;
            if (0 != (NativeMemory.getShort(entry + io_uring_probe_op.flags$offset()) & IoUring.IO_URING_OP_SUPPORTED))
            {
                known.set(Byte.toUnsignedInt(NativeMemory.getByte(entry + io_uring_probe_op.op$offset())));
            }
        }
        return known;
    }
}
