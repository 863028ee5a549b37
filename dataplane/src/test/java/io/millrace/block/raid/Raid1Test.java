package io.millrace.block.raid;

import io.millrace.block.raid.layout.RaidLevel;

class Raid1Test extends RaidContract
{
    Raid1Test()
    {
        super(RaidLevel.RAID1, 2, 65536, 512);
    }
}
