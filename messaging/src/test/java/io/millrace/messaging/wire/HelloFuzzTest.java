package io.millrace.messaging.wire;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.code_intelligence.jazzer.junit.FuzzTest;
import io.millrace.bindings.NativeMemory;
import java.lang.foreign.Arena;

/**
 * Any bytes are a valid hello or refused with a reason: private data of the RDMA connection manager, and the first
 * bytes of a stream. Runs on the kept corpus with every build; {@code JAZZER_FUZZ=1} fuzzes, as {@code perf/fuzz} does.
 */
class HelloFuzzTest
{
    @FuzzTest(maxDuration = "1m")
    void shouldReadOrRefuseAnyHello(final byte[] input)
    {
        try (Arena arena = Arena.ofConfined())
        {
            final long at = arena.allocate(Hello.SIZE_BYTES, Long.BYTES).address();
            for (int i = 0; i < Math.min(input.length, Hello.SIZE_BYTES); i++)
            {
                NativeMemory.putByte(at + i, input[i]);
            }
            final String reason = Hello.invalid(at);
            if (null != reason)
            {
                assertTrue(reason.length() > 10, reason);
                return;
            }
            check("slot bytes", Hello.slotBytes(at), Hello.SLOT_BYTES_MIN, Hello.SLOT_BYTES_MAX);
            check("receive depth", Hello.receiveDepth(at), Hello.DEPTH_MIN, Hello.DEPTH_MAX);
            check("largest message", Hello.messageBytesMax(at), 0, Hello.MESSAGE_BYTES_MAX);
            check("stream", Hello.stream(at), 0, Hello.STREAMS_MAX - 1);
        }
    }

    private static void check(final String what, final long value, final long min, final long max)
    {
        assertEquals(Math.clamp(value, min, max), value, what);
    }
}
