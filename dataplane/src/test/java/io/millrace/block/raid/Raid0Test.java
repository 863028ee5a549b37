package io.millrace.block.raid;

import io.millrace.block.raid.layout.RaidLevel;

class Raid0Test extends RaidContract
{
    Raid0Test()
    {
        super(RaidLevel.RAID0, 4, 65536, 4096);
    }
}
