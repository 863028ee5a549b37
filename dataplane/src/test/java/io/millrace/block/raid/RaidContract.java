package io.millrace.block.raid;

import io.millrace.block.BlockDevice;
import io.millrace.block.BlockDeviceContractTest;
import io.millrace.block.BlockGeometry;
import io.millrace.block.OpenListener;
import io.millrace.block.OwningDevice;
import io.millrace.block.ReactorContext;
import io.millrace.block.raid.layout.ArrayLayout;
import io.millrace.block.raid.layout.RaidLevel;
import io.millrace.memory.DmaMemory;
import java.util.List;

/** The contract with an array over memory devices. */
abstract class RaidContract extends BlockDeviceContractTest
{
    private final RaidLevel level;
    private final int memberCount;
    private final int stripBytes;
    private final int blockBytes;
    private final JournalMode journal;
    private final int lost;

    RaidContract(final RaidLevel level, final int memberCount, final int stripBytes, final int blockBytes)
    {
        this(level, memberCount, stripBytes, blockBytes, JournalMode.DEGRADED);
    }

    RaidContract(
        final RaidLevel level,
        final int memberCount,
        final int stripBytes,
        final int blockBytes,
        final JournalMode journal)
    {
        this(level, memberCount, stripBytes, blockBytes, journal, 0);
    }

    /** With members that have failed, the first. */
    RaidContract(
        final RaidLevel level,
        final int memberCount,
        final int stripBytes,
        final int blockBytes,
        final JournalMode journal,
        final int lost)
    {
        this.lost = lost;
        this.level = level;
        this.memberCount = memberCount;
        this.stripBytes = stripBytes;
        this.blockBytes = blockBytes;
        this.journal = journal;
    }

    @Override
    protected BlockDevice create(final DmaMemory registered)
    {
        final RaidFixture fixture = new RaidFixture();
        final long perMember = ArrayLayout.of(level, memberCount, stripBytes, SIZE_BYTES).dataBytes() / SIZE_BYTES;
        final List<BlockDevice> members = fixture.memoryMembers(memberCount, SIZE_BYTES / perMember, blockBytes);
        final RaidDevice array = fixture.create(level, stripBytes, members, journal);
        if (lost > 0)
        {
            ArrayFixture.await(() -> array.intent().nextResync(0) < 0, "resynchronized");
        }
        for (int i = 0; i < lost; i++)
        {
            RaidFixture.get(array.fail(members.get(i).name()));
        }
        return new OwningDevice(new StoppedFirst(array, fixture), fixture::close);
    }

    /** An array whose own work ends before it is closed. */
    record StoppedFirst(RaidDevice array, RaidFixture fixture) implements BlockDevice
    {
        @Override
        public String name()
        {
            return array.name();
        }

        @Override
        public BlockGeometry geometry()
        {
            return array.geometry();
        }

        @Override
        public void open(final ReactorContext context, final OpenListener listener)
        {
            array.open(context, listener);
        }

        @Override
        public void close()
        {
            fixture.stop();
            array.close();
        }
    }
}
