package io.millrace.block.raid;

import io.millrace.block.raid.layout.RaidLevel;

class JournaledEc3Test extends RaidContract
{
    JournaledEc3Test()
    {
        super(RaidLevel.EC3, 7, 64 << 10, 4096, JournalMode.ALWAYS);
    }
}
