package io.millrace.dataplane;

import static io.millrace.dataplane.SharedSparesFixture.FILE_BYTES;
import static io.millrace.dataplane.SharedSparesFixture.array;
import static io.millrace.dataplane.SharedSparesFixture.mirror;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.millrace.block.BlockStatus;
import io.millrace.block.DeviceHealth;
import io.millrace.block.fault.FaultPlan;
import io.millrace.block.fault.FaultRule;
import io.millrace.block.raid.RaidMemberDetails;
import io.millrace.dataplane.config.DeviceConfig;
import io.millrace.dataplane.config.SettingException;
import io.millrace.dataplane.config.SubsystemSettings;
import io.millrace.nvmf.initiator.Waits;
import io.millrace.seed.TestSeeds;
import java.io.IOException;
import java.io.RandomAccessFile;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.concurrent.CountDownLatch;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Spares that several arrays of a data plane share. */
class SharedSparesTest
{
    private static final int ROUNDS = 4;

    @TempDir
    private Path directory;
    private final Random random = TestSeeds.random();
    private SharedSparesFixture fixture;

    @BeforeEach
    void setUp()
    {
        fixture = new SharedSparesFixture(directory);
    }

    @AfterEach
    void tearDown()
    {
        fixture.close();
    }

    private static String refusal(final Runnable action)
    {
        return assertThrows(OperationException.class, action::run).getMessage();
    }

    private static void addNamespace(final DataPlane dataPlane, final String device)
    {
        dataPlane.namespaces().add(
            SharedSparesFixture.NQN, new SubsystemSettings.NamespaceSettings(2, device, null));
    }

    @Test
    void shouldGiveASpareToTheArrayWhoseMemberFailedAndLeaveItThere()
    {
        try (DataPlane dataPlane = fixture.start(fixture.mirrors(fixture.spare("s0"))))
        {
            assertEquals(0, fixture.device("s0").users());
            fixture.fail("volA", "a1");
            fixture.awaitSlot("volA", "s0");
            fixture.awaitOnline("volA");
            assertEquals("device volA", fixture.device("s0").user());
            assertTrue(fixture.notes.contains("array volA: shared spare s0 takes the slot of a member that is missing"),
                fixture.notes::toString);
            fixture.fail("volB", "b0");
            assertEquals(DeviceHealth.DEGRADED, fixture.device("volB").health());
            dataPlane.devices().create(fixture.spare("s1"));
            fixture.awaitSlot("volB", "s1");
            fixture.awaitOnline("volB");
            assertTrue(fixture.hasSlot("volA", "s0"));
            assertEquals(List.of(), fixture.errors.stream().filter((each) -> !each.contains("DEGRADED")).toList());
        }
    }

    @Test
    void shouldUseTheSpareOfTheArrayFirst()
    {
        final List<DeviceConfig> devices = new ArrayList<>(List.of(fixture.file("a0"), fixture.file("a1"),
            fixture.file("own"), fixture.spare("s0"), array("volA", "1", List.of("a0", "a1"), List.of("own"))));
        fixture.start(devices);
        fixture.fail("volA", "a0");
        fixture.awaitSlot("volA", "own");
        fixture.awaitOnline("volA");
        assertNull(fixture.device("s0").user());
        fixture.fail("volA", "a1");
        fixture.awaitSlot("volA", "s0");
    }

