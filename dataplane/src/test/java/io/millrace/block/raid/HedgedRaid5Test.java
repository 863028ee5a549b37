package io.millrace.block.raid;

import io.millrace.block.raid.layout.RaidLevel;

class HedgedRaid5Test extends HedgedContract
{
    HedgedRaid5Test()
    {
        super(RaidLevel.RAID5, 5);
    }
}
