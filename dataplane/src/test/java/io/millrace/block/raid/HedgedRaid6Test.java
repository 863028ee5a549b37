package io.millrace.block.raid;

import io.millrace.block.raid.layout.RaidLevel;

class HedgedRaid6Test extends HedgedContract
{
    HedgedRaid6Test()
    {
        super(RaidLevel.RAID6, 6);
    }
}
