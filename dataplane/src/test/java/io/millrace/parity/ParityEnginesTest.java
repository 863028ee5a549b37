package io.millrace.parity;

import static io.millrace.testing.Requirement.require;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.sun.management.ThreadMXBean;
import io.millrace.bindings.Capability;
import io.millrace.seed.TestSeeds;
import io.millrace.testing.AllocationWindows;
import java.lang.management.ManagementFactory;
import java.util.Random;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

class ParityEnginesTest
{
    private static final ThreadMXBean THREADS = (ThreadMXBean)ManagementFactory.getThreadMXBean();
    private static final int LENGTH = 4096 + 33;
    private static final int CALLS = 200;
    private static final int CLEAN_ROUNDS = 3;
    private static final int ROUNDS_MIN = 1000;

    private final Random random = TestSeeds.random();

    @Test
    void shouldAlwaysOfferTheReference()
    {
        assertTrue(ParityEngines.available().contains(ParityEngineType.SCALAR));
    }

    @Test
    void shouldChooseTheReferenceOnlyWhenItIsAlone()
    {
        final ParityEngineType chosen = ParityEngines.choose(1_000_000);
        assertTrue(ParityEngines.available().contains(chosen));
        assertEquals(1 == ParityEngines.available().size(), ParityEngineType.SCALAR == chosen);
    }

    @ParameterizedTest
    @EnumSource
    void shouldOfferWhatIsAvailable(final ParityEngineType type)
    {
        final Capability capability = ParityEngines.capability(type);
        assertEquals(capability.isAvailable(), ParityEngines.available().contains(type));
        require(capability.isAvailable(), capability.reason(), capability.remedy());
        try (ParityEngine engine = ParityEngines.create(type))
        {
            assertEquals(type, engine.type());
        }
    }

    @ParameterizedTest
    @EnumSource
    void shouldAllocateNothingWhenWarm(final ParityEngineType type)
    {
        final Capability capability = ParityEngines.capability(type);
        require(capability.isAvailable(), capability.reason(), capability.remedy());
        final GfMatrix matrix = new ReedSolomon(10, 2).parity();
        try (ParityEngine engine = ParityEngines.create(type);
            TestStripe stripe = new TestStripe(random, 14, LENGTH, true))
        {
            final long[] outputs = {stripe.strips()[12], stripe.strips()[13]};
            final AllocationWindows rounds = new AllocationWindows(CLEAN_ROUNDS, ROUNDS_MIN);
            while (!rounds.isOver())
            {
                final long before = THREADS.getCurrentThreadAllocatedBytes();
                callAll(engine, stripe, matrix, outputs);
                rounds.end(THREADS.getCurrentThreadAllocatedBytes() - before);
            }
            rounds.assertClean(CALLS + " calls of each kind");
        }
    }

    private static void callAll(
        final ParityEngine engine, final TestStripe stripe, final GfMatrix matrix, final long[] outputs)
    {
        final long[] strips = stripe.strips();
        for (int i = 0; i < CALLS; i++)
        {
            engine.generatePq(strips, 10, LENGTH);
            engine.recoverPq(strips, 10, LENGTH, i % 10, 11);
            engine.recoverPq(strips, 10, LENGTH, i % 9, 9);
            engine.recoverPq(strips, 10, LENGTH, i % 10, 10);
            engine.verifyPq(strips, 10, LENGTH);
            engine.verifyXor(strips, 10, LENGTH);
            engine.updatePq(strips[0], strips[12], 3, strips[10], strips[11], LENGTH);
            engine.multiply(matrix, strips, outputs, LENGTH);
        }
    }
}
