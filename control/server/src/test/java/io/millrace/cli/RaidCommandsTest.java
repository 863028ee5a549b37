package io.millrace.cli;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.millrace.console.ExitCode;
import io.millrace.control.agent.AgentFixture;
import io.millrace.seed.TestSeeds;
import java.io.IOException;
import java.io.RandomAccessFile;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Random;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** {@code millrace raid} against a data plane in this process, over files that are corrupted behind its back. */
class RaidCommandsTest
{
    private static final int DATA_OFFSET_BYTES = 1 << 20;
    private static final int ROW_BYTES = 4096;
    private static final long PATIENCE_NS = TimeUnit.SECONDS.toNanos(60);

    @TempDir
    private Path directory;

    private final Random random = TestSeeds.random();
    private AgentFixture fixture;

    @BeforeEach
    void start()
    {
        fixture = AgentFixture.ipc(directory);
    }

    @AfterEach
    void stop()
    {
        fixture.close();
    }

    private CommandRun run(final String line)
    {
        final List<String> args = new ArrayList<>(Arrays.asList(line.split(" ")));
        args.addAll(List.of("--control", fixture.settings().directory().toString()));
        return CommandRun.of(args.toArray(String[]::new));
    }

    private String ok(final String line)
    {
        final CommandRun run = run(line);
        assertEquals("", run.errors(), line);
        assertEquals(ExitCode.OK, run.exitCode(), line);
        return run.out();
    }

    private void refused(final int exitCode, final String line, final String message)
    {
        final CommandRun run = run(line);
        assertEquals("millrace " + message + "\n", run.err());
        assertEquals(exitCode, run.exitCode());
    }

    private Path path(final String name)
    {
        return directory.resolve(name + ".img");
    }

    private void files(final String... names)
    {
        for (final String each : names)
        {
            ok("device create " + each + " --path " + path(each) + " --size 8MiB");
        }
    }

    /** Random bytes in a row of the data of a member. */
    private void corrupt(final String name, final long offset) throws IOException
    {
        final byte[] bytes = new byte[ROW_BYTES];
        random.nextBytes(bytes);
        try (RandomAccessFile file = new RandomAccessFile(path(name).toFile(), "rw"))
        {
            file.seek(DATA_OFFSET_BYTES + offset);
            file.write(bytes);
        }
    }

    private String await(final String line, final String expected)
    {
        final long deadlineNs = System.nanoTime() + PATIENCE_NS;
        String last = ok(line);
        while (!last.contains(expected))
        {
            final String now = last;
            assertTrue(System.nanoTime() - deadlineNs < 0, () -> "no " + expected + " in " + now);
            LockSupport.parkNanos(20_000_000);
            last = ok(line);
        }
        return last;
    }

    @Test
    void shouldCreateListAndShowAnArray()
    {
        files("d0", "d1", "d2", "d3");
        assertEquals("array vol0 created\n",
            ok("raid create vol0 d0 d1 d2 --level 5 --spare d3 --strip-size 16KiB --assume-clean"));
        assertEquals("""
            NAME  LEVEL   SIZE  MEMBERS  STATE   OPERATION  PROGRESS
            vol0  5      14MiB  3/3 +1   online  -                 -
            """, ok("raid list"));
        assertEquals(ok("raid list"), ok("get arrays"));
        final String shown = ok("raid show vol0");
        assertTrue(shown.startsWith("vol0  RAID 5, 14MiB, online\n"), shown);
        assertTrue(shown.contains("   0  d0      in-sync    100 %                 0            0  "), shown);
        assertTrue(
            shown.matches("(?s).*\n   -  d3      spare          -                 -            -  [0-9a-f-]{36}\n.*"),
            shown);
        assertTrue(shown.endsWith("last complete scrub  never\n"), shown);
        assertTrue(ok("raid show vol0 --json").contains("\"state\": \"spare\""));
        assertTrue(ok("raid show vol0 -o yaml").contains("last-complete-scrub: null"));
    }