    /** What is chosen is what a model chooses, whatever the sizes are. */
    @Test
    void shouldChooseTheSmallestThatFits()
    {
        for (int round = 0; round < ROUNDS; round++)
        {
            final String prefix = "r" + round;
            final List<DeviceConfig> devices = new ArrayList<>(List.of(fixture.file(prefix + "m0"),
                fixture.file(prefix + "m1"), mirror("vol", prefix + "m0", prefix + "m1")));
            final List<Long> sizes =
                random.ints(5, -3, 4).mapToObj((each) -> FILE_BYTES + each * (256L << 10)).toList();
            for (int i = 0; i < sizes.size(); i++)
            {
                devices.add(random.nextInt(devices.size()), fixture.spare(prefix + "s" + i, sizes.get(i)));
            }
            final List<DeviceConfig> spares =
                devices.stream().filter((each) -> each.name().startsWith(prefix + "s")).toList();
            final DeviceConfig expected = spares.stream().filter((each) -> size(each, sizes) >= FILE_BYTES)
                .min(Comparator.comparingLong((each) -> size(each, sizes)))
                .orElseGet(() -> fixture.spare(prefix + "late", 2 * FILE_BYTES));
            final DataPlane dataPlane = fixture.start(devices);
            fixture.fail("vol", prefix + "m0");
            if (!spares.contains(expected))
            {
                dataPlane.devices().create(expected);
            }
            fixture.awaitSlot("vol", expected.name());
            spares.stream().filter((each) -> each != expected)
                .forEach((each) -> assertNull(fixture.device(each.name()).user(), () -> each.name() + " of " + sizes));
            fixture.stop();
        }
    }

    private static long size(final DeviceConfig spare, final List<Long> sizes)
    {
        return sizes.get(spare.name().charAt(spare.name().length() - 1) - '0');
    }

    @Test
    void shouldNotChooseADeviceOfOtherBlocks()
    {
        final List<DeviceConfig> devices = fixture.mirrors();
        final DeviceConfig small = DeviceConfig.memory("small", FILE_BYTES, 512);
        devices.addFirst(small.with(small.properties().with("shared-spare", true)));
        try (DataPlane dataPlane = fixture.start(devices))
        {
            fixture.fail("volA", "a0");
            dataPlane.devices().create(fixture.spare("s0", 2 * FILE_BYTES));
            fixture.awaitSlot("volA", "s0");
            assertNull(fixture.device("small").user());
        }
    }

    /** As many arrays fail at once as draws say, and there are fewer spares than arrays. */
    @Test
    void shouldGiveEachSpareToOneArrayWhenMembersFailAtTheSameMoment()
    {
        for (int round = 0; round < ROUNDS; round++)
        {
            final int arrays = 2 + random.nextInt(3);
            final int spares = 1 + random.nextInt(arrays - 1);
            final List<DeviceConfig> devices = new ArrayList<>();
            final String prefix = "r" + round;
            for (int i = 0; i < arrays; i++)
            {
                devices.add(fixture.file(prefix + "m" + i + "a"));
                devices.add(fixture.file(prefix + "m" + i + "b"));
            }
            for (int i = 0; i < spares; i++)
            {
                devices.add(fixture.spare(prefix + "s" + i));
            }
            for (int i = 0; i < arrays; i++)
            {
                devices.add(mirror("vol" + i, prefix + "m" + i + "a", prefix + "m" + i + "b"));
            }
            fixture.start(devices);
            final CountDownLatch begin = new CountDownLatch(1);
            final List<Thread> threads = new ArrayList<>();
            for (int i = 0; i < arrays; i++)
            {
                final int which = i;
                threads.add(Thread.ofPlatform().start(() ->
                {
                    await(begin);
                    fixture.fail("vol" + which, prefix + "m" + which + "b");
                }));
            }
            begin.countDown();
            threads.forEach(SharedSparesTest::join);
            Waits.until("all spares in use", () -> devices.stream().filter((each) -> each.name().contains("s"))
                .allMatch((each) -> null != fixture.device(each.name()).user()));
            Waits.until("each in the slot of one array", () -> spares == slots(prefix + "s", arrays));
            final long degraded = IntStream.range(0, arrays)
                .filter((i) -> fixture.hasNoSpare("vol" + i, prefix + "s")).count();
            assertEquals(arrays - spares, degraded);
            fixture.stop();
        }
    }

    private int slots(final String prefix, final int arrays)
    {
        int count = 0;
        for (int i = 0; i < arrays; i++)
        {
            count += fixture.hasNoSpare("vol" + i, prefix) ? 0 : 1;
        }
        return count;
    }

