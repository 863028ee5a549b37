package io.millrace.block.raid;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.millrace.block.BlockDevice;
import io.millrace.block.DeviceProgress;
import io.millrace.block.raid.format.SlotState;
import io.millrace.block.raid.layout.RaidLevel;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** What an array shows of a copy that takes long, or does not go on. */
class CopyProgressTest
{
    private static final int BLOCK = 4096;
    private static final int STRIP = 16 << 10;
    private static final int MEMBER_BYTES = 2 << 20;

    private final RaidFixture fixture = new RaidFixture();
    private RaidDevice array;

    @AfterEach
    void close()
    {
        fixture.stop();
        array.close();
        fixture.close();
    }

    private void assemble(final RaidLevel level, final int memberCount, final int spareCount, final boolean isClean)
    {
        final List<BlockDevice> devices = fixture.memoryMembers(memberCount + spareCount, MEMBER_BYTES, BLOCK);
        final List<String> names = devices.stream().map(BlockDevice::name).toList();
        array = fixture.assemble(new RaidConfig("array", level, STRIP, names.subList(0, memberCount),
            names.subList(memberCount, names.size()), isClean, false, false, new CopyRates(1 << 20, 1 << 20)),
            devices);
    }

    private String operation()
    {
        final DeviceProgress progress = array.status().progress();
        return null == progress ? "none" : progress.operation();
    }

    @Test
    void shouldShowARebuildFromItsBeginningToTheFailureOfItsMember()
    {
        assemble(RaidLevel.RAID1, 2, 1, true);
        // The first copies do not end.
        assertTrue(array.locks().tryExclusiveOnce(0, STRIP));
        RaidFixture.get(array.fail("m0"));
        ArrayFixture.await(() -> "rebuild".equals(operation()), "shown");
        assertEquals(0, array.status().progress().perMille());
        assertEquals(SlotState.REBUILDING, array.view().state(0));
        RaidFixture.get(array.fail("m2"));
        array.locks().releaseExclusive(0, STRIP);
        ArrayFixture.await(() -> "none".equals(operation()), "shown no longer");
    }

    /** Parity cannot be computed without all data. */
    @Test
    void shouldNotShowAResyncThatDoesNotGoOn()
    {
        assemble(RaidLevel.RAID5, 3, 0, false);
        ArrayFixture.await(() -> "resync".equals(operation()), "shown");
        array.onMemberFailed(array.view().member(1), "failed");
        ArrayFixture.await(() -> SlotState.FAILED == array.view().state(1), "failed");
        ArrayFixture.await(() -> "none".equals(operation()), "shown no longer");
    }
}
