package io.millrace.block.raid;

import io.millrace.block.BlockDevice;
import io.millrace.block.BlockGeometry;
import io.millrace.block.DurabilityContractTest;
import io.millrace.block.OpenListener;
import io.millrace.block.ReactorContext;
import io.millrace.memory.MemoryRegistry;
import io.millrace.reactor.Reactor;
import java.util.concurrent.ExecutionException;
import org.junit.jupiter.api.AfterEach;

class MemberDiskDurabilityTest extends DurabilityContractTest
{
    private static final int BLOCK = 4096;

    private PowerSupply supply;
    private MemberDisk disk;
    private volatile Reactor reactor;

    @Override
    protected BlockDevice openDevice(final MemoryRegistry registry)
    {
        supply = new PowerSupply(random.nextLong());
        disk = null == disk ? MemberDisk.create("member", (long)BLOCK_COUNT * BLOCK, BLOCK, supply) :
            disk.restart(supply);
        return new OneLife(disk);
    }

    @Override
    protected void losePower()
    {
        try
        {
            reactor.call(() ->
            {
                supply.cut();
                return null;
            }).get();
        }
        catch (final InterruptedException | ExecutionException e)
        {
            throw new AssertionError(e);
        }
    }

    @AfterEach
    void closeDisk()
    {
        disk.close();
    }

    /** Says which reactor drives it, and leaves the content to the next life. */
    private final class OneLife implements BlockDevice
    {
        private final MemberDisk member;

        private OneLife(final MemberDisk member)
        {
            this.member = member;
        }

        @Override
        public String name()
        {
            return member.name();
        }

        @Override
        public BlockGeometry geometry()
        {
            return member.geometry();
        }

        @Override
        public void open(final ReactorContext context, final OpenListener listener)
        {
            reactor = context.reactor();
            member.open(context, listener);
        }

        @Override
        public void close()
        {
            // The test closes the last one.
        }
    }
}
