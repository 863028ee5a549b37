package io.millrace.block.file;

import io.millrace.bindings.Errno;
import io.millrace.bindings.NativeException;
import io.millrace.bindings.NativeMemory;
import io.millrace.bindings.linux.CompletionEntry;
import io.millrace.bindings.linux.Files;
import io.millrace.bindings.linux.IoUring;
import io.millrace.bindings.linux.IoUringCalls;
import io.millrace.bindings.linux.IoUringProbe;
import io.millrace.bindings.linux.Mappings;
import io.millrace.bindings.linux.RingParams;
import io.millrace.bindings.linux.SubmissionEntry;
import java.lang.foreign.Arena;
import java.lang.invoke.VarHandle;

/**
 * The kernel's ring: mapped queues, the call that submits, and an event descriptor that becomes ready when completions
 * come while nobody polls. Enabled, used and closed by one thread, as declared to the kernel ({@code SINGLE_ISSUER}).
 * <p>
 * With {@code DEFER_TASKRUN} the kernel makes completions only inside {@link #enter()}; it raises a flag in the mapped
 * ring when there are some, so that a poll without news costs no call. Epoll on such a ring does not report them (found
 * on Linux 6.18), a registered event descriptor does; its signals are switched off through the ring while the reactor
 * polls.
 */
final class UringRing implements Ring
{
    // linux/io_uring.h, a bit of the completion ring's flags: no signals to the registered event descriptor.
    private static final int IORING_CQ_EVENTFD_DISABLED = 1;
    // linux/io_uring.h, the offset of a struct io_uring_rsrc_update that lets the kernel choose the slot.
    private static final int ANY_RING_SLOT = -1;
    private static final int RSRC_UPDATE_BYTES = 16;
    private static final int[] FLAG_CHOICES = {
        IoUring.IORING_SETUP_SINGLE_ISSUER | IoUring.IORING_SETUP_DEFER_TASKRUN | IoUring.IORING_SETUP_TASKRUN_FLAG |
            IoUring.IORING_SETUP_SUBMIT_ALL | IoUring.IORING_SETUP_R_DISABLED,
        IoUring.IORING_SETUP_COOP_TASKRUN | IoUring.IORING_SETUP_TASKRUN_FLAG | IoUring.IORING_SETUP_SUBMIT_ALL,
        0};

    private final int fd;
    private final int flags;
    private final int eventFd;
    private final long ringAddress;
    private final long ringBytes;
    private final long entriesAddress;
    private final long entriesBytes;
    private final int entryMask;
    private final long submitHeadAddress;
    private final long submitTailAddress;
    private final long submitFlagsAddress;
    private final int completionMask;
    private final long completionHeadAddress;
    private final long completionTailAddress;
    private final long completionFlagsAddress;
    private final long completionsAddress;

    private int enterFd;
    private int enterFlags;
    private int submitTail;
    private int completionHead;
    private boolean isArmed;

    private UringRing(final int fd, final long params)
    {
        this.fd = fd;
        flags = RingParams.flags(params);
        final int entryCount = RingParams.sqEntries(params);
        final int completionCount = RingParams.cqEntries(params);
        final int protection = Mappings.PROT_READ | Mappings.PROT_WRITE;
        final int mapping = Mappings.MAP_SHARED | Mappings.MAP_POPULATE;
        ringBytes = Math.max(
            RingParams.sqArrayOffset(params) + (long)entryCount * Integer.BYTES,
            RingParams.cqCqesOffset(params) + (long)completionCount * CompletionEntry.SIZE_BYTES);
        entriesBytes = (long)entryCount * SubmissionEntry.SIZE_BYTES;
        ringAddress = NativeException.check("mmap of io_uring queues",
            Mappings.mmap(0, ringBytes, protection, mapping, fd, IoUring.IORING_OFF_SQ_RING));
        entriesAddress = NativeException.check("mmap of io_uring entries",
            Mappings.mmap(0, entriesBytes, protection, mapping, fd, IoUring.IORING_OFF_SQES));
        entryMask = entryCount - 1;
        submitHeadAddress = ringAddress + RingParams.sqHeadOffset(params);
        submitTailAddress = ringAddress + RingParams.sqTailOffset(params);
        submitFlagsAddress = ringAddress + RingParams.sqFlagsOffset(params);
        completionMask = completionCount - 1;
        completionHeadAddress = ringAddress + RingParams.cqHeadOffset(params);
        completionTailAddress = ringAddress + RingParams.cqTailOffset(params);
        completionFlagsAddress = ringAddress + RingParams.cqFlagsOffset(params);
        completionsAddress = ringAddress + RingParams.cqCqesOffset(params);
        final long array = ringAddress + RingParams.sqArrayOffset(params);
        for (int i = 0; i < entryCount; i++)
        {
            NativeMemory.putInt(array + (long)i * Integer.BYTES, i);
        }
        enterFd = fd;
        eventFd = isPolled() ? -1 : registerEventFd(params);
        if (eventFd >= 0)
        {
            disarm();
        }
    }

