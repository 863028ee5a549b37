package io.millrace.rdma.model;

import io.millrace.rdma.core.RdmaCore;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Proxy;

/** A core whose calls a test sees, and answers itself where it wants to. */
public final class InterceptedCore
{
    /** The call as it was meant. */
    @FunctionalInterface
    public interface Call
    {
        /** {@return what the core answers} */
        Object proceed() throws Throwable;
    }

    /** What a test does for each call, on the thread of the caller. */
    @FunctionalInterface
    public interface Interceptor
    {
        /**
         * {@return the answer}
         *
         * @param method    of {@link RdmaCore}.
         * @param arguments of the call; null: none.
         * @param call      to the core.
         */
        Object onCall(String method, Object[] arguments, Call call) throws Throwable;
    }

    private InterceptedCore()
    {
    }

    /**
     * {@return a core}
     *
     * @param core        that calls proceed to; null: none do.
     * @param interceptor of all calls.
     */
    public static RdmaCore of(final RdmaCore core, final Interceptor interceptor)
    {
        return (RdmaCore)Proxy.newProxyInstance(
            RdmaCore.class.getClassLoader(), new Class<?>[]{RdmaCore.class}, (_, method, arguments) ->
                interceptor.onCall(method.getName(), arguments, () ->
                {
                    try
                    {
                        return method.invoke(core, arguments);
                    }
                    catch (final InvocationTargetException e)
                    {
                        throw e.getCause();
                    }
                }));
    }
}
