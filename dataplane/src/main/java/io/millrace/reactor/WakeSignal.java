package io.millrace.reactor;

import io.millrace.bindings.NativeException;
import io.millrace.bindings.linux.Files;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;

/**
 * Wakes a reactor that sleeps: its sleeping flag and the event descriptor that it waits for. Any thread wakes; the
 * reactor raises and lowers the flag.
 */
final class WakeSignal implements AutoCloseable
{
    private static final VarHandle WAKERS;

    static
    {
        try
        {
            WAKERS = MethodHandles.lookup().findVarHandle(WakeSignal.class, "wakers", int.class);
        }
        catch (final ReflectiveOperationException e)
        {
            throw new ExceptionInInitializerError(e);
        }
    }

    private final Kernel kernel;
    private final SleepingFlag flag = new SleepingFlag();
    private final int fd;
    private volatile int wakers;

    /**
     * Opens the event descriptor.
     *
     * @param kernel of the reactor.
     * @throws NativeException when the kernel gives none.
     */
    WakeSignal(final Kernel kernel)
    {
        this.kernel = kernel;
        fd = kernel.eventDescriptor();
        if (fd < 0)
        {
            throw new NativeException("eventfd", -fd);
        }
    }

    int fd()
    {
        return fd;
    }

    SleepingFlag flag()
    {
        return flag;
    }

    /**
     * {@return another number for the descriptor, which stays good after {@link #close}, or negated errno}
     */
    int duplicate()
    {
        return Files.duplicate(fd);
    }

    /**
     * Wakes the reactor when it sleeps; costs a fence and a read when it does not. Call after publishing the work.
     */
    void send()
    {
        VarHandle.fullFence();
        if (flag.isUp())
        {
            signal();
        }
    }

    private void signal()
    {
        // Counted, so that close does not free the descriptor's number under a late signal.
        WAKERS.getAndAdd(this, 1);
        if (flag.tryLower())
        {
            kernel.signal(fd);
        }
        WAKERS.getAndAdd(this, -1);
    }

    /** The reactor has ended with its flag down; waits for late signals. */
    @Override
    public void close()
    {
        while (0 != wakers)
        {
            Thread.onSpinWait();
        }
        kernel.close(fd);
    }
}
