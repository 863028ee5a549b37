package io.millrace.messaging;

import org.agrona.concurrent.UnsafeBuffer;

/**
 * Whether the JVM was started with what Agrona's buffers need. Without it each connection would end as soon as its
 * first buffer is made, and be made again. Stateless.
 */
final class JvmFlags
{
    private static final String PACKAGE = "jdk.internal.misc";

    private JvmFlags()
    {
    }

    /**
     * Checks; uses no buffer.
     *
     * @throws IllegalStateException with the missing flag.
     */
    static void check()
    {
        check(PACKAGE);
    }

    static void check(final String name)
    {
        final Module user = UnsafeBuffer.class.getModule();
        if (!Object.class.getModule().isOpen(name, user))
        {
            throw new IllegalStateException("the JVM needs --add-opens=java.base/" + name + '=' +
                (user.isNamed() ? user.getName() : "ALL-UNNAMED") + ": add it to the options of java");
        }
    }
}