    private static void await(final CountDownLatch latch)
    {
        try
        {
            latch.await();
        }
        catch (final InterruptedException e)
        {
            throw new AssertionError(e);
        }
    }

    private static void join(final Thread thread)
    {
        try
        {
            thread.join();
        }
        catch (final InterruptedException e)
        {
            throw new AssertionError(e);
        }
    }

    @Test
    void shouldServeTheArrayFirstWhoseMemberFailedFirst()
    {
        final boolean isBFirst = random.nextBoolean();
        final List<String> order = isBFirst ? List.of("volB", "volA") : List.of("volA", "volB");
        try (DataPlane dataPlane = fixture.start(fixture.mirrors()))
        {
            order.forEach((each) -> fixture.fail(each, each.endsWith("A") ? "a0" : "b0"));
            dataPlane.devices().create(fixture.spare("s0"));
            fixture.awaitSlot(order.get(0), "s0");
            assertEquals(DeviceHealth.DEGRADED, fixture.device(order.get(1)).health());
            dataPlane.devices().create(fixture.spare("s1"));
            fixture.awaitSlot(order.get(1), "s1");
        }
    }

    @Test
    void shouldRefuseAnotherUse()
    {
        try (DataPlane dataPlane = fixture.start(fixture.mirrors(fixture.spare("s0"), fixture.file("f"))))
        {
            final String used = "device s0: is a shared spare; set its shared-spare to false first, or use another";
            assertEquals(used,
                refusal(() -> addNamespace(dataPlane, "s0")));
            assertEquals(used, refusal(() -> dataPlane.devices().create(mirror("volC", "s0", "f"))));
            assertEquals(used, refusal(() -> fixture.members("volA", "a0", "s0")));
            assertEquals(used, refusal(() -> dataPlane.devices().create(
                DeviceConfig.fault("bad", "s0", FaultPlan.NONE))));
            assertEquals("device a0: is used by device volA, and a shared spare has no other use; remove that first, " +
                "or use another device", refusal(() -> fixture.share("a0", true)));
            addNamespace(dataPlane, "f");
            assertEquals("device f: is used by namespace " + SharedSparesFixture.NQN + "/2, and a shared spare has " +
                "no other use; remove that first, or use another device", refusal(() -> fixture.share("f", true)));
            assertFalse(refusal(() -> fixture.share("volA", true)).isEmpty());
            // Nothing of that has changed anything.
            fixture.fail("volA", "a1");
            fixture.awaitSlot("volA", "s0");
        }
    }

    @Test
    void shouldRefuseADeviceThatHoldsSomething() throws IOException
    {
        final DeviceConfig foreign = fixture.file("f");
        try (RandomAccessFile file = new RandomAccessFile(fixture.path("f").toFile(), "rw"))
        {
            file.write(new byte[]{'L', 'U', 'K', 'S', (byte)0xba, (byte)0xbe, 0, 1});
        }
        final String luks = "device f holds a LUKS encrypted volume, which would be erased: use another, or erase it " +
            "first (docs/raid.md, Erasing a member)";
        try (DataPlane dataPlane = fixture.start(fixture.mirrors()))
        {
            assertEquals("shared-spare is refused: " + luks,
                refusal(() -> dataPlane.devices().create(fixture.spare("f"))));
            dataPlane.devices().create(foreign);
            assertEquals("shared-spare is refused: " + luks, refusal(() -> fixture.share("f", true)));
            dataPlane.devices().delete("volB");
            assertTrue(refusal(() -> fixture.share("b0", true))
                .startsWith("shared-spare is refused: device b0 holds the member of slot 0 of array volB (RAID 1, "));
            assertEquals("shared-spare is refused: device tiny of 1048576 bytes is too small for a member of an " +
                "array: use a larger one", refusal(() -> dataPlane.devices().create(fixture.spare("tiny", 1 << 20))));
        }
        final SettingException refused =
            assertThrows(SettingException.class, () -> fixture.start(fixture.mirrors(fixture.spare("f"))));
        assertTrue(refused.getMessage().contains("devices[4].shared-spare"), refused::getMessage);
        assertTrue(refused.getMessage().contains(luks), refused::getMessage);
    }

