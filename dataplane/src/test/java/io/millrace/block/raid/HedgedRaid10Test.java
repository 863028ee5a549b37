package io.millrace.block.raid;

import io.millrace.block.raid.layout.RaidLevel;

class HedgedRaid10Test extends HedgedContract
{
    HedgedRaid10Test()
    {
        super(RaidLevel.RAID10, 4);
    }
}
