package io.millrace.block.raid;

import io.millrace.block.raid.layout.RaidLevel;

class Raid10Test extends RaidContract
{
    Raid10Test()
    {
        super(RaidLevel.RAID10, 4, 32768, 4096);
    }
}