    /** Not even when it was clean when it was named. */
    @Test
    void shouldNotEraseWhatWasWrittenOntoASpareSince() throws IOException
    {
        try (DataPlane dataPlane = fixture.start(fixture.mirrors(fixture.spare("s0"))))
        {
            try (RandomAccessFile file = new RandomAccessFile(fixture.path("s0").toFile(), "rw"))
            {
                file.write(new byte[]{'L', 'U', 'K', 'S', (byte)0xba, (byte)0xbe, 0, 1});
            }
            fixture.fail("volA", "a1");
            fixture.awaitError("device s0 is not used as a shared spare: device s0 holds a LUKS encrypted volume");
            assertNull(fixture.device("s0").user());
            assertEquals(DeviceHealth.DEGRADED, fixture.device("s0").health());
            assertTrue(fixture.device("s0").status().reason().contains("LUKS"));
            dataPlane.arrays().erase("s0", dataPlane.arrays().examine("s0"));
            fixture.awaitSlot("volA", "s0");
            assertEquals(DeviceHealth.ONLINE, fixture.device("s0").health());
        }
    }

    /** What nobody knows, too: it could be taken for something else later. */
    @Test
    void shouldEraseTheEndsOfASpareThatIsTaken() throws IOException
    {
        final DeviceConfig spare = fixture.spare("s0");
        final int[] offsets = {40_960, 500_000};
        try (RandomAccessFile file = new RandomAccessFile(fixture.path("s0").toFile(), "rw"))
        {
            for (final int offset : offsets)
            {
                file.seek(offset);
                file.writeInt(0x55AA1234);
            }
        }
        fixture.start(fixture.mirrors(spare));
        fixture.fail("volA", "a1");
        fixture.awaitSlot("volA", "s0");
        fixture.awaitOnline("volA");
        fixture.stop();
        try (RandomAccessFile file = new RandomAccessFile(fixture.path("s0").toFile(), "r"))
        {
            for (final int offset : offsets)
            {
                file.seek(offset);
                assertEquals(0, file.readInt(), () -> "at " + offset);
            }
        }
    }

    @Test
    void shouldFindATakenSpareWhenItIsStartedAgain()
    {
        final List<DeviceConfig> devices = fixture.mirrors(fixture.spare("s0"));
        fixture.start(devices);
        fixture.fail("volA", "a1");
        fixture.awaitSlot("volA", "s0");
        fixture.awaitOnline("volA");
        fixture.stop();
        // Another array is first, and lacks a member.
        final List<DeviceConfig> reordered = new ArrayList<>(devices);
        reordered.add(5, reordered.removeLast());
        fixture.errors.clear();
        final DataPlane dataPlane = fixture.start(reordered);
        assertTrue(fixture.hasSlot("volA", "s0"));
        assertEquals("device volA", fixture.device("s0").user());
        fixture.awaitOnline("volA");
        fixture.fail("volB", "b0");
        assertEquals(DeviceHealth.DEGRADED, fixture.device("volB").health());
        assertTrue(fixture.hasSlot("volA", "s0"));
        // The one that had failed is back, and is a spare of its array, not the one that replaces the shared one.
        assertTrue(fixture.device("volA").members().contains("a1"));
        fixture.awaitOnline("volA");
        assertTrue(fixture.hasSlot("volA", "s0"));
        // It is free again, and erased, when a new drive has the slot.
        dataPlane.devices().create(fixture.file("new"));
        fixture.members("volA", "a0", "new");
        fixture.awaitSlot("volB", "s0");
    }

