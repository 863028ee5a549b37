package io.millrace.reactor;

import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Method;
import java.lang.reflect.Proxy;

/**
 * The kernel of this machine with a clock that a test holds while it does what a reactor gives a limited time for: then
 * the limit does not pass, however slow the machine is. Any thread.
 */
public final class HeldClock
{
    private final Kernel kernel = (Kernel)Proxy.newProxyInstance(
        HeldClock.class.getClassLoader(), new Class<?>[]{Kernel.class}, (_, method, arguments) ->
            "nanoTime".equals(method.getName()) ? nanoTime() : invoke(method, arguments));
    private boolean isHeld;
    private long heldNs;
    private long behindNs;

    /** Makes one that runs. */
    public HeldClock()
    {
    }

    /**
     * Makes a reactor that goes by this clock; it does not run yet.
     *
     * @param config of the reactor.
     * @return the reactor.
     */
    public Reactor reactor(final ReactorConfig config)
    {
        return new Reactor(config, ReactorErrorHandler.standard(), kernel);
    }

    /** No time passes from now on. */
    public synchronized void hold()
    {
        heldNs = nanoTime();
        isHeld = true;
    }

    /**
     * Time passes all at once, while it is held.
     *
     * @param ns that pass.
     * @return the time from now on.
     */
    public synchronized long advance(final long ns)
    {
        if (!isHeld)
        {
            throw new IllegalStateException("the clock is not held");
        }
        heldNs += ns;
        return heldNs;
    }

    /** Time passes again, from where it was. */
    public synchronized void release()
    {
        behindNs = System.nanoTime() - heldNs;
        isHeld = false;
    }

    private synchronized long nanoTime()
    {
        return isHeld ? heldNs : System.nanoTime() - behindNs;
    }

    private static Object invoke(final Method method, final Object[] arguments) throws Throwable
    {
        try
        {
            return method.invoke(LinuxKernel.INSTANCE, arguments);
        }
        catch (final InvocationTargetException e)
        {
            throw e.getCause();
        }
    }
}
