package io.millrace.seed;

import java.nio.file.Path;
import java.util.Random;
import java.util.SplittableRandom;

/**
 * The one source of randomness of tests. A run has one seed: that of {@code -Dmillrace.seed}, else a new one. Each
 * test that fails names it, with the command that runs the test again with the same choices.
 */
public final class TestSeeds
{
    /** The property that gives a seed back. */
    public static final String PROPERTY = "millrace.seed";

    private static final long SEED = parse(System.getProperty(PROPERTY));

    private TestSeeds()
    {
    }

    /**
     * {@return the seed of this run, for processes that a test starts}
     */
    public static long seed()
    {
        return SEED;
    }

    /**
     * {@return the same sequence whenever it is called in a run, another one in the next}
     */
    public static Random random()
    {
        return new Random(SEED);
    }

    /**
     * {@return one of the sequences of this run}
     *
     * @param part tells sequences of one run apart, such as those of threads or rounds.
     */
    public static Random random(final long part)
    {
        return new Random(new SplittableRandom(SEED ^ Long.reverse(part)).nextLong());
    }

    /**
     * {@return a sequence that is the same in every run: bytes to compare with, or the choices of a property whose
     * parameter the seed is}
     *
     * @param seed a constant, or what was derived of the seed of this run.
     */
    public static Random fixed(final long seed)
    {
        return new Random(seed);
    }

    static long parse(final String value)
    {
        if (null == value || value.isBlank())
        {
            // Short enough to be typed.
            return new SplittableRandom().nextLong() >>> 24;
        }
        try
        {
            return Long.parseLong(value.strip());
        }
        catch (final NumberFormatException e)
        {
            throw new IllegalArgumentException("-D" + PROPERTY + '=' + value + " is no integer of 64 bits");
        }
    }

    /**
     * Adds the seed and the command that repeats it to a failure, where every reporter shows it.
     */
    static void addTo(final Throwable failure, final Class<?> type, final String method)
    {
        for (final Throwable note : failure.getSuppressed())
        {
            if (note instanceof SeedOfFailure)
            {
                return;
            }
        }
        failure.addSuppressed(new SeedOfFailure(repeatCommand(type, method)));
    }

    private static String repeatCommand(final Class<?> type, final String method)
    {
        final Path root = Path.of(System.getProperty("millrace.root", "")).toAbsolutePath().normalize();
        final Path module = root.relativize(Path.of("").toAbsolutePath());
        final String test = type.getSimpleName() + '#' + method;
        return "mvn -am -pl " + module + (type.getSimpleName().endsWith("IT") ?
            " verify -Dtest=NONE -Dit.test=" + test + " -Dfailsafe.failIfNoSpecifiedTests=false" :
            " test -Dtest=" + test) +
            " -Dsurefire.failIfNoSpecifiedTests=false -D" + PROPERTY + '=' + SEED;
    }

    /** Never thrown: printed with the failure that it is added to. */
    private static final class SeedOfFailure extends Exception
    {
        private static final long serialVersionUID = 1;

        private SeedOfFailure(final String repeatCommand)
        {
            super("seed " + SEED + ", to repeat: " + repeatCommand, null, false, false);
        }
    }
}
