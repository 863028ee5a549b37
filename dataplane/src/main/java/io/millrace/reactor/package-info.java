/**
 * Pinned threads that run pollers in turn, and the rings that connect them.
 * <p>
 * A {@link io.millrace.reactor.Reactor} is one thread. Everything handed to it is touched by that thread alone; other
 * threads reach it through {@code execute} or a {@link io.millrace.reactor.ReactorLink}. Each cycle reads the clock
 * once, runs every poller for a bounded time, drains a bounded number of commands, expires timers, and when there was
 * no work for a while sleeps in the kernel until a registered descriptor is ready or another thread wakes it.
 */
package io.millrace.reactor;
