package io.millrace.block.raid;

import io.millrace.block.raid.layout.RaidLevel;

class Raid5Test extends RaidContract
{
    Raid5Test()
    {
        super(RaidLevel.RAID5, 5, 16384, 512);
    }
}
