package io.millrace.block.raid;

import io.millrace.block.raid.layout.RaidLevel;

/** The contract without as many members as parity makes up for. */
class DegradedRaid6Test extends RaidContract
{
    DegradedRaid6Test()
    {
        super(RaidLevel.RAID6, 6, 16384, 4096, JournalMode.DEGRADED, 2);
    }
}
