package io.millrace.perf.load;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.net.InetSocketAddress;
import java.util.function.UnaryOperator;
import org.junit.jupiter.api.Test;

class LoadConfigTest
{
    private static LoadConfig.Builder config()
    {
        return LoadConfig.to(new InetSocketAddress("127.0.0.1", 4420), "nqn.2026-11.io.millrace:vol0");
    }

    private static void assertRefused(final String message, final UnaryOperator<LoadConfig.Builder> settings)
    {
        final String actual =
            assertThrows(LoadException.class, () -> settings.apply(config()).build()).getMessage();
        assertTrue(actual.contains(message), actual);
    }

    @Test
    void shouldNameSettingValueAndBoundWhenASettingIsOutOfRange()
    {
        assertRefused("size 1000 is not possible: use a multiple of 512", (c) -> c.sizeBytes(1000));
        assertRefused("depth 0 is out of range: use 1 to 4095", (c) -> c.queues(0, 1));
        assertRefused("queues 129 is out of range", (c) -> c.queues(1, 129));
        assertRefused("mix 101", (c) -> c.pattern(LoadPattern.RANDRW).readPercent(101));
        assertRefused("mix 70 does not go with pattern randread", (c) -> c.readPercent(70));
        assertRefused("neither duration nor operation count", (c) -> c.durationMs(0));
        assertRefused("rate -1", (c) -> c.ratePerSecond(-1));
        assertRefused("region of 4096 bytes is smaller than one I/O", (c) -> c.queues(1, 2).regionBytes(4096));
        assertRefused("bytes are more than", (c) -> c.sizeBytes(LoadConfig.SIZE_BYTES_MAX).queues(4000, 100));
    }

    @Test
    void shouldMixHalfAndHalfUnlessToldOtherwise()
    {
        assertEquals(50, config().pattern(LoadPattern.RANDRW).build().readPercent());
        assertEquals(70, config().pattern(LoadPattern.RANDRW).readPercent(70).build().readPercent());
        assertEquals(0, config().pattern(LoadPattern.WRITE).build().readPercent());
    }

    @Test
    void shouldNameThePatternsThereAreWhenOneIsUnknown()
    {
        assertEquals(LoadPattern.RANDRW, LoadPattern.of("randrw"));
        final String actual = assertThrows(LoadException.class, () -> LoadPattern.of("random")).getMessage();
        assertTrue(actual.contains("randread, randwrite, randrw, read, write"), actual);
    }
}
