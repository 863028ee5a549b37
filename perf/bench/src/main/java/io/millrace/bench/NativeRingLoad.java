package io.millrace.bench;

import static java.lang.foreign.ValueLayout.JAVA_INT;
import static java.lang.foreign.ValueLayout.JAVA_LONG;

import io.millrace.bindings.NativeLibrary;
import io.millrace.reactor.LinkListener;
import io.millrace.reactor.NativeRing;
import io.millrace.reactor.NativeRing.NativeProducers;
import io.millrace.reactor.Reactor;
import io.millrace.reactor.ReactorConfig;
import io.millrace.reactor.ReactorConfig.IdleMode;
import java.lang.foreign.FunctionDescriptor;
import java.lang.invoke.MethodHandle;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.CompletableFuture;

/**
 * Round trips from a reactor over a ring to a thread of C and back, one at a time:
 * <pre>
 *     LIBRARY spin|sleep TRIPS REACTOR_CPU C_CPU
 * </pre>
 * LIBRARY is {@code native/ring/test/echo.c}, compiled. Prints the median and the 99th percentile of a trip in
 * nanoseconds. With {@code sleep} each side sleeps as soon as it has nothing to do, so a trip has two wake-ups. {@code
 * perf/compare/ring} runs it in turn with the same trips between two threads of C.
 */
public final class NativeRingLoad implements LinkListener
{
    private static final int PLACES = 256;
    private static final int WORDS = 5;
    /** Enough for the compilers. */
    private static final int WARM_UP_TRIPS_MAX = 200_000;
    private static final int WARM_UP_TRIPS_SLEEPING = 5_000;
    private static final int P99 = 99;
    private static final int PERCENT = 100;

    private final Reactor reactor;
    private final long[] tripsNs;
    private final CompletableFuture<Void> done = new CompletableFuture<>();
    private NativeRing ring;
    private int trip;
    private long startNs;

    private NativeRingLoad(final Reactor reactor, final int trips, final boolean sleeps)
    {
        this.reactor = reactor;
        tripsNs = new long[trips];
        trip = sleeps ? -WARM_UP_TRIPS_SLEEPING : -WARM_UP_TRIPS_MAX;
    }

    /**
     * Runs.
     *
     * @param words as above.
     * @throws Throwable when the native code cannot be called.
     */
    public static void main(final String[] words) throws Throwable
    {
        if (WORDS != words.length)
        {
            throw new IllegalArgumentException("usage: LIBRARY spin|sleep TRIPS REACTOR_CPU C_CPU");
        }
        final boolean sleeps = "sleep".equals(words[1]);
        final NativeLibrary library = NativeLibrary.probe("ring echo", "compile native/ring/test/echo.c",
            List.of(words[0]), List.of("echo_start", "echo_join"));
        final MethodHandle start = library.link("echo_start", FunctionDescriptor.of(
            JAVA_LONG, JAVA_LONG, JAVA_LONG, JAVA_LONG, JAVA_LONG, JAVA_LONG, JAVA_INT));
        final MethodHandle join = library.link("echo_join", FunctionDescriptor.of(JAVA_LONG, JAVA_LONG));

        try (Reactor reactor = new Reactor(new ReactorConfig("ring", Integer.parseInt(words[3]),
            sleeps ? IdleMode.SLEEP : IdleMode.BUSY_SPIN, 0)))
        {
            reactor.start();
            final NativeRingLoad load = new NativeRingLoad(reactor, Integer.parseInt(words[2]), sleeps);
            load.ring = new NativeRing(reactor, PLACES, NativeProducers.ONE, load);
            final long echo = (long)start.invokeExact(load.ring.address(), load.ring.lengthBytes(), 1L,
                sleeps ? 0L : -1L, 0L, Integer.parseInt(words[4]));
            reactor.execute(load::send);
            load.done.join();
            load.ring.requestDetach();
            final long echoed = (long)join.invokeExact(echo);
            if (echoed < load.tripsNs.length)
            {
                throw new IllegalStateException("C ended with " + echoed);
            }
            load.ring.close();
            load.print();
        }
    }

    @Override
    public void onMessage(
        final int type, final int slot, final long address, final int lengthBytes, final long word0, final long word1)
    {
        if (trip >= 0)
        {
            tripsNs[trip] = reactor.clockNs() - startNs;
        }
        trip++;
        if (trip < tripsNs.length)
        {
            send();
        }
        else
        {
            done.complete(null);
        }
    }

    private void send()
    {
        startNs = reactor.clockNs();
        if (!ring.offer(1, 0, 0, 0, 0, 0))
        {
            throw new IllegalStateException("the ring is full");
        }
    }

    private void print()
    {
        Arrays.sort(tripsNs);
        System.out.println(tripsNs[tripsNs.length / 2] + " " + tripsNs[(int)((long)tripsNs.length * P99 / PERCENT)]);
    }
}