    @Test
    void shouldLookBeforeItAsks()
    {
        files("d0", "d1", "d2");
        ok("raid create vol0 d0 d1 d2 --level 5 --assume-clean");
        for (final String each : List.of("raid fail vol9 d0", "raid fail vol0 d9"))
        {
            final CommandRun run = run(each);
            assertEquals(ExitCode.FAILURE, run.exitCode(), run.err());
            assertTrue(run.err().contains("9") && !run.err().contains("--yes"), run.err());
        }
        final CommandRun asked = run("raid fail vol0 d1");
        assertEquals(ExitCode.USAGE, asked.exitCode(), asked.err());
        assertTrue(asked.err().contains("add --yes to confirm"), asked.err());
    }

    /** Once for each command, and not where a command says itself what to write where. */
    @Test
    void shouldSayThatAChangeIsNotStored()
    {
        files("d0", "d1", "d2", "d3");
        assertEquals(CommandRun.UNSTORED, run("raid create vol0 d0 d1 d2 --level 5 --assume-clean").err());
        assertEquals("", run("raid list").err());
        assertEquals("", run("raid add vol0 d3").err());
        assertEquals("", run("device delete vol9 --ignore-not-found").err());
        final String subsystem = "subsystem create nqn.2026-11.io.millrace:vol0";
        assertEquals(CommandRun.UNSTORED, run(subsystem).err());
        assertEquals("", run(subsystem).err(), "it changes nothing");
    }

    private static String unstored(final String remedy)
    {
        return "not stored, as there is no manager: " + remedy + (remedy.endsWith(" for") ? " device" : " of device") +
            " vol0 in the configuration file of the data plane before its next start\n";
    }

    @Test
    void shouldRefuseWhatDeviceCreateRefuses()
    {
        files("d0", "d1");
        refused(ExitCode.FAILURE, "raid create vol0 d0 d1 nothere --level 5 --spare nor",
            "raid create: devices nothere, nor do not exist: 'millrace device list' lists devices");
        refused(ExitCode.FAILURE, "raid create vol0 d0 nothere --level 1",
            "raid create: device nothere does not exist: 'millrace device list' lists devices");
        refused(ExitCode.USAGE, "raid create vol0 d0 --level 1",
            "raid create: members: 1 member, RAID 1 needs at least 2; list more");
        refused(ExitCode.USAGE, "raid create vol0 d0 d1 --level 5",
            "raid create: members: 2 members, RAID 5 needs at least 3; list more");
        refused(ExitCode.USAGE, "raid create vol0 d0 d1 --level 1 --spare d1",
            "raid create: spares = d1: also listed in members; list it once");
    }

    @Test
    void shouldFindAndRepairWhatWasCorrupted() throws IOException
    {
        files("d0", "d1", "d2", "d3");
        ok("raid create vol0 d0 d1 d2 d3 --level 6 --assume-clean");
        assertEquals("scrub of array vol0 begins\nscrub of array vol0 completed: 13.9MiB checked, no mismatches\n",
            ok("raid scrub vol0 --wait"));
        corrupt("d1", 0);
        corrupt("d2", 1 << 20);
        CommandRun run = run("raid scrub vol0 --wait");
        assertEquals(ExitCode.FAILURE, run.exitCode());
        assertTrue(run.out().contains(" checked, 2 mismatches\n"), run.out());
        assertTrue(ok("raid show vol0").contains("  first mismatches at byte 0, 2097152\n"), ok("raid show vol0"));
        final String known = "  a scrub found rows that do not match and were not repaired: find out which drive " +
            "corrupts data, then repair them: millrace raid scrub vol0 --repair\n";
        assertTrue(ok("raid show vol0").contains(known), ok("raid show vol0"));
        ok("device delete vol0");
        ok("raid create vol0 d0 d1 d2 d3 --level 6");
        assertTrue(ok("raid show vol0").contains(known), ok("raid show vol0"));
        assertTrue(ok("raid show vol0 --json").contains("\"known-mismatches\": true"), ok("raid show vol0 --json"));
        run = run("raid scrub vol0 --repair --wait");
        assertEquals(ExitCode.OK, run.exitCode());
        assertFalse(ok("raid show vol0").contains("do not match"), ok("raid show vol0"));
        assertTrue(ok("raid show vol0 --json").contains("\"known-mismatches\": false"), ok("raid show vol0 --json"));
        assertTrue(run.out().contains("2 mismatches (2 repaired)"), run.out());
        assertTrue(ok("raid show vol0").contains("   1  d1      in-sync    100 %                 1"),
            ok("raid show vol0"));
        assertTrue(ok("raid scrub vol0 --wait").contains("no mismatches"));
    }

