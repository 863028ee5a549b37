package io.millrace.block.raid;

import io.millrace.block.BlockDevice;
import io.millrace.block.BlockDeviceException;
import io.millrace.block.Initiator;
import io.millrace.memory.DmaMemory;
import io.millrace.reactor.ReactorConfig;
import io.millrace.seed.TestSeeds;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;

/**
 * Lives of an array: in each it is assembled from its members, every block is checked, and a workload runs until the
 * power is cut before a step of the members. Whatever the step, blocks hold then what the {@link ArrayOracle} allows.
 * Everything is drawn from one seed, and the members and the workload do the same whenever it is used again.
 */
public final class CrashRun implements AutoCloseable
{
    private final Assembly assembly;
    private final Random random;
    private final ArrayOracle oracle;
    private final DmaMemory arena;
    private List<MemberDisk> members = new ArrayList<>();
    private PowerSupply supply;
    private boolean isNew = true;

    /** An array that works on its own, on the reactor that drives its members. */
    public interface Working extends BlockDevice
    {
        /**
         * The reactor runs, and a channel is open.
         *
         * @param initiator with the reactor.
         */
        void begin(Initiator initiator);

        /**
         * Ends its work and closes its channels, after the power was cut.
         *
         * @param initiator with the reactor.
         */
        void end(Initiator initiator);
    }

    /** Makes the array. */
    @FunctionalInterface
    public interface Assembly
    {
        /**
         * Assembles the array of members. Closing it must not close the members.
         *
         * @param members in the order of their slots.
         * @param isNew   whether they are zeroes, for an array that is created.
         * @return the array.
         * @throws BlockDeviceException when it cannot; allowed when the power was cut meanwhile.
         */
        BlockDevice assemble(List<MemberDisk> members, boolean isNew);
    }

    /**
     * Has members of zeroes.
     *
     * @param seed        of everything.
     * @param memberCount of the array.
     * @param memberBytes of each drive.
     * @param blockBytes  of each drive.
     * @param checked     blocks of the array, from its first one, that are written and checked.
     * @param assembly    of the array.
     */
    public CrashRun(
        final long seed,
        final int memberCount,
        final long memberBytes,
        final int blockBytes,
        final int checked,
        final Assembly assembly)
    {
        this.assembly = assembly;
        random = TestSeeds.fixed(seed);
        oracle = new ArrayOracle(checked, blockBytes, seed);
        arena = DmaMemory.map(ArrayWorkload.arenaBytes(blockBytes));
        supply = new PowerSupply(random.nextLong());
        for (int i = 0; i < memberCount; i++)
        {
            members.add(MemberDisk.create("member" + i, memberBytes, blockBytes, supply));
        }
    }

    /** {@return members of the present life} */
    public List<MemberDisk> members()
    {
        return members;
    }

    /** {@return power of the present life} */
    public PowerSupply supply()
    {
        return supply;
    }

    /** {@return what the array may hold} */
    public ArrayOracle oracle()
    {
        return oracle;
    }

    /**
     * Lives until a step. The cut comes where the workload ends if that has not so many.
     *
     * @param cutStep  that the power is cut before; the first is 1.
     * @param requests of the workload.
     */
    public void live(final long cutStep, final int requests)
    {
        supply.cutBefore(cutStep);
        live(requests);
    }

    /**
     * Lives until the workload has ended or the power was cut; then it is cut and comes back.
     *
     * @param requests of the workload; 0 only checks what the array holds.
     */
    public void live(final int requests)
    {
        final BlockDevice device = assemble();
        if (null != device)
        {
            final Initiator initiator = Initiator.driven(ReactorConfig.of("crash", -1), device);
            try
            {
                isNew = false;
                if (device instanceof final Working working)
                {
                    working.begin(initiator);
                }
                new ArrayWorkload(initiator, oracle, supply, TestSeeds.fixed(random.nextLong()), arena.address(), false)
                    .runAfterCut(requests);
                initiator.call(() ->
                {
                    supply.cut();
                    return null;
                });
                oracle.losePower();
            }
            finally
            {
                if (device instanceof final Working working)
                {
                    working.end(initiator);
                }
                initiator.close();
                device.close();
            }
        }
        final PowerSupply next = new PowerSupply(random.nextLong());
        members = new ArrayList<>(members.stream().map((member) -> member.restart(next)).toList());
        supply = next;
    }

    /** Null when the power was cut meanwhile. */
    private BlockDevice assemble()
    {
        try
        {
            return assembly.assemble(members, isNew);
        }
        catch (final BlockDeviceException e)
        {
            if (supply.isCut())
            {
                return null;
            }
            throw e;
        }
    }

    @Override
    public void close()
    {
        members.forEach(MemberDisk::close);
        arena.close();
    }
}
