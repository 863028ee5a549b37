package io.millrace.manager.store;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.millrace.control.message.CommandId;
import io.millrace.control.state.DesiredState;
import io.millrace.control.state.RandomStates;
import io.millrace.seed.TestSeeds;
import java.io.IOException;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.Random;
import org.junit.jupiter.api.Test;

/** The store over a directory that loses its power or refuses a step anywhere. */
class StateStoreCrashTest
{
    private static final int KEEP = 3;
    private static final int LIVES = 400;
    private static final int TRIALS = 20;

    private static StateStore open(final CrashDisk disk) throws IOException
    {
        return StateStore.open(disk, KEEP, 0, "--use-version VERSION");
    }

    private static DesiredState state(final Random random)
    {
        return new RandomStates(random, List.of("/volumes/a", "/volumes/b"), List.of(4420, 4421), true, false)
            .state(random.nextInt(20));
    }

    private static Version append(final StateStore store, final DesiredState state) throws IOException
    {
        return store.append(Instant.EPOCH, "test", "", List.of(new CommandId(1, store.history().size())), List.of(),
            state);
    }

    /** What was acknowledged is there after each crash; what was under way is there as a whole or not at all. */
    @Test
    void shouldEndInTheOldOrTheNewVersionWhereverThePowerGoes() throws IOException
    {
        final long seed = TestSeeds.seed();
        final Random random = TestSeeds.random();
        CrashDisk disk = new CrashDisk();
        DesiredState kept = null;
        long version = 0;
        long term = 0;
        for (int life = 0; life < LIVES; life++)
        {
            DesiredState next = null;
            long nextTerm = 0;
            disk.crashIn(random.nextInt(30));
            try
            {
                final StateStore store = open(disk);
                assertEquals(version, null == store.latest() ? 0 : store.latest().number(), "seed " + seed);
                for (int i = 0; i < 6; i++)
                {
                    if (0 == random.nextInt(3))
                    {
                        nextTerm = term + 1;
                        store.term(nextTerm);
                        term = nextTerm;
                    }
                    next = state(random);
                    version = append(store, next).number();
                    kept = next;
                    next = null;
                }
            }
            catch (final CrashDisk.Crash _)
            {
                // The next life looks at what is left.
            }
            disk = disk.afterCrash(random);
            final StateStore left = open(disk);
            assertTrue(left.term() == term || left.term() == nextTerm, "seed " + seed);
            term = left.term();
            final Version latest = left.latest();
            final boolean isNew = null != next && null != latest && latest.number() == version + 1;
            if (isNew)
            {
                assertEquals(next, latest.state(), "seed " + seed);
                kept = next;
                version++;
            }
            else
            {
                assertEquals(version, null == latest ? 0 : latest.number(), "seed " + seed);
                assertEquals(kept, null == latest ? null : latest.state(), "seed " + seed);
            }
        }
        assertTrue(version > LIVES / 4, "seed " + seed + " came to version " + version + " only");
    }

    @Test
    void shouldHoldTheFilesThatDevicesHad() throws IOException
    {
        final Random random = TestSeeds.random();
        for (int i = 0; i < TRIALS; i++)
        {
            final CrashDisk disk = new CrashDisk();
            final StateStore store = open(disk);
            append(store, state(random));
            store.servedFiles(Map.of("vol", "/volumes/old"));
            store.servedFiles(Map.of("vol", "/volumes/new"));
            assertEquals(Map.of("vol", "/volumes/new"), open(disk.afterCrash(random)).servedFiles(),
                "seed " + TestSeeds.seed());
        }
    }

    /** A version that was put aside does not come back among those to choose from. */
    @Test
    void shouldHoldThatVersionsWerePutAside() throws IOException
    {
        final Random random = TestSeeds.random();
        for (int i = 0; i < TRIALS; i++)
        {
            final CrashDisk disk = new CrashDisk();
            final StateStore store = open(disk);
            append(store, state(random));
            append(store, state(random));
            StateStore.open(disk, KEEP, 1, "");
            assertEquals(List.of(1L, 3L), open(disk.afterCrash(random)).history().stream()
                .map(VersionHeader::version).toList(), "seed " + TestSeeds.seed());
        }
    }

    /** What was reported as renamed is not found, and reported, again. */
    @Test
    void shouldHoldThatADamagedTermWasPutAside() throws IOException
    {
        final Random random = TestSeeds.random();
        for (int i = 0; i < TRIALS; i++)
        {
            final CrashDisk disk = new CrashDisk();
            open(disk).term(7);
            final String name = disk.list().getFirst();
            disk.damage(name, new byte[] {'x'});
            assertEquals(1, open(disk).warnings().size());
            assertEquals(List.of(), open(disk.afterCrash(random)).warnings(), "seed " + TestSeeds.seed());
        }
    }

    @Test
    void shouldBeAsBeforeWhenAnyStepFails() throws IOException
    {
        final long seed = TestSeeds.seed();
        final Random random = TestSeeds.random();
        for (int failing = 0; ; failing++)
        {
            final CrashDisk disk = new CrashDisk();
            final StateStore store = open(disk);
            for (int i = 0; i < KEEP + 1; i++)
            {
                append(store, state(random));
            }
            final Version before = store.latest();
            final int stepsBefore = disk.steps();
            disk.failIn(failing);
            final DesiredState wanted = state(random);
            try
            {
                append(store, wanted);
            }
            catch (final IOException e)
            {
                assertEquals("No space left on device", e.getMessage());
                assertEquals(before, store.latest());
                assertEquals(before.number(), store.history().getLast().version());
                final Version found = open(disk).latest();
                assertEquals(before, found, "step " + failing + " of seed " + seed);
                append(store, wanted);
                assertEquals(wanted, open(disk).latest().state(), "seed " + seed);
                continue;
            }
            assertEquals(wanted, open(disk).latest().state(), "seed " + seed);
            if (disk.steps() - stepsBefore <= failing)
            {
                assertTrue(failing >= 5, "only " + failing + " steps");
                return;
            }
        }
    }

    @Test
    void shouldNeverLoseATermWhenAStepFails() throws IOException
    {
        for (int failing = 0; failing < 5; failing++)
        {
            final CrashDisk disk = new CrashDisk();
            final StateStore store = open(disk);
            store.term(7);
            disk.failIn(failing);
            if (failing < 4)
            {
                assertThrows(IOException.class, () -> store.term(8));
            }
            else
            {
                store.term(8);
            }
            assertTrue(open(disk).term() >= 7);
        }
    }
}
