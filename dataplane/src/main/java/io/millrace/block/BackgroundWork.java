package io.millrace.block;

import io.millrace.reactor.Poller;

/**
 * Work that a device does on its own, whether it has channels or not: rebuilding, scrubbing, connecting again. Every
 * call is made on one reactor, which {@link DeviceServices#run} chose.
 * <p>
 * {@link #poll} is called in each cycle until {@link #isDone}. It does a bounded step, some 20 microseconds, since all
 * I/O of the reactor waits for it; after a longer step it is not called for as long as that took, so that at least half
 * of the reactor's time is left. {@link #canSleep} is true while the work only waits for timers, descriptors, commands
 * or completions of channels that can sleep.
 */
public interface BackgroundWork extends Poller
{
    /**
     * Called once, before everything else. Work that cannot begin may throw: the error is reported, nothing else is
     * called, and the work counts as ended, with nothing under way and no channel open.
     *
     * @param context for channels to the devices that the work is on; several may share it.
     */
    void start(ReactorContext context);

    /**
     * The device is to be closed: begin nothing new, end what is under way, close channels. Polling goes on until
     * {@link #isDone}. May be called again, but not when it is done.
     */
    void stop();

    /**
     * {@return whether nothing is under way and no channel is open; asked after each poll, and the last call when true}
     */
    boolean isDone();
}