    @Test
    void shouldGoOnWithARebuildWhenItIsStartedAgain()
    {
        final List<DeviceConfig> devices = new ArrayList<>(List.of(fixture.file("a0"), fixture.file("a1"),
            fixture.spare("s0"), DeviceConfig.of("volA", "raid", Map.of("level", "1", "members", List.of("a0", "a1"),
            "assume-clean", true,
            "sync-rate-min", 64L << 10, "sync-rate-max", 64L << 10))));
        fixture.start(devices);
        fixture.fail("volA", "a1");
        fixture.awaitSlot("volA", "s0");
        fixture.stop();
        try
        {
            Files.delete(fixture.path("a1"));
        }
        catch (final IOException e)
        {
            throw new AssertionError(e);
        }
        final DataPlane dataPlane = fixture.start(devices);
        assertEquals(RaidMemberDetails.State.REBUILDING, dataPlane.arrays().get("volA").members().get(1).state());
        assertEquals("s0", dataPlane.arrays().get("volA").members().get(1).name());
    }

    @Test
    void shouldStartWithoutASpareThatIsMissing()
    {
        final List<DeviceConfig> devices = List.of(fixture.file("m0"), fixture.file("m1"), fixture.file("m2"),
            fixture.spare("s0"), array("vol", "5", List.of("m0", "m1", "m2"), List.of()));
        fixture.start(devices);
        fixture.fail("vol", "m1");
        fixture.awaitSlot("vol", "s0");
        fixture.awaitOnline("vol");
        fixture.stop();
        assertTrue(fixture.path("s0").toFile().delete());
        fixture.start(devices);
        assertTrue(fixture.events.stream().anyMatch((each) ->
            each.text().startsWith("device s0, a shared spare, is missing: path ")), fixture.events::toString);
        fixture.awaitSlot("vol", "m1");
    }

    @Test
    void shouldRefuseAConfigurationThatUsesASpare()
    {
        final List<DeviceConfig> devices = new ArrayList<>(List.of(fixture.file("a0"), fixture.spare("s0")));
        devices.add(mirror("vol", "a0", "s0"));
        assertEquals("devices[2].members = s0: a shared spare, which has no other use; set its shared-spare to " +
            "false, or name another device",
            assertThrows(SettingException.class, () -> fixture.start(devices)).getMessage());
    }

    @Test
    void shouldStandByNoMoreWhenItIsTakenFromTheList()
    {
        try (DataPlane dataPlane = fixture.start(fixture.mirrors(fixture.spare("s0"))))
        {
            fixture.share("s0", false);
            fixture.fail("volA", "a1");
            dataPlane.devices().create(fixture.spare("s1"));
            fixture.awaitSlot("volA", "s1");
            assertNull(fixture.device("s0").user());
            addNamespace(dataPlane, "s0");
        }
    }

    @Test
    void shouldStayWithItsArrayWhenItIsTakenFromTheList()
    {
        final List<DeviceConfig> devices = fixture.mirrors(fixture.spare("s0"));
        fixture.start(devices);
        fixture.fail("volA", "a1");
        fixture.awaitSlot("volA", "s0");
        fixture.awaitOnline("volA");
        fixture.share("s0", false);
        assertTrue(fixture.notes.contains("device s0 is no shared spare any more and stays in device volA, which " +
            "does not name it: name it in members of that before the next start"), fixture.notes::toString);
        assertTrue(fixture.hasSlot("volA", "s0"));
        // It may be put in again, as a rollback does.
        fixture.share("s0", true);
        fixture.share("s0", false);
        fixture.members("volA", "a0", "s0");
        assertNull(fixture.device("a1").user());
        assertTrue(fixture.hasSlot("volA", "s0"));
        fixture.stop();
        devices.set(4, fixture.file("s0"));
        devices.set(5, mirror("volA", "a0", "s0"));
        fixture.start(devices);
        fixture.awaitOnline("volA");
        assertTrue(fixture.hasSlot("volA", "s0"));
        assertEquals(List.of("a0", "s0"), fixture.device("volA").members());
    }