    @Test
    void shouldRenameAnArray()
    {
        final String nqn = "nqn.2026-11.io.millrace:vol0";
        files("d0", "d1", "d2");
        ok("raid create vol0 d0 d1 --level 1 --assume-clean");
        ok("subsystem create " + nqn + " --allow-any-host");
        ok("namespace add " + nqn + " vol0");
        final String uuid = ok("namespace list --output yaml").lines().filter((line) -> line.contains("uuid:"))
            .findFirst().orElseThrow();
        assertEquals("array vol0 is renamed to vol1\nnot stored, as there is no manager: write vol1 instead of " +
            "vol0, and the uuid of each namespace of it ('millrace namespace list -o yaml'), in the configuration " +
            "file of the data plane before its next start\n", ok("raid rename vol0 vol1"));
        assertTrue(ok("raid show vol1").startsWith("vol1  RAID 1, "), ok("raid show vol1"));
        final String renamed = ok("raid rename vol1 vol3 --json");
        assertEquals(ok("raid show vol3 --json"), renamed);
        assertTrue(renamed.contains("\"name\": \"vol3\""), renamed);
        assertTrue(ok("raid rename vol3 vol1 --output yaml").contains("name: vol1\n"));
        final String namespaces = ok("namespace list --output yaml");
        assertTrue(namespaces.contains(uuid), namespaces);
        assertTrue(namespaces.contains("device: vol1"), namespaces);
        refused(ExitCode.FAILURE, "raid show vol0",
            "raid show: device vol0: does not exist; existing devices: d0, d1, d2, vol1");
        refused(ExitCode.FAILURE, "raid rename vol1 d2",
            "raid rename: device d2: already exists; choose another name for array vol1");
        refused(ExitCode.FAILURE, "raid rename d2 d3", "raid rename: device d2: is not an array, and only arrays " +
            "can be renamed; create it by the other name");
        refused(ExitCode.FAILURE, "raid rename vol1 -", "raid rename: device name '-': is not a name of 1 to 64 " +
            "letters, digits, '.', '_' or '-', a letter or digit first; choose another");
        ok("device set vol1 sync-rate-min=64KiB sync-rate-max=64KiB");
        ok("raid replace vol1 d1 d2");
        refused(ExitCode.FAILURE, "raid rename vol1 vol2",
            "raid rename: array vol1 has a member that is being replaced: rename it when that has ended");
        ok("namespace remove " + nqn + " 1");
        ok("device create x --base vol1 --type fault");
        refused(ExitCode.FAILURE, "raid rename vol1 vol2",
            "raid rename: device vol1: is used by device x, which names it; remove that first");
        assertTrue(ok("raid list").contains("vol1"), ok("raid list"));
    }

    @Test
    void shouldStopAScrub()
    {
        files("d0", "d1");
        ok("device create vol0 --type raid --level 1 --members d0,d1 --assume-clean --sync-rate-min 64KiB " +
            "--sync-rate-max 64KiB");
        ok("raid scrub vol0");
        await("raid list", "scrub");
        refused(ExitCode.FAILURE, "raid scrub vol0 --repair",
            "raid scrub: a scrub of array vol0 is running: wait for its end, or stop it");
        assertEquals("scrub of array vol0 stops\n", ok("raid scrub vol0 --stop"));
        await("raid show vol0", "check stopped");
        refused(ExitCode.FAILURE, "raid scrub vol0 --stop", "raid scrub: no scrub of array vol0 is running");
        refused(ExitCode.USAGE, "raid scrub vol0 --stop --wait",
            "raid scrub: --stop: goes with neither --repair nor --wait; leave them out");
    }

