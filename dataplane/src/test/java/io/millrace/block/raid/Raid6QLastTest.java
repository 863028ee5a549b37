package io.millrace.block.raid;

import io.millrace.block.raid.layout.RaidLevel;

/** {@link RaidContract} of RAID 6 with Q in the last slot. */
class Raid6QLastTest extends RaidContract
{
    Raid6QLastTest()
    {
        super(RaidLevel.RAID6_Q_LAST, 6, 65536, 4096);
    }
}
