package io.millrace.block.raid;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.millrace.block.BlockChannel;
import io.millrace.block.BlockDevice;
import io.millrace.block.BlockDeviceException;
import io.millrace.block.BlockGeometry;
import io.millrace.block.BlockOperation;
import io.millrace.block.BlockRequest;
import io.millrace.block.BlockStatus;
import io.millrace.block.CloseListener;
import io.millrace.block.OpenListener;
import io.millrace.block.ReactorContext;
import io.millrace.seed.TestSeeds;
import java.util.ArrayList;
import java.util.EnumSet;
import java.util.List;
import java.util.Set;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** Crashes of an array of one member: a right one passes, and each defect of a wrong one is found. */
class CrashRunTest
{
    private static final int BLOCK = 4096;
    private static final int BLOCKS = 32;
    private static final int REQUESTS = 60;
    private static final int LIVES_MAX = 300;

    private final long seed = TestSeeds.seed();

    private enum Defect
    {
        /** Flushes are answered and not done. */
        IGNORES_FLUSH,
        /** Writes are not forced. */
        IGNORES_FORCE,
        /** One write of some is answered and not done. */
        LOSES_WRITES,
        /** Every write is done one block further on. */
        MISPLACES_WRITES
    }

    private CrashRun run(final long runSeed, final Set<Defect> defects, final List<String> trace)
    {
        return new CrashRun(runSeed, 1, BLOCKS * BLOCK, BLOCK, BLOCKS - 8,
            (members, isNew) -> new Single(members.getFirst(), defects, trace));
    }

    @Test
    void shouldPassWhereverPowerIsCut()
    {
        long cuts = 0;
        for (int step = 1; step <= REQUESTS; step++)
        {
            try (CrashRun run = run(seed + step, Set.of(), new ArrayList<>()))
            {
                final PowerSupply supply = run.supply();
                run.live(step, REQUESTS);
                cuts += supply.steps() == step ? 1 : 0;
                run.live(REQUESTS);
                run.live(0);
            }
        }
        assertTrue(cuts > REQUESTS / 4, "cuts within the workload: " + cuts);
    }

    @Test
    void shouldPassWhenOneArrayIsCutManyTimes()
    {
        try (CrashRun run = run(seed, Set.of(), new ArrayList<>()))
        {
            int open = 0;
            for (int life = 1; life <= 40; life++)
            {
                run.live(life, REQUESTS);
                open += run.oracle().openBlocks();
            }
            assertTrue(open > 40, () -> "nothing could be lost");
        }
    }

    @ParameterizedTest
    @EnumSource(Defect.class)
    void shouldFindADefect(final Defect defect)
    {
        try (CrashRun run = run(seed, EnumSet.of(defect), new ArrayList<>()))
        {
            final AssertionError found = assertThrows(AssertionError.class, () ->
            {
                for (int life = 0; life < LIVES_MAX; life++)
                {
                    run.live(REQUESTS);
                }
            });
            assertTrue(found.getMessage().endsWith("; seed " + seed), found.getMessage());
        }
    }

    @Test
    void shouldFindARequestThatFailsWhilePowerIsOn()
    {
        try (CrashRun run = run(seed, Set.of(), new ArrayList<>()))
        {
            final MemberDisk member = run.members().getFirst();
            run.supply().before(5, () -> member.state(MemberState.FAILING));
            final AssertionError found = assertThrows(AssertionError.class, () -> run.live(REQUESTS));
            assertTrue(found.getMessage().endsWith("ended with DEVICE_ERROR while power was on"), found.getMessage());
        }
    }

    @Test
    void shouldDoTheSameWithTheSameSeed()
    {
        final List<String> first = trace(seed);
        assertTrue(first.size() > 100);
        assertEquals(first, trace(seed));
        assertFalse(first.equals(trace(seed + 1)));
    }

    private List<String> trace(final long runSeed)
    {
        final List<String> trace = new ArrayList<>();
        try (CrashRun run = run(runSeed, Set.of(), trace))
        {
            for (int life = 0; life < 5; life++)
            {
                final PowerSupply supply = run.supply();
                run.live(10 + life, REQUESTS);
                trace.add("step " + supply.steps());
            }
        }
        return trace;
    }

    @Test
    void shouldGoOnWhenPowerIsCutWhileTheArrayIsAssembled()
    {
        final List<Boolean> lives = new ArrayList<>();
        try (CrashRun run = new CrashRun(seed, 1, BLOCKS * BLOCK, BLOCK, BLOCKS, (members, isNew) ->
        {
            lives.add(isNew);
            if (1 == lives.size())
            {
                members.getFirst().supply().cut();
                throw new BlockDeviceException("no member can be read");
            }
            return new Single(members.getFirst(), Set.of(), new ArrayList<>());
        }))
        {
            run.live(REQUESTS);
            run.live(REQUESTS);
            run.live(0);
        }
        assertEquals(List.of(true, true, false), lives);
    }

    /** The device of the first member, with defects. */
    private record Single(MemberDisk member, Set<Defect> defects, List<String> trace) implements BlockDevice
    {
        @Override
        public String name()
        {
            return "single";
        }

        @Override
        public BlockGeometry geometry()
        {
            return member.geometry();
        }

        @Override
        public void open(final ReactorContext context, final OpenListener listener)
        {
            member.open(context, new OpenListener()
            {
                @Override
                public void onOpened(final BlockChannel channel)
                {
                    listener.onOpened(new SingleChannel(channel, defects, trace));
                }

                @Override
                public void onOpenFailed(final BlockDeviceException reason)
                {
                    listener.onOpenFailed(reason);
                }
            });
        }

        @Override
        public void close()
        {
            // Members have another life.
        }
    }

    private static final class SingleChannel implements BlockChannel
    {
        private static final int LOST = 10;

        private final BlockChannel below;
        private final Set<Defect> defects;
        private final List<String> trace;
        private int writes;

        private SingleChannel(final BlockChannel below, final Set<Defect> defects, final List<String> trace)
        {
            this.below = below;
            this.defects = defects;
            this.trace = trace;
        }

        @Override
        public boolean submit(final BlockRequest request)
        {
            final boolean isWrite = BlockOperation.WRITE == request.operation();
            writes += isWrite ? 1 : 0;
            if (BlockOperation.FLUSH == request.operation() && defects.contains(Defect.IGNORES_FLUSH) ||
                isWrite && 0 == writes % LOST && defects.contains(Defect.LOSES_WRITES))
            {
                request.complete(BlockStatus.SUCCESS);
                return true;
            }
            trace.add(request.operation() + " " + request.lba() + " " + request.blocks());
            final BlockRequest own = new BlockRequest(request, (completed) ->
            {
                trace.add(request.lba() + " " + completed.status());
                request.complete(completed.status());
            });
            own.reset(request.operation(),
                request.lba() + (isWrite && defects.contains(Defect.MISPLACES_WRITES) ? 1 : 0), request.blocks());
            own.forceUnitAccess(request.forceUnitAccess() && !defects.contains(Defect.IGNORES_FORCE));
            own.segments().copyFrom(request.segments());
            return below.submit(own);
        }

        @Override
        public int inFlight()
        {
            return below.inFlight();
        }

        @Override
        public int poll()
        {
            return below.poll();
        }

        @Override
        public boolean canSleep()
        {
            return below.canSleep();
        }

        @Override
        public void close(final CloseListener listener)
        {
            below.close((closed) -> listener.onClosed(this));
        }
    }
}