    @Test
    void shouldFailAMemberAndRebuildOntoTheSpare()
    {
        files("d0", "d1", "d2", "d3");
        ok("raid create vol0 d0 d1 d2 --level 5 --spare d3 --assume-clean");
        refused(ExitCode.USAGE, "raid fail vol0 d1", "raid fail: member d1 of array vol0 would be taken out of " +
            "service, and is rebuilt when it comes back: add --yes to confirm");
        assertEquals("member d1 of array vol0 is taken out of service\n" + unstored(
            "the next start uses d1 again, so name another device instead of it for"),
            ok("raid fail vol0 d1 --yes"));
        final String shown = await("raid show vol0", "   1  d3      in-sync");
        assertTrue(shown.contains("\n   -  d1      failed"), shown);
        refused(ExitCode.FAILURE, "raid fail vol0 d1 --yes",
            "raid fail: device d1 is no member of array vol0 that is in use");
        ok("raid fail vol0 d0 --yes");
        await("raid list", "2/3");
        refused(ExitCode.FAILURE, "raid fail vol0 d2 --yes",
            "raid fail: array vol0 would lose data without d2: rebuild what failed before first");
        assertTrue(ok("raid show vol0").contains("vol0  RAID 5, 13.9MiB, degraded\n"), ok("raid show vol0"));
        assertEquals("scrub of array vol0 waits for another operation of the array, or until all slots are in sync\n",
            ok("raid scrub vol0"));
    }

    @Test
    void shouldSayHowASpareReplacesAMember()
    {
        files("d0", "d1", "d2", "d3", "d4");
        ok("raid create vol0 d0 d1 d2 --level 5 --spare d3 --assume-clean");
        refused(ExitCode.FAILURE, "raid replace vol0 d0 d3",
            "raid replace: device vol0: device d3 is a spare, and d0 in slot 0 has not failed: " +
                "remove d3 from the spares first, then replace d0 by it");
        assertTrue(ok("device list vol0").contains("members=d0 d1 d2 spares=d3"), ok("device list vol0"));
        assertEquals("device d3 is removed from array vol0\n" + unstored("set spares: []"),
            ok("raid remove vol0 d3"));
        assertEquals("device d3 replaces d0 in array vol0\n" + unstored("set members: [d3, d1, d2]"),
            ok("raid replace vol0 d0 d3"));
        await("raid show vol0", "   0  d3      in-sync");
        assertEquals("device d4 is a spare of array vol0\n" + unstored("set spares: [d4]"), ok("raid add vol0 d4"));
        ok("raid fail vol0 d1 --yes");
        await("raid show vol0", "   1  d4      in-sync");
        refused(ExitCode.FAILURE, "raid replace vol0 d4 d0",
            "raid replace: device d4 is named in the spares of array vol0: when it has taken the slot of a member " +
                "that failed, 'millrace raid replace vol0 FAILED d4' names it in the members (d3, d1, d2) first");
        ok("raid replace vol0 d1 d4");
        assertTrue(ok("device list vol0").contains("members=d3 d4 d2\n"), ok("device list vol0"));
        assertEquals("device vol0: spares is d0 now\n" + unstored("change spares"), ok("device set vol0 spares=d0"));
        assertEquals("device vol0: sync-rate-max is 1GiB now\n", ok("device set vol0 sync-rate-max=1GiB"));
    }

