package io.millrace.manager.store;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.millrace.control.message.Command;
import io.millrace.control.message.LeadershipInfo;
import io.millrace.control.message.StatePosition;
import io.millrace.control.state.DesiredState;
import io.millrace.control.state.RandomStates;
import io.millrace.seed.TestSeeds;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Random;
import java.util.UUID;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.constraints.IntRange;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The file of what was applied, over a directory that loses its power or refuses a step anywhere, and a real one. */
class AppliedStateFileTest
{
    private static final int LIVES = 400;

    @TempDir
    private Path directory;

    private static AppliedState applied(final Random random, final long version)
    {
        final DesiredState state = new RandomStates(
            random, List.of("/volumes/a", "/volumes/b"), List.of(4420, 4421), true, false).state(random.nextInt(20));
        return new AppliedState(new LeadershipInfo(1 + version / 3, new UUID(1, version / 3), -version,
            new StatePosition(new UUID(3, 4), 1, version), version, version / 2, "m \" \n", "/dev/shm/ä"), state,
            new Command.AssignControllerIds(1, (int)(1 + version % AppliedStateFile.CONTROLLER_ID_MAX)));
    }

    private static AppliedState read(final StateDisk disk) throws IOException
    {
        return AppliedStateFile.on(disk).read();
    }

    @Test
    void shouldHoldTheOldOrTheNewStateWhereverThePowerGoes() throws IOException
    {
        final long seed = TestSeeds.seed();
        final Random random = TestSeeds.random();
        CrashDisk disk = new CrashDisk();
        AppliedState kept = null;
        long version = 0;
        for (int life = 0; life < LIVES; life++)
        {
            AppliedState next = null;
            disk.crashIn(random.nextInt(20));
            try
            {
                final AppliedStateFile file = AppliedStateFile.on(disk);
                assertEquals(kept, file.read(), "seed " + seed);
                for (int i = 0; i < 6; i++)
                {
                    next = applied(random, ++version);
                    file.write(next);
                    kept = next;
                }
            }
            catch (final CrashDisk.Crash _)
            {
                // The next life looks at what is left.
            }
            disk = disk.afterCrash(random);
            final AppliedState left = read(disk);
            assertTrue(null == left ? null == kept : left.equals(kept) || left.equals(next), "seed " + seed);
            kept = left;
        }
        assertTrue(version > LIVES, "seed " + seed + " came to " + version + " only");
    }

    /** With what it could not read, the data plane would not start any more. */
    @Test
    void shouldWriteNothingThatItCannotRead() throws IOException
    {
        final CrashDisk disk = new CrashDisk();
        final AppliedStateFile file = AppliedStateFile.on(disk);
        final AppliedState last = at(StatePosition.VERSION_MAX);
        file.write(last);
        assertEquals(last, read(disk));
        for (final long version : List.of(StatePosition.VERSION_MAX + 1, 999_999_999_999_999_999L, Long.MAX_VALUE, -1L))
        {
            assertThrows(IOException.class, () -> file.write(at(version)), "" + version);
        }
        assertEquals(last, read(disk));
    }

    private static AppliedState at(final long version)
    {
        return new AppliedState(new LeadershipInfo(1, new UUID(1, 2), 0, new StatePosition(new UUID(3, 4), 1, version),
            0, 0, "m", "/dev/shm/m"), DesiredState.EMPTY, new Command.AssignControllerIds(1, 2));
    }

    @Test
    void shouldHoldTheOldOrTheNewStateWhenAnyStepFails() throws IOException
    {
        final Random random = TestSeeds.random();
        for (int failing = 0; ; failing++)
        {
            final CrashDisk disk = new CrashDisk();
            final AppliedStateFile file = AppliedStateFile.on(disk);
            final AppliedState before = applied(random, 1);
            final AppliedState wanted = applied(random, 2);
            file.write(before);
            final int stepsBefore = disk.steps();
            disk.failIn(failing);
            try
            {
                file.write(wanted);
            }
            catch (final IOException _)
            {
                final AppliedState found = read(disk);
                assertTrue(before.equals(found) || wanted.equals(found));
                // On a full disk what was begun would be in the way of all others.
                assertEquals(List.of("applied-state.yaml"), disk.list(), "after failure of step " + failing);
                file.write(wanted);
                assertEquals(wanted, read(disk));
                continue;
            }
            assertEquals(wanted, read(disk));
            if (disk.steps() - stepsBefore <= failing)
            {
                assertTrue(failing >= 4, "only " + failing + " steps");
                return;
            }
        }
    }

    /** Whichever byte is another: refused, and never another state. */
    @Property(tries = 300)
    void shouldRefuseAFileOfWhichAByteIsAnother(@ForAll @IntRange(max = 9999) final int place, @ForAll final byte value)
        throws IOException
    {
        final CrashDisk disk = new CrashDisk();
        AppliedStateFile.on(disk).write(applied(TestSeeds.fixed(5), 5));
        final byte[] other = disk.read("applied-state.yaml").clone();
        if (value != other[place % other.length])
        {
            other[place % other.length] = value;
            disk.damage("applied-state.yaml", other);
            final String message = assertThrows(StoreException.class, () -> read(disk)).getMessage();
            assertTrue(message.matches(
                "(?s)disk/applied-state.yaml:\\d+: .*; restore it, or start once with --import.*"),
                message);
        }
    }

    @Test
    void shouldTouchNothingBeforeSomethingIsKept() throws IOException
    {
        final Path own = directory.resolve("none");
        try (AppliedStateFile file = AppliedStateFile.in(own))
        {
            assertNull(file.read());
            assertFalse(Files.exists(own));
            final AppliedState state = applied(TestSeeds.fixed(6), 6);
            file.write(state);
            assertEquals(state, file.read());
        }
    }

    @Test
    void shouldBeOfOneDataPlane() throws IOException
    {
        final AppliedStateFile first = AppliedStateFile.in(directory);
        final AppliedStateFile second = AppliedStateFile.in(directory);
        first.write(applied(TestSeeds.fixed(7), 7));
        final String message = assertThrows(StoreException.class, second::read).getMessage();
        assertTrue(message.contains("in use by another data plane") && message.contains("state.directory"), message);
        assertThrows(StoreException.class, () -> second.write(applied(TestSeeds.fixed(8), 8)));
        first.close();
        assertEquals(applied(TestSeeds.fixed(7), 7), second.read());
        second.close();
    }
}
