package io.millrace.block.raid;

import io.millrace.block.raid.layout.RaidLevel;

class Ec3Test extends RaidContract
{
    Ec3Test()
    {
        super(RaidLevel.EC3, 7, 65536, 4096);
    }
}
