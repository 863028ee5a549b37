package io.millrace.block.raid;

import io.millrace.block.raid.layout.RaidLevel;

class HedgedEc3Test extends HedgedContract
{
    HedgedEc3Test()
    {
        super(RaidLevel.EC3, 7);
    }
}
