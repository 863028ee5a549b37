package io.millrace.block.raid;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.millrace.block.BlockDevice;
import io.millrace.block.BlockOperation;
import io.millrace.block.BlockStatus;
import io.millrace.block.Initiator;
import io.millrace.block.memory.MemoryDevice;
import io.millrace.block.raid.layout.RaidLevel;
import io.millrace.memory.DmaMemory;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** How long the parts are that a rebuild copies while hosts read. */
class RebuildBesideHostsTest
{
    private static final int BLOCK = 4096;
    private static final int STRIP = 512 << 10;
    private static final int MEMBER_BYTES = 32 << 20;
    private static final long RATE = 4 << 20;
    /** Within which the rebuild knows of the host. */
    private static final long NOTICED_NS = 700_000_000;
    private static final long LOOKED_AT_NS = 500_000_000;

    /** Members that end a copy at once reach any rate, however long the pause is before the next copy. */
    @ParameterizedTest
    @EnumSource(names = {"RAID1", "RAID5"})
    void shouldCopyShortPartsWhereMembersAnswerAtOnce(final RaidLevel level)
    {
        try (RaidFixture fixture = new RaidFixture(); DmaMemory memory = DmaMemory.map(BLOCK))
        {
            final List<BlockDevice> members = new ArrayList<>(fixture.memoryMembers(3, MEMBER_BYTES, BLOCK));
            final CountedDevice spare = new CountedDevice(fixture.own(MemoryDevice.create(
                "spare", RaidFixture.deviceBytes(MEMBER_BYTES), BLOCK)), (abilities) -> abilities);
            final List<String> names = members.stream().map(BlockDevice::name).toList();
            members.add(spare);
            final RaidDevice array = fixture.assemble(new RaidConfig("array", level, STRIP, names,
                List.of(spare.name()), true, false, false, new CopyRates(RATE, RATE)), members);
            final Initiator host = new Initiator("host", array);
            RaidFixture.get(array.fail("m0"));
            read(host, memory, NOTICED_NS);
            spare.forget();
            read(host, memory, LOOKED_AT_NS);
            assertTrue(spare.count(BlockOperation.WRITE) > 0, "nothing was copied");
            assertEquals(CopyLength.BYTES_MIN / BLOCK,
                spare.asked().stream().mapToInt(CountedDevice.Asked::blocks).max().orElseThrow());
            host.close();
            fixture.stop();
            array.close();
        }
    }

    private static void read(final Initiator host, final DmaMemory memory, final long durationNs)
    {
        final long startNs = System.nanoTime();
        while (System.nanoTime() - startNs < durationNs)
        {
            assertEquals(
                BlockStatus.SUCCESS, host.run(BlockOperation.READ, 0, 1, false, memory.address(), BLOCK));
        }
    }
}