    @Test
    void shouldNotUseWhatADeletedArrayLeftOnIt()
    {
        try (DataPlane dataPlane = fixture.start(fixture.mirrors(fixture.spare("s0"))))
        {
            fixture.fail("volA", "a1");
            fixture.awaitSlot("volA", "s0");
            fixture.awaitOnline("volA");
            dataPlane.devices().delete("volA");
            fixture.awaitError("device s0 is not used as a shared spare: device s0 holds the member of slot 1 of " +
                "array volA (RAID 1, ");
            fixture.fail("volB", "b0");
            dataPlane.devices().create(mirror("volA", "a0", "a1"));
            assertTrue(fixture.hasSlot("volA", "s0"));
            assertEquals(DeviceHealth.ONLINE, fixture.device("s0").health());
            dataPlane.devices().delete("volA");
            dataPlane.arrays().erase("s0", dataPlane.arrays().examine("s0"));
            fixture.awaitSlot("volB", "s0");
        }
    }

    @Test
    void shouldBeASharedSpareAgainWhenItWasReplaced()
    {
        fixture.start(fixture.mirrors(fixture.spare("s0"), fixture.file("new")));
        fixture.fail("volA", "a1");
        fixture.awaitSlot("volA", "s0");
        fixture.awaitOnline("volA");
        fixture.fail("volB", "b0");
        fixture.members("volA", "a0", "new");
        fixture.awaitSlot("volA", "new");
        fixture.awaitSlot("volB", "s0");
        fixture.awaitOnline("volA");
        fixture.awaitOnline("volB");
        assertEquals(List.of("a0", "new"), fixture.device("volA").members());
    }

    @Test
    void shouldUseTheNextOneWhenATakenSpareFails()
    {
        fixture.start(fixture.mirrors(fixture.spare("s0"), fixture.spare("s1", 2 * FILE_BYTES)));
        fixture.fail("volA", "a1");
        fixture.awaitSlot("volA", "s0");
        fixture.awaitOnline("volA");
        fixture.fail("volA", "s0");
        fixture.awaitSlot("volA", "s1");
        assertEquals("device volA", fixture.device("s0").user());
    }

    /** Once, and not again and again. */
    @Test
    void shouldUseTheNextOneWhenASpareCannotBeWritten()
    {
        final DeviceConfig bad = DeviceConfig.fault("s0", "f",
            FaultPlan.of(1, FaultRule.error(BlockStatus.DEVICE_ERROR)));
        final List<DeviceConfig> devices = fixture.mirrors(fixture.file("f"),
            DeviceConfig.fault("s0", "f", FaultPlan.NONE).with(
                FaultPlan.NONE.properties("f").with("shared-spare", true)),
            fixture.spare("s1", 2 * FILE_BYTES));
        try (DataPlane dataPlane = fixture.start(devices))
        {
            Waits.get(dataPlane.devices().modify("s0", bad.properties().with("shared-spare", true)));
            fixture.fail("volA", "a1");
            fixture.awaitSlot("volA", "s1");
            fixture.awaitError("device s0 is not used as a shared spare: ");
            assertEquals(1, fixture.errors.stream().filter((each) -> each.startsWith("device s0 is not ")).count());
            assertNull(fixture.device("s0").user());
            fixture.fail("volB", "b1");
            fixture.awaitError("array volB: is DEGRADED");
            assertEquals(1, fixture.errors.stream().filter((each) -> each.startsWith("device s0 is not ")).count());
            // Repaired, and named again.
            Waits.get(dataPlane.devices().modify("s0", FaultPlan.NONE.properties("f")));
            fixture.share("s0", true);
            fixture.awaitSlot("volB", "s0");
        }
    }

    @Test
    void shouldBeDeletedWhileItStandsBy()
    {
        try (DataPlane dataPlane = fixture.start(fixture.mirrors(fixture.spare("s0"), fixture.spare("s1"))))
        {
            dataPlane.devices().delete("s0");
            fixture.fail("volA", "a1");
            fixture.awaitSlot("volA", "s1");
            assertTrue(refusal(() -> dataPlane.devices().delete("s1")).contains("is used by device volA"));
        }
    }
}
