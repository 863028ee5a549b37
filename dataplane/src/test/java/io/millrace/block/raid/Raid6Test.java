package io.millrace.block.raid;

import io.millrace.block.raid.layout.RaidLevel;

class Raid6Test extends RaidContract
{
    Raid6Test()
    {
        super(RaidLevel.RAID6, 6, 65536, 4096);
    }
}