    @Test
    void shouldGrowAnArray()
    {
        files("d0", "d1", "d2", "d3", "d5");
        ok("device create small --path " + path("small") + " --size 4MiB");
        ok("raid create vol0 d0 d1 d2 --level 5 --spare d5 --assume-clean");
        assertTrue(ok("raid show vol0").contains("vol0  RAID 5, 13.9MiB, online\n"), ok("raid show vol0"));
        refused(ExitCode.FAILURE, "raid grow vol0 --add d1", "raid grow: device d1 is a member of array vol0 already");
        refused(ExitCode.FAILURE, "raid grow vol0 --add d5", "raid grow: device d5 is a spare of array vol0: " +
            "'millrace raid remove vol0 d5' first");
        refused(ExitCode.FAILURE, "raid grow vol0 --add small", "raid grow: device vol0: device small has room for " +
            "3080192 bytes of data, and members of the array have 7274496: use a larger device");
        assertEquals("device d3 becomes a member of array vol0\n" + unstored("set members: [d0, d1, d2, d3]"),
            ok("raid grow vol0 --add d3"));
        final String shown = await("raid show vol0", "vol0  RAID 5, 20.8MiB, online\n");
        assertTrue(shown.contains("\n   3  d3      in-sync"), shown);
        assertTrue(ok("device list vol0").contains("21312KiB"), ok("device list vol0"));
        ok("raid fail vol0 d3 --yes");
        await("raid show vol0", "   3  d5      in-sync");
        ok("device create small2 --path " + path("small2") + " --size 4MiB");
        ok("raid create mirror small small2 --level 1 --assume-clean");
        ok("device create small3 --path " + path("small3") + " --size 4MiB");
        ok("raid grow mirror --add small3");
        await("raid show mirror", "   2  small3  in-sync");
        assertTrue(ok("raid show mirror").contains("mirror  RAID 1, 2.9MiB, online\n"), ok("raid show mirror"));
        files("e0", "e1", "e2", "e3");
        ok("raid create stripes e0 e1 --level 0");
        refused(ExitCode.FAILURE, "raid grow stripes --add e2", "raid grow: device stripes: array stripes is RAID 0, " +
            "which does not grow: a member that fails while data moves would take all of it; create a larger array " +
            "and copy the data");
        ok("raid create pairs e2 e3 --level 10 --assume-clean");
        files("e4");
        refused(ExitCode.FAILURE, "raid grow pairs --add e4", "raid grow: device pairs: array pairs is RAID 10, " +
            "which does not grow: with one member more each copy would have another place, and nothing of them " +
            "could be computed meanwhile; create a larger array and copy the data");
    }

    @Test
    void shouldFailAJournalDevice()
    {
        files("d0", "d1", "d2", "fast");
        ok("raid create vol0 d0 d1 d2 --level 5 --assume-clean --journal always --journal-device fast");
        refused(ExitCode.USAGE, "raid fail vol0 fast", "raid fail: journal device fast of array vol0 would be taken " +
            "out of service, and members have the journal then: add --yes to confirm");
        assertTrue(ok("raid fail vol0 fast --yes").startsWith(
            "journal device fast of array vol0 is taken out of service\n"));
        assertTrue(ok("raid show vol0").contains("\njournal device  fast, failed\n"), ok("raid show vol0"));
    }

    @Test
    void shouldChangeTheLevelOfAnArray()
    {
        files("d0", "d1", "d2", "d3", "d4");
        ok("raid create vol0 d0 d1 d2 --level 5 --assume-clean");
        refused(ExitCode.USAGE, "raid level vol0 10",
            "raid level: LEVEL = 10: only level 5 becomes 6, and back; give one of these");
        refused(ExitCode.USAGE, "raid level vol0 6",
            "raid level: level 6 has one member more: give it with --add DEVICE; or move Q of a RAID 6 with --q-last");
        refused(ExitCode.USAGE, "raid level vol0 6 --add d3 --q-last",
            "raid level: --add is of a RAID 5, and --q-last of a RAID 6: give one of the two");
        refused(ExitCode.USAGE, "raid level vol0 5 --add d3", "raid level: --add: goes with level 6; leave it out");
        refused(ExitCode.USAGE, "raid level vol0 5 --q-last", "raid level: --q-last: goes with level 6; leave it out");
        refused(ExitCode.FAILURE, "raid level vol0 6 --q-last", "raid level: array vol0 is RAID 5, and has no Q: " +
            "only that of RAID 6 is moved to the last member");
        refused(ExitCode.FAILURE, "raid level vol0 5 --yes", "raid level: array vol0 is of level 5 already");
        refused(ExitCode.FAILURE, "device set vol0 level=1", "device set: device vol0: array vol0 is RAID 5, and " +
            "cannot become RAID 1: only RAID 5 becomes RAID 6, and back; create another array and copy the data");
        assertEquals("device d3 gets Q of array vol0\n" + unstored("set level: 6 and members: [d0, d1, d2, d3]"),
            ok("raid level vol0 6 --add d3"));
        final String shown = await("raid show vol0", "vol0  RAID 6, 13.9MiB, online\n");
        assertTrue(shown.contains("\n   3  d3      in-sync"), shown);
        assertTrue(shown.contains(", Q in slot 3, UUID "), shown);
        assertTrue(ok("raid show vol0 --json").contains("\"q-slot\": 3"), ok("raid show vol0 --json"));
        refused(ExitCode.FAILURE, "raid level vol0 6 --add d4", "raid level: array vol0 is of level 6 already");
        // Settings that are older than the array.
        ok("device delete vol0 --yes");
        ok("device create vol0 --type raid --level 5 --members d0,d1,d2");
        refused(ExitCode.FAILURE, "raid level vol0 5 --yes", "raid level: array vol0 is RAID 6, and level is 5 in " +
            "its settings, which are older: add the device of its last slot with 'millrace raid level vol0 6 --add " +
            "DEVICE' first");
        ok("raid level vol0 6 --add d3");
        refused(ExitCode.FAILURE, "raid level vol0 6 --add d4", "raid level: array vol0 is of level 6 already");
        ok("device delete vol0 --yes");
        ok("device create vol0 --type raid --level 6 --members d0,d1,d2,d3");
        await("raid show vol0", "vol0  RAID 6, 13.9MiB, online\n");
        refused(ExitCode.FAILURE, "device set vol0 level=5", "device set: device vol0: array vol0 gets one member " +
            "less as RAID 5, that of slot 3, which has Q: leave d3 out of members, and change nothing else");
        refused(ExitCode.USAGE, "raid level vol0 5", "raid level: array vol0 would tolerate the failure of one " +
            "member instead of two, and device d3 would leave it and be erased: add --yes to confirm");
        assertEquals("device d3 has left array vol0, which is RAID 5\n" +
            unstored("set level: 5 and members: [d0, d1, d2]"), ok("raid level vol0 5 --yes"));
        assertTrue(ok("raid show vol0").contains("vol0  RAID 5, 13.9MiB, online\n"), ok("raid show vol0"));
        ok("raid create vol1 d3 d4 --level 1 --assume-clean");
    }

