package io.millrace.block.raid;

import io.millrace.block.raid.layout.RaidLevel;

class JournaledRaid5Test extends RaidContract
{
    JournaledRaid5Test()
    {
        super(RaidLevel.RAID5, 5, 64 << 10, 512, JournalMode.ALWAYS);
    }
}