    @Override
    public void enable()
    {
        if (0 != (flags & IoUring.IORING_SETUP_R_DISABLED))
        {
            NativeException.check(
                "io_uring_register of enabled rings", register(IoUring.IORING_REGISTER_ENABLE_RINGS, 0, 0));
        }
        try (Arena arena = Arena.ofConfined())
        {
            final int slot = registerRingFd(arena.allocate(RSRC_UPDATE_BYTES, 8).address());
            enterFd = slot >= 0 ? slot : fd;
            enterFlags = slot >= 0 ? IoUring.IORING_ENTER_REGISTERED_RING : 0;
        }
    }

    /**
     * Makes a ring with the best flags that the kernel takes. Any thread; it is used once it is {@link #enable
     * enabled}.
     *
     * @param entryCount of the submission queue; rounded up to a power of two by the kernel.
     * @param isPolled   completions are polled from the device.
     * @return the ring.
     * @throws NativeException when there is no io_uring for this process, or too little memory.
     */
    static UringRing open(final int entryCount, final boolean isPolled)
    {
        try (Arena arena = Arena.ofConfined())
        {
            final long params = arena.allocate(RingParams.SIZE_BYTES, 8).address();
            int result = -Errno.EINVAL;
            for (int i = 0; i < FLAG_CHOICES.length && -Errno.EINVAL == result; i++)
            {
                NativeMemory.fill(params, RingParams.SIZE_BYTES, (byte)0);
                RingParams.flags(params, FLAG_CHOICES[i] | (isPolled ? IoUring.IORING_SETUP_IOPOLL : 0));
                result = IoUringCalls.setup(entryCount, params);
            }
            NativeException.check("io_uring_setup", result);
            final int needed = IoUring.IORING_FEAT_SINGLE_MMAP | IoUring.IORING_FEAT_NODROP |
                IoUring.IORING_FEAT_SUBMIT_STABLE;
            if (needed != (RingParams.features(params) & needed))
            {
                Files.close(result);
                throw new NativeException("io_uring_setup (kernel is older than " + IoUringProbe.LINUX_MIN +
                    ')', Errno.ENOSYS);
            }
            try
            {
                return new UringRing(result, params);
            }
            catch (final NativeException e)
            {
                Files.close(result);
                throw e;
            }
        }
    }

    @Override
    public boolean isPolled()
    {
        return 0 != (flags & IoUring.IORING_SETUP_IOPOLL);
    }

    @Override
    public int eventFd()
    {
        return eventFd;
    }

    @Override
    public int register(final int operation, final long argumentAddress, final int count)
    {
        return IoUringCalls.register(fd, operation, argumentAddress, count);
    }

    @Override
    public long nextEntry()
    {
        final long address = entriesAddress + (long)(submitTail & entryMask) * SubmissionEntry.SIZE_BYTES;
        submitTail++;
        return address;
    }

    @Override
    public int unsubmitted()
    {
        return submitTail - NativeMemory.getIntAcquire(submitHeadAddress);
    }

