package io.millrace.block.raid;

import io.millrace.block.raid.layout.RaidLevel;

class HedgedRaid1Test extends HedgedContract
{
    HedgedRaid1Test()
    {
        super(RaidLevel.RAID1, 3);
    }
}
