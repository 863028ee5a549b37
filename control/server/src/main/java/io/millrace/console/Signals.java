package io.millrace.console;

import java.lang.reflect.InvocationHandler;
import java.lang.reflect.Method;
import java.lang.reflect.Proxy;

/**
 * Signals of the operating system. Stateless; handlers run on a thread of the JVM.
 */
final class Signals
{
    private Signals()
    {
    }

    /**
     * Handles a signal for the rest of the process.
     *
     * @param name    without SIG.
     * @param handler run each time it comes.
     */
    // sun.misc.Signal is the only way to handle signals; javac warns of each use, and the warning cannot be suppressed.
    static void handle(final String name, final Runnable handler)
    {
        try
        {
            final Class<?> signalType = Class.forName("sun.misc.Signal");
            final Class<?> handlerType = Class.forName("sun.misc.SignalHandler");
            final Object proxy = Proxy.newProxyInstance(
                Signals.class.getClassLoader(), new Class<?>[]{handlerType}, new Handler(handler));
            final Method handle = signalType.getMethod("handle", signalType, handlerType);
            handle.invoke(null, signalType.getConstructor(String.class).newInstance(name), proxy);
        }
        catch (final ReflectiveOperationException e)
        {
            throw new IllegalStateException("signal " + name + " cannot be handled; run without -Xrs", e);
        }
    }

    private record Handler(Runnable action) implements InvocationHandler
    {
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
                    return "millrace signal";
                default:
                    action.run();
                    return null;
            }
        }
    }
}
