package io.millrace.control.service;

import static org.junit.jupiter.api.Assertions.assertEquals;

import java.util.ArrayList;
import java.util.List;
import org.agrona.concurrent.IdleStrategy;
import org.junit.jupiter.api.Test;

class RestingIdleStrategyTest
{
    private final List<String> calls = new ArrayList<>();
    private long nowNs = Long.MAX_VALUE - 5;
    private final RestingIdleStrategy strategy = new RestingIdleStrategy(
        new IdleStrategy()
        {
            @Override
            public void idle(final int workCount)
            {
                throw new UnsupportedOperationException();
            }

            @Override
            public void idle()
            {
                calls.add("idle");
            }

            @Override
            public void reset()
            {
                calls.add("reset");
            }
        }, (parkNs) -> calls.add("park " + parkNs), () -> nowNs);

    @Test
    void shouldRestASecondAfterTheLastWork()
    {
        strategy.idle(0);
        nowNs += RestingIdleStrategy.ACTIVE_NS - 1;
        strategy.idle(0);
        nowNs++;
        strategy.idle(0);
        strategy.idle(0);
        assertEquals(List.of("idle", "idle", "park 10000000", "park 10000000"), calls);
        calls.clear();
        strategy.idle(1);
        nowNs += RestingIdleStrategy.ACTIVE_NS;
        strategy.idle(0);
        nowNs += RestingIdleStrategy.ACTIVE_NS;
        strategy.idle(0);
        assertEquals(List.of("reset", "idle", "park 10000000"), calls);
    }
}
