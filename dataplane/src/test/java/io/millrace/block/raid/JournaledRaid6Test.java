package io.millrace.block.raid;

import io.millrace.block.raid.layout.RaidLevel;

class JournaledRaid6Test extends RaidContract
{
    JournaledRaid6Test()
    {
        super(RaidLevel.RAID6, 6, 64 << 10, 4096, JournalMode.ALWAYS);
    }
}