    @Test
    void shouldMakeAnArrayRaid5ThatWasCreatedAsRaid6()
    {
        files("d0", "d1", "d2", "d3");
        ok("raid create vol0 d0 d1 d2 d3 --level 6 --assume-clean");
        assertFalse(ok("raid show vol0").contains("Q in slot"), ok("raid show vol0"));
        assertTrue(ok("raid show vol0 --json").contains("\"q-slot\": null"), ok("raid show vol0 --json"));
        refused(ExitCode.FAILURE, "raid level vol0 5 --yes", "raid level: array vol0 has Q on all members in turn: " +
            "'millrace raid level vol0 6 --q-last' moves it to the last one; change the level when that has ended");
        refused(ExitCode.FAILURE, "device set vol0 level=5", "device set: device vol0: array vol0 is RAID 6 with Q " +
            "on all members in turn: reshape it so that Q is on the last one (millrace raid level vol0 6 --q-last), " +
            "and change its level when that has ended");
        assertEquals("array vol0 is reshaped: Q moves to its last member\n", ok("raid level vol0 6 --q-last"));
        final String shown = await("raid show vol0", ", Q in slot 3, UUID ");
        assertTrue(shown.contains("vol0  RAID 6, 13.9MiB, online\n"), shown);
        refused(ExitCode.FAILURE, "raid level vol0 6 --q-last",
            "raid level: array vol0 is RAID 6, and has Q on its last member already");
        assertEquals("device d3 has left array vol0, which is RAID 5\n" +
            unstored("set level: 5 and members: [d0, d1, d2]"), ok("raid level vol0 5 --yes"));
        assertTrue(ok("raid show vol0").contains("vol0  RAID 5, 13.9MiB, online\n"), ok("raid show vol0"));
    }

