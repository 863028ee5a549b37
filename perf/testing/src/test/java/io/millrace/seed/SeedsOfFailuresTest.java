package io.millrace.seed;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assertions.fail;
import static org.junit.platform.engine.discovery.DiscoverySelectors.selectClass;

import java.util.ArrayList;
import java.util.List;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import org.junit.jupiter.api.Test;
import org.junit.platform.engine.TestExecutionResult;
import org.junit.platform.launcher.LauncherDiscoveryRequest;
import org.junit.platform.launcher.TestExecutionListener;
import org.junit.platform.launcher.TestIdentifier;
import org.junit.platform.launcher.core.LauncherDiscoveryRequestBuilder;
import org.junit.platform.launcher.core.LauncherFactory;

/**
 * A test that fails names the seed of its run and the command that repeats it, and what the seed decides is the same
 * again.
 */
class SeedsOfFailuresTest
{
    /** Started below only: its name is none that Surefire looks for. */
    static final class FailingSample
    {
        private static final List<Long> VALUES = new ArrayList<>();

        @Test
        void fails()
        {
            fail("as it must");
        }

        @Property
        boolean isFalsified(@ForAll final long value)
        {
            VALUES.add(value);
            return VALUES.size() < 20;
        }
    }

    private static List<Throwable> failuresOf(final Class<?> sample)
    {
        final LauncherDiscoveryRequest request =
            LauncherDiscoveryRequestBuilder.request().selectors(selectClass(sample))
                .configurationParameter("jqwik.database", "").build();
        final List<Throwable> failures = new ArrayList<>();
        LauncherFactory.create().execute(request, new TestExecutionListener()
        {
            @Override
            public void executionFinished(final TestIdentifier test, final TestExecutionResult result)
            {
                result.getThrowable().ifPresent(failures::add);
            }
        });
        return failures;
    }

    @Test
    void shouldNameTheSeedAndTheCommandInEveryFailure()
    {
        final List<Throwable> failures = failuresOf(FailingSample.class);
        assertEquals(2, failures.size());
        for (final Throwable failure : failures)
        {
            assertEquals(1, failure.getSuppressed().length, failure::toString);
            final String note = failure.getSuppressed()[0].getMessage();
            assertTrue(note.contains("mvn -am -pl perf/testing test -Dtest=FailingSample#"), note);
            assertTrue(note.endsWith("-Dmillrace.seed=" + TestSeeds.seed()), note);
        }
    }

    @Test
    void shouldRepeatTheValuesOfProperties()
    {
        FailingSample.VALUES.clear();
        failuresOf(FailingSample.class);
        final List<Long> first = List.copyOf(FailingSample.VALUES.subList(0, 20));
        FailingSample.VALUES.clear();
        failuresOf(FailingSample.class);
        assertEquals(first, FailingSample.VALUES.subList(0, 20));
    }

    @Test
    void shouldRepeatSequencesAndTellPartsApart()
    {
        assertEquals(TestSeeds.random().nextLong(), TestSeeds.random().nextLong());
        assertEquals(TestSeeds.random(1).nextLong(), TestSeeds.random(1).nextLong());
        assertNotEquals(TestSeeds.random(1).nextLong(), TestSeeds.random(2).nextLong());
        assertNotEquals(TestSeeds.random(-1).nextLong(), TestSeeds.random().nextLong());
    }
}
