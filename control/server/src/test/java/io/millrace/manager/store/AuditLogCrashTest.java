package io.millrace.manager.store;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.millrace.control.codec.Code;
import io.millrace.control.codec.Role;
import io.millrace.seed.TestSeeds;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.Random;
import org.junit.jupiter.api.Test;

/** The audit log over a directory that loses its power or refuses a step anywhere. */
class AuditLogCrashTest
{
    /** So few that files are begun often. */
    private static final int LENGTH_MAX_BYTES = 1_500;
    private static final int LIVES = 1_000;
    /** Entries that the files hold at least, however they are cut. */
    private static final int HELD_MIN = 20;

    private static AuditEntry entry(final String command)
    {
        return new AuditEntry(0, Instant.EPOCH, "dp0", "test", "", Role.ADMIN, command, 1, Code.OK, "");
    }

    /** All entries that the files hold, the oldest first. */
    private static List<AuditEntry> entries(final CrashDisk disk) throws IOException
    {
        final List<AuditEntry> entries = new ArrayList<>();
        for (int i = AuditLog.FILES_MAX - 1; i >= 0; i--)
        {
            if (disk.list().contains(AuditLog.file(i)))
            {
                new String(disk.read(AuditLog.file(i)), StandardCharsets.UTF_8).lines().map(AuditEntry::parse)
                    .filter(Objects::nonNull).forEach(entries::add);
            }
        }
        return entries;
    }

    private static void assertPrefix(
        final List<String> answered, final List<String> asked, final CrashDisk disk, final String hint)
        throws IOException
    {
        final List<AuditEntry> found = entries(disk);
        for (int i = 1; i < found.size(); i++)
        {
            assertEquals(found.get(i - 1).sequence() + 1, found.get(i).sequence(), hint);
        }
        final long last = found.isEmpty() ? 0 : found.getLast().sequence();
        assertTrue(last >= answered.size() && last <= asked.size(), () -> hint + ": " + last + " entries found, " +
            answered.size() + " answered, " + asked.size() + " asked for");
        assertTrue(found.size() >= Math.min(HELD_MIN, answered.size()), hint);
        found.forEach((each) -> assertEquals(asked.get((int)each.sequence() - 1), each.command(), hint));
    }

    @Test
    void shouldHoldWhatWasAnsweredWhereverThePowerGoes() throws IOException
    {
        final long seed = TestSeeds.seed();
        final String hint = "seed " + seed;
        final Random random = TestSeeds.random();
        CrashDisk disk = new CrashDisk();
        final List<String> answered = new ArrayList<>();
        int number = 0;
        for (int life = 0; life < LIVES; life++)
        {
            final List<String> asked = new ArrayList<>(answered);
            disk.crashIn(random.nextInt(40));
            try
            {
                final AuditLog log = AuditLog.open(disk, LENGTH_MAX_BYTES);
                for (int i = 0; i < 10; i++)
                {
                    final List<AuditEntry> batch = new ArrayList<>();
                    for (int j = random.nextInt(4); j >= 0; j--)
                    {
                        batch.add(entry("command " + ++number));
                    }
                    batch.forEach((each) -> asked.add(each.command()));
                    log.append(batch);
                    answered.clear();
                    answered.addAll(asked);
                }
            }
            catch (final CrashDisk.Crash _)
            {
                // The next life looks at what is left.
            }
            disk = disk.afterCrash(random);
            assertPrefix(answered, asked, disk, hint);
            // What was asked for and is there counts from now on.
            final AuditLog left = AuditLog.open(disk, LENGTH_MAX_BYTES);
            final List<AuditEntry> recent = left.recent();
            final int last = recent.isEmpty() ? 0 : (int)recent.getLast().sequence();
            assertEquals(entries(disk).isEmpty() ? 0 : entries(disk).getLast().sequence(), last, hint);
            answered.clear();
            answered.addAll(asked.subList(0, last));
        }
        assertTrue(answered.size() > LIVES, hint + " came to " + answered.size() + " entries only");
    }

    /** A process that was killed left a file whose name is not on stable storage; the next one goes on with it. */
    @Test
    void shouldHoldWhatWasAnsweredByAProcessAfterOneThatWasKilled() throws IOException
    {
        final Random random = TestSeeds.random();
        for (int steps = 0; steps < 4; steps++)
        {
            for (int i = 0; i < 20; i++)
            {
                final CrashDisk disk = new CrashDisk();
                disk.crashIn(steps);
                try
                {
                    AuditLog.open(disk, LENGTH_MAX_BYTES).append(List.of(entry("killed")));
                }
                catch (final CrashDisk.Crash _)
                {
                    // The process alone ends here: names and contents are as it left them.
                }
                disk.crashIn(Integer.MAX_VALUE);
                AuditLog.open(disk, LENGTH_MAX_BYTES).append(List.of(entry("answered")));
                final List<AuditEntry> found = entries(disk.afterCrash(random));
                assertEquals("answered", found.isEmpty() ? "" : found.getLast().command(),
                    "killed after " + steps + " steps, seed " + TestSeeds.seed());
            }
        }
    }

    @Test
    void shouldGoOnAfterAnyStepFails() throws IOException
    {
        for (int failing = 0; failing < 60; failing++)
        {
            final CrashDisk disk = new CrashDisk();
            final AuditLog log = AuditLog.open(disk, LENGTH_MAX_BYTES);
            disk.failIn(failing);
            final List<String> answered = new ArrayList<>();
            boolean hasFailed = false;
            for (int i = 0; i < 30; i++)
            {
                try
                {
                    log.append(List.of(entry("command " + i)));
                    answered.add("command " + i);
                }
                catch (final IOException e)
                {
                    assertEquals("No space left on device", e.getMessage());
                    hasFailed = true;
                }
            }
            assertTrue(hasFailed, "no step " + failing);
            final List<String> found = entries(disk.afterCrash(TestSeeds.random(failing))).stream()
                .map(AuditEntry::command).filter(answered::contains).toList();
            assertEquals(answered, found, "step " + failing);
        }
    }
}