    @Test
    void shouldGrowAnArrayWithItsMembers()
    {
        files("d0", "d1");
        ok("raid create vol0 d0 d1 --level 1 --assume-clean");
        refused(ExitCode.FAILURE, "raid grow vol0 --size max", "raid grow: array vol0 uses 7274496 bytes of each " +
            "member already, and d0 has room for no more: replace it by a larger device, or make it larger");
        refused(ExitCode.USAGE, "raid grow vol0", "raid grow: give either --add DEVICE or --size SIZE");
        refused(ExitCode.USAGE, "raid grow vol0 --add d2 --size max",
            "raid grow: give either --add DEVICE or --size SIZE");
        refused(ExitCode.USAGE, "raid grow vol0 --size large",
            "raid grow: SIZE = large: 'large' is no size: write a number and a unit, such as 4KiB, or max");
        ok("device resize d0 16MiB");
        assertTrue(!ok("raid show vol0").contains("room"), ok("raid show vol0"));
        ok("device resize d1 16MiB");
        assertTrue(ok("raid show vol0").contains(
            "\n  members have room for 14.9MiB each: millrace raid grow vol0 --size max\n"), ok("raid show vol0"));
        assertTrue(ok("raid show vol0 --json").contains("\"room-bytes\": 15663104"), ok("raid show vol0 --json"));
        assertEquals("array vol0 grows with its members\n", ok("raid grow vol0 --size 8MiB"));
        await("raid show vol0", "vol0  RAID 1, 8MiB, online\n");
        ok("raid grow vol0 --size max");
        final String shown = await("raid show vol0", "vol0  RAID 1, 14.9MiB, online\n");
        assertTrue(shown.contains("\n  2 slots of 14.9MiB, "), shown);
        assertTrue(!shown.contains("room"), shown);
        ok("device resize d0 24MiB");
        ok("device resize d1 24MiB");
        assertTrue(ok("raid show vol0").contains("room for 22.9MiB"), ok("raid show vol0"));
        ok("raid fail vol0 d1 --yes");
        assertTrue(!ok("raid show vol0").contains("room"), ok("raid show vol0"));
    }

    @Test
    void shouldSayWhatIsNoArray()
    {
        files("d0", "d1");
        ok("raid create vol0 d0 d1 --level 1 --assume-clean");
        ok("device create mem0 --size 1MiB");
        refused(ExitCode.FAILURE, "raid show mem0", "raid show: device mem0: is no array; arrays: vol0");
        refused(ExitCode.FAILURE, "raid scrub mem0", "raid scrub: device mem0: is no array; arrays: vol0");
        refused(ExitCode.FAILURE, "raid add mem0 d0",
            "raid add: device mem0 is no array, but of type memory: 'millrace raid list' lists arrays");
        refused(ExitCode.FAILURE, "raid add vol0 d1", "raid add: device d1 belongs to array vol0 already");
        refused(ExitCode.FAILURE, "raid remove vol0 mem0",
            "raid remove: device mem0 does not belong to array vol0: its spares are none");
        refused(ExitCode.FAILURE, "raid replace vol0 mem0 d1",
            "raid replace: device mem0 is no member of array vol0: its members are d0, d1");
    }

    @Test
    void shouldEraseADeviceThatNothingUses()
    {
        files("d0", "d1", "d2");
        ok("raid create vol0 d0 d1 --level 1 --assume-clean");
        refused(ExitCode.FAILURE, "raid erase d0 --yes",
            "raid erase: device d0: is used by device vol0; remove it from that first");
        refused(ExitCode.FAILURE, "raid erase vol0 --yes", "raid erase: device vol0 is an array or made of one: " +
            "name a device that was a member of an array");
        assertEquals("device d2 holds no superblock and no known signature: nothing was done\n",
            ok("raid erase d2"));
        ok("device delete vol0");
        final CommandRun asked = run("raid erase d1");
        assertEquals(ExitCode.USAGE, asked.exitCode());
        assertTrue(asked.err().matches("millrace raid erase: device d1 holds the member of slot 1 of array vol0 " +
            "\\(RAID 1, UUID [0-9a-f-]{36}, member [0-9a-f-]{36}\\): its first 1 MiB and its last 128 KiB would be " +
            "erased: add --yes to confirm\n"), asked.err());
        final CommandRun other = run("raid create other d1 d2 --level 1");
        assertEquals(ExitCode.FAILURE, other.exitCode());
        assertTrue(ok("raid erase d1 --yes").startsWith("device d1 is erased; it held the member of slot 1 of array " +
            "vol0 (RAID 1, "));
        assertEquals("device d1 holds no superblock and no known signature: nothing was done\n",
            ok("raid erase d1 --yes"));
        assertEquals("array other created\n", ok("raid create other d1 d2 --level 1 --assume-clean"));
    }

