package io.millrace.manager.config;

import java.util.List;
import java.util.concurrent.TimeUnit;

/**
 * Hook programs for data planes. Immutable.
 *
 * @param down        program and arguments, when one has been gone for a while; empty: none.
 * @param up          program and arguments, when it is back; empty: none.
 * @param downAfterNs how long it has to be gone.
 * @param timeoutNs   after which a program is killed.
 */
public record HookConfig(List<String> down, List<String> up, long downAfterNs, long timeoutNs)
{
    /** No programs. */
    public static final HookConfig NONE =
        new HookConfig(List.of(), List.of(), TimeUnit.SECONDS.toNanos(3), TimeUnit.SECONDS.toNanos(30));

    /**
     * Copies the lists.
     */
    public HookConfig
    {
        down = List.copyOf(down);
        up = List.copyOf(up);
    }
}
