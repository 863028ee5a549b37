package io.millrace.reactor;

import static io.millrace.reactor.ReactorTesting.await;
import static io.millrace.reactor.ReactorTesting.started;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNull;

import io.millrace.reactor.NativeRing.NativeProducers;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** Native code says goodbye and detaches: who hears of it closes the ring there and then. */
class NativeRingClosedByListenerTest
{
    private static final int PLACES = 16;
    private static final int GOODBYE = 5;

    @ParameterizedTest
    @EnumSource
    void shouldDeliverOnceWhenItsListenerClosesIt(final NativeProducers producers)
    {
        final ReactorTesting.Errors errors = new ReactorTesting.Errors();
        try (Reactor reactor = started(ReactorConfig.of("goodbye", -1), errors))
        {
            final List<Integer> slots = new ArrayList<>();
            final NativeRing[] rings = new NativeRing[1];
            rings[0] = new NativeRing(reactor, PLACES, producers, (type, slot, address, length, word0, word1) ->
            {
                slots.add(slot);
                if (GOODBYE == slot)
                {
                    rings[0].close();
                }
            });
            final NativePeer peer = new NativePeer(rings[0], producers);
            reactor.call(() ->
            {
                for (int i = 0; i < 10; i++)
                {
                    peer.write(1, i, 0, 0, 0, 0);
                }
                return null;
            }).join();
            await("all arrive", () -> null != errors.broken || 10 <= reactor.call(slots::size).join());
            assertNull(errors.broken);
            assertEquals(List.of(0, 1, 2, 3, 4, 5, 6, 7, 8, 9), reactor.call(() -> List.copyOf(slots)).join());
        }
    }
}
