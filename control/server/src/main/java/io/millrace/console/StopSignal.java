package io.millrace.console;

import java.lang.reflect.InvocationHandler;
import java.lang.reflect.Method;
import java.lang.reflect.Proxy;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;

/**
 * Ctrl-C and SIGTERM: the first asks for a clean stop, the second ends the process at once. The JVM's own answer,
 * shutdown hooks and exit code 130 or 143, would make every clean stop look like a failure.
 * <p>
 * Any thread may wait; signals arrive on a thread of the JVM.
 */
public final class StopSignal
{
    private static final int SIGNAL_EXIT_BASE = 128;
    private static final int SIGINT = 2;
    private static final int SIGTERM = 15;

    private final CountDownLatch asked = new CountDownLatch(1);

    private StopSignal()
    {
    }

    /**
     * Takes over both signals for the rest of the process.
     *
     * @return what to wait for.
     */
    public static StopSignal install()
    {
        final StopSignal stop = new StopSignal();
        stop.handle("INT", SIGINT);
        stop.handle("TERM", SIGTERM);
        return stop;
    }

    // sun.misc.Signal is the one way to learn of a signal; javac warns of every mention and cannot be told not to.
    private void handle(final String name, final int number)
    {
        try
        {
            final Class<?> signalType = Class.forName("sun.misc.Signal");
            final Class<?> handlerType = Class.forName("sun.misc.SignalHandler");
            final Object handler = Proxy.newProxyInstance(
                StopSignal.class.getClassLoader(), new Class<?>[]{handlerType}, new Handler(number));
            final Method handle = signalType.getMethod("handle", signalType, handlerType);
            handle.invoke(null, signalType.getConstructor(String.class).newInstance(name), handler);
        }
        catch (final ReflectiveOperationException e)
        {
            throw new IllegalStateException("signal " + name + " cannot be handled; run without -Xrs", e);
        }
    }

    /**
     * Waits for the first signal.
     *
     * @param timeoutMs bound.
     * @return whether it came.
     * @throws InterruptedException when the waiting thread is interrupted.
     */
    public boolean await(final long timeoutMs) throws InterruptedException
    {
        return asked.await(timeoutMs, TimeUnit.MILLISECONDS);
    }

    /**
     * Waits for the first signal, however long.
     *
     * @throws InterruptedException when the waiting thread is interrupted.
     */
    public void await() throws InterruptedException
    {
        asked.await();
    }

    /**
     * Does as if a signal had come. Any thread.
     */
    public void ask()
    {
        asked.countDown();
    }

    /**
     * {@return whether a signal came}
     */
    public boolean isAsked()
    {
        return 0 == asked.getCount();
    }

    private final class Handler implements InvocationHandler
    {
        private final int number;

        private Handler(final int number)
        {
            this.number = number;
        }

        @Override
        public Object invoke(final Object proxy, final Method method, final Object[] args)
        {
            switch (method.getName())
            {
                case "hashCode":
                    return System.identityHashCode(proxy);
                case "equals":
                    return proxy == args[0];
                case "toString":
                    return "millrace stop";
                default:
                    if (isAsked())
                    {
                        Runtime.getRuntime().halt(SIGNAL_EXIT_BASE + number);
                    }
                    asked.countDown();
                    return null;
            }
        }
    }
}