    @Override
    public void submit()
    {
        NativeMemory.putIntRelease(submitTailAddress, submitTail);
        final int result = IoUringCalls.enter(enterFd, unsubmitted(), 0, enterFlags);
        if (result < 0 && -Errno.EINTR != result && -Errno.EAGAIN != result && -Errno.EBUSY != result)
        {
            throw new NativeException("io_uring_enter", -result);
        }
    }

    @Override
    public void enter()
    {
        final int toSubmit = unsubmitted();
        final int result;
        if (toSubmit > 0)
        {
            NativeMemory.putIntRelease(submitTailAddress, submitTail);
            // Issuing may copy from the page cache or wait for a tag, too long for a critical call.
            result = IoUringCalls.enter(enterFd, toSubmit, 0, enterFlags | IoUring.IORING_ENTER_GETEVENTS);
        }
        else if (isPolled() || 0 != (NativeMemory.getIntAcquire(submitFlagsAddress) &
            (IoUring.IORING_SQ_TASKRUN | IoUring.IORING_SQ_CQ_OVERFLOW)))
        {
            result = IoUringCalls.enterNoWait(enterFd, 0, enterFlags | IoUring.IORING_ENTER_GETEVENTS);
        }
        else
        {
            return;
        }
        // The first three pass: what is left is handed over by the next call.
        if (result < 0 && -Errno.EINTR != result && -Errno.EAGAIN != result && -Errno.EBUSY != result)
        {
            throw new NativeException("io_uring_enter", -result);
        }
    }

    @Override
    public long completion()
    {
        return completionHead == NativeMemory.getIntAcquire(completionTailAddress) ?
            0 : completionsAddress + (long)(completionHead & completionMask) * CompletionEntry.SIZE_BYTES;
    }

    @Override
    public void consume()
    {
        completionHead++;
        NativeMemory.putIntRelease(completionHeadAddress, completionHead);
    }

    @Override
    public boolean arm()
    {
        if (eventFd < 0)
        {
            return false;
        }
        isArmed = true;
        NativeMemory.putIntRelease(completionFlagsAddress, 0);
        // The kernel queues what is done and then looks whether to signal; here the order is the other way round, so
        // one of the two sees the other.
        VarHandle.fullFence();
        IoUringCalls.enterNoWait(enterFd, 0, enterFlags | IoUring.IORING_ENTER_GETEVENTS);
        if (0 != completion())
        {
            disarm();
            return false;
        }
        return true;
    }

    @Override
    public boolean isArmed()
    {
        return isArmed;
    }

    @Override
    public void disarm()
    {
        isArmed = false;
        NativeMemory.putIntRelease(completionFlagsAddress, IORING_CQ_EVENTFD_DISABLED);
    }

    /**
     * Frees the ring. The kernel finishes outstanding I/O by itself.
     */
    @Override
    public void close()
    {
        if (0 != enterFlags)
        {
            try (Arena arena = Arena.ofConfined())
            {
                final long update = arena.allocate(RSRC_UPDATE_BYTES, 8).address();
                NativeMemory.putInt(update, enterFd);
                register(IoUring.IORING_UNREGISTER_RING_FDS, update, 1);
            }
        }
        Mappings.munmap(entriesAddress, entriesBytes);
        Mappings.munmap(ringAddress, ringBytes);
        Files.close(fd);
        if (eventFd >= 0)
        {
            Files.close(eventFd);
        }
    }

    private int registerRingFd(final long scratch)
    {
        NativeMemory.fill(scratch, RSRC_UPDATE_BYTES, (byte)0);
        NativeMemory.putInt(scratch, ANY_RING_SLOT);
        NativeMemory.putLong(scratch + Long.BYTES, fd);
        return 1 == register(IoUring.IORING_REGISTER_RING_FDS, scratch, 1) ? NativeMemory.getInt(scratch) : -1;
    }

    private int registerEventFd(final long scratch)
    {
        final int created = Files.eventfd(0, Files.EFD_CLOEXEC | Files.EFD_NONBLOCK);
        if (created < 0)
        {
            return -1;
        }
        NativeMemory.putInt(scratch, created);
        if (register(IoUring.IORING_REGISTER_EVENTFD, scratch, 1) < 0)
        {
            Files.close(created);
            return -1;
        }
        return created;
    }
}
