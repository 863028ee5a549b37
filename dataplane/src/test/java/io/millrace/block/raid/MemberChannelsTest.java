package io.millrace.block.raid;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
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
import java.util.HashSet;
import java.util.List;
import java.util.Random;
import java.util.Set;
import java.util.UUID;
import org.junit.jupiter.api.Test;

/** Channels to members that open, are used, released and closed in any order. */
class MemberChannelsTest
{
    private static final int RUNS = 2_000;
    private static final int STEPS = 60;
    private static final int INDEXES = 4;

    private final Random random = TestSeeds.random();
    private final Set<RaidMember> used = new HashSet<>();
    private final List<Runnable> pending = new ArrayList<>();
    private final List<Device> devices = new ArrayList<>();
    private final List<RaidMember> members = new ArrayList<>();
    private final RaidMember[] present = new RaidMember[INDEXES];
    private final boolean[] isOpen = new boolean[INDEXES];
    private final boolean[] isReleased = new boolean[INDEXES];
    private MemberChannels channels;
    private int begun;
    private int ended;

    /** A device that opens and closes channels when the test says so. */
    private final class Device implements BlockDevice, BlockChannel
    {
        private int opened;
        private int closings;
        private int submitted;
        private boolean lends;

        @Override
        public String name()
        {
            return "device";
        }

        @Override
        public BlockGeometry geometry()
        {
            return BlockGeometry.builder(4096, 16).build();
        }

        @Override
        public void open(final ReactorContext context, final OpenListener listener)
        {
            final boolean succeeds = 0 != random.nextInt(6);
            later(() ->
            {
                if (succeeds)
                {
                    opened++;
                    listener.onOpened(this);
                }
                else
                {
                    listener.onOpenFailed(new BlockDeviceException("no"));
                }
            });
        }

        @Override
        public boolean submit(final BlockRequest request)
        {
            assertTrue(opened > closings, "submitted to a closed channel");
            submitted++;
            if (request.lendable() && !lends)
            {
                return false;
            }
            request.complete(BlockStatus.SUCCESS);
            return true;
        }

        @Override
        public int inFlight()
        {
            return 0;
        }

        @Override
        public void close(final CloseListener listener)
        {
            closings++;
            assertTrue(closings <= opened, "closed twice");
            later(() -> listener.onClosed(this));
        }

        @Override
        public void close()
        {
            // It has nothing.
        }

        @Override
        public int poll()
        {
            return 0;
        }

        @Override
        public boolean canSleep()
        {
            return true;
        }
    }

    /** At once, or in a later step. */
    private void later(final Runnable action)
    {
        if (0 == random.nextInt(3))
        {
            action.run();
        }
        else
        {
            pending.add(action);
        }
    }

    @Test
    void shouldOpenAndCloseEachChannelOnceInAnyOrder()
    {
        for (int run = 0; run < RUNS; run++)
        {
            begin();
            for (int step = 0; step < STEPS; step++)
            {
                step();
            }
            end();
        }
    }

    private void begin()
    {
        used.clear();
        devices.clear();
        members.clear();
        for (int index = 0; index < INDEXES; index++)
        {
            present[index] = null;
            isOpen[index] = false;
            isReleased[index] = false;
        }
        begun = 0;
        ended = 0;
        channels = new MemberChannels(null, used::contains);
    }

    private void step()
    {
        final int index = random.nextInt(INDEXES);
        final RaidMember member = present[index];
        switch (random.nextInt(5))
        {
            case 0 -> openOrRelease(index);
            case 1, 2 ->
            {
                if (!pending.isEmpty())
                {
                    pending.remove(random.nextInt(pending.size())).run();
                }
            }
            case 3 ->
            {
                if (isOpen[index])
                {
                    used.add(member);
                    final Device device = (Device)member.device();
                    final int before = device.submitted;
                    assertEquals(BlockStatus.SUCCESS, submit(member));
                    assertEquals(before + 1, device.submitted);
                }
            }
            default ->
            {
                used.stream().findFirst().ifPresent(used::remove);
                channels.closeUnused();
            }
        }
        for (final RaidMember each : used)
        {
            assertFalse(((Device)each.device()).closings > 0, "closed while it was used");
        }
        members.forEach(this::lend);
    }

    /** Of any member that there was: one that has left, or whose channel opens or closes, is not asked. */
    private void lend(final RaidMember member)
    {
        final Device device = (Device)member.device();
        device.lends = random.nextBoolean();
        final int before = device.submitted;
        final BlockRequest request = new BlockRequest(this, (done) ->
        {
        });
        final boolean isLent = channels.lend(member, request.reset(BlockOperation.READ, 0, 1).lendable(true));
        final boolean isAsked = device.opened > device.closings;
        assertEquals(isAsked ? before + 1 : before, device.submitted);
        assertEquals(isAsked && device.lends, isLent);
        assertEquals(0, channels.inFlight(), "it waits");
    }

    private void openOrRelease(final int index)
    {
        final RaidMember member = present[index];
        if (null == member)
        {
            final Device device = new Device();
            devices.add(device);
            final RaidMember opening = new RaidMember(index, device, UUID.randomUUID(), 0);
            present[index] = opening;
            members.add(opening);
            begun++;
            channels.open(opening, (problem) ->
            {
                ended++;
                isOpen[index] = null == problem && opening == present[index] && !isReleased[index];
            });
        }
        else if (0 == random.nextInt(2))
        {
            // Asked for again, as by a channel that opens and a change beside it.
            begun++;
            channels.open(member, (problem) -> ended++);
        }
        else if (!pending.isEmpty() || isOpen[index])
        {
            isOpen[index] = false;
            isReleased[index] = true;
            begun++;
            channels.release(member, () ->
            {
                ended++;
                // Its index is free for another one.
                present[index] = null;
                isReleased[index] = false;
            });
        }
    }

    private BlockStatus submit(final RaidMember member)
    {
        final BlockRequest request = new BlockRequest(this, (done) ->
        {
        });
        request.reset(BlockOperation.FLUSH, 0, 0);
        channels.submit(member, request);
        return request.status();
    }

    private void end()
    {
        used.clear();
        channels.closeUnused();
        begun++;
        channels.close(() -> ended++);
        while (!pending.isEmpty())
        {
            pending.remove(random.nextInt(pending.size())).run();
        }
        assertEquals(begun, ended, "who was notified");
        for (final Device each : devices)
        {
            assertEquals(each.opened, each.closings, "channels that were closed");
        }
        assertEquals(0, channels.inFlight());
        assertEquals(BlockStatus.ABORTED, submit(new RaidMember(0, new Device(), UUID.randomUUID(), 0)));
    }
}
