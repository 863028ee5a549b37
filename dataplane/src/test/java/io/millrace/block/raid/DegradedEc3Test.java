package io.millrace.block.raid;

import io.millrace.block.raid.layout.RaidLevel;

/** The contract without as many members as parity makes up for. */
class DegradedEc3Test extends RaidContract
{
    DegradedEc3Test()
    {
        super(RaidLevel.EC3, 7, 16384, 4096, JournalMode.DEGRADED, 3);
    }
}
