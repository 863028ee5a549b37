package io.millrace.block.raid;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.millrace.block.BlockDevice;
import io.millrace.block.BlockOperation;
import io.millrace.block.BlockStatus;
import io.millrace.block.Initiator;
import io.millrace.block.memory.MemoryDevice;
import io.millrace.block.raid.format.Superblock;
import io.millrace.block.raid.layout.RaidLevel;
import io.millrace.memory.DmaMemory;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** What superblocks say when the own work of an array with a journal device ends. */
class StopWhileWritingTest
{
    private static final int BLOCK = 4096;
    private static final int MEMBER_BYTES = 1 << 20;
    private static final int MEMBERS = 3;

    private final RaidFixture fixture = new RaidFixture();
    private final DmaMemory memory = DmaMemory.map(BLOCK);
    private final List<HeldMember> devices = new ArrayList<>();
    private final RaidDevice array;
    private final Initiator host;

    StopWhileWritingTest()
    {
        for (int i = 0; i <= MEMBERS; i++)
        {
            devices.add(new HeldMember(MemoryDevice.create(
                "m" + i, RaidFixture.deviceBytes(i < MEMBERS ? MEMBER_BYTES : 2 * MEMBER_BYTES), BLOCK)));
            fixture.own(devices.get(i));
        }
        array = fixture.assemble(new RaidConfig("array", RaidLevel.RAID5, 16 << 10, List.of("m0", "m1", "m2"),
            List.of(), true, false, false, CopyRates.DEFAULT, JournalMode.ALWAYS, "m3", false),
            List.<BlockDevice>copyOf(devices));
        host = new Initiator("host", array);
    }

    @AfterEach
    void close()
    {
        devices.forEach(HeldMember::letGo);
        host.close();
        array.close();
        fixture.close();
        memory.close();
    }

    private Superblock superblock()
    {
        try (MemberIo io = new MemberIo(null))
        {
            return FoundMember.read(io, devices.getFirst()).superblock();
        }
    }

    private Initiator.Io write()
    {
        final Initiator.Io io = host.io();
        Initiator.fill(io.request(), BlockOperation.WRITE, 0, 1, false, memory.address(), BLOCK);
        host.send(io);
        return io;
    }

    @Test
    void shouldNeedTheJournalDeviceWhenAWriteIsInProgress()
    {
        devices.subList(0, MEMBERS).forEach((each) -> each.hold((operation, block) ->
            BlockOperation.WRITE == operation && 0 == block));
        final Initiator.Io io = write();
        ArrayFixture.await(() -> devices.stream().mapToInt(HeldMember::held).sum() > 0, "logged");
        fixture.stop();
        final Superblock last = superblock();
        assertFalse(last.clean());
        assertNotNull(last.journal().device());
        assertTrue(last.journal().epoch() > 0);
        devices.forEach(HeldMember::letGo);
        assertEquals(BlockStatus.SUCCESS, host.await(io));
    }

    @Test
    void shouldNotNeedTheJournalDeviceOtherwise()
    {
        assertEquals(BlockStatus.SUCCESS, host.await(write()));
        fixture.stop();
        assertTrue(superblock().clean());
        assertNull(superblock().journal().device());
    }
}