    @Test
    void shouldSayThatALargerMemberIsNotUsedCompletely()
    {
        files("d0", "d1");
        ok("device create large --path " + path("large") + " --size 16MiB");
        final String note = " bytes of each member, and the rest of larger ones is not used: large has 16777216\n";
        final CommandRun created = run("raid create vol0 d0 large --level 1 --assume-clean");
        assertEquals(ExitCode.OK, created.exitCode());
        assertEquals("note: array vol0 uses 7274496" + note, created.errors());
        ok("device delete vol0");
        ok("raid erase d0 --yes");
        ok("raid erase large --yes");
        ok("raid create vol0 d0 d1 --level 1 --assume-clean");
        final CommandRun added = run("raid add vol0 large");
        assertEquals("note: array vol0 uses 7274496" + note, added.err());
        ok("device set vol0 sync-rate-min=1MiB");
    }

    @Test
    void shouldPrintAScrubAsJsonAndSayThatNothingWasCompared()
    {
        files("d0", "d1");
        ok("raid create vol0 d0 d1 --level 1 --assume-clean");
        refused(ExitCode.USAGE, "raid scrub vol0 --json", "raid scrub: --output and --json: go with --wait; add it");
        final String json = ok("raid scrub vol0 --wait --json");
        assertTrue(json.startsWith("{") && json.contains("\"completed\""), json);
        ok("raid fail vol0 d1 --yes");
        final String before = ok("raid show vol0");
        final CommandRun run = run("raid scrub vol0 --wait");
        assertEquals("scrub of array vol0 begins\n" +
            "scrub of array vol0 compared nothing: no block of the array has another copy now\n", run.out());
        assertEquals(ExitCode.FAILURE, run.exitCode());
        final String shown = ok("raid show vol0");
        assertTrue(shown.contains("last scrub  check compared nothing, as no block has another copy; ended "), shown);
        final String completed = "completed ";
        final String time = before.substring(before.indexOf(completed) + completed.length()).substring(0, 19);
        assertTrue(shown.contains("last complete scrub  " + time), () -> before + shown);
    }

    @Test
    void shouldListSharedSparesAndSayWhichArrayHasThem()
    {
        files("d0", "d1", "s0", "s1", "d2");
        ok("raid create vol0 d0 d1 --level 1 --assume-clean");
        assertTrue(ok("raid spares").endsWith("\nno shared spares\n"));
        ok("device set s0 shared-spare=true");
        ok("device create s2 --path " + path("s2") + " --size 16MiB --shared-spare");
        assertEquals("""
            NAME  TYPE   SIZE  BLOCK  STATE  ARRAY  SLOT  HEALTH
            s0    file   8MiB   4096  free   -         -  online
            s2    file  16MiB   4096  free   -         -  online
            """, ok("raid spares"));
        refused(ExitCode.FAILURE, "raid add vol0 s0", "raid add: device s0: is a shared spare; set its " +
            "shared-spare to false first, or use another");
        ok("raid fail vol0 d1 --yes");
        await("raid spares", "s0    file   8MiB   4096  taken  vol0      1  online");
        await("raid show vol0", "   1  s0 (shared spare)  in-sync  ");
        final String json = ok("raid spares --json");
        assertTrue(json.contains("\"array\": \"vol0\"") && json.contains("\"slot\": 1") &&
            json.contains("\"state\": \"taken\""), json);
        assertTrue(ok("device list").contains("shared-spare=true"));
        refused(ExitCode.FAILURE, "device set d0 shared-spare=true", "device set: device d0: is used by device vol0, " +
            "and a shared spare has no other use; remove that first, or use another device");
        // It stays with the array, and gets a name in its settings.
        ok("device set s0 shared-spare=");
        assertEquals("device s0 replaces d1 in array vol0\n", ok("raid replace vol0 d1 s0").lines().findFirst()
            .orElseThrow() + "\n");
        assertTrue(ok("raid show vol0").contains("   1  s0      in-sync"));
        ok("device delete vol0");
        assertTrue(run("device set s0 shared-spare=true").err().startsWith(
            "millrace device set: shared-spare is refused: device s0 holds the member of slot 1 of array vol0 "));
    }
}
