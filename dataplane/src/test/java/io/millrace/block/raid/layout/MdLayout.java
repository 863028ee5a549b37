package io.millrace.block.raid.layout;

import java.util.ArrayList;
import java.util.List;

/**
 * Where Linux md puts a sector of an array, reckoned in sectors and in the steps of its personalities: {@code raid0}
 * with members of one size, {@code raid1}, {@code raid10} with the layout {@code near=2}, and {@code raid456} with the
 * layouts {@code left-symmetric} and {@code left-symmetric-6}. What {@link ArrayLayout} is compared with.
 */
final class MdLayout
{
    private final RaidLevel level;
    private final int disks;
    private final long chunkSectors;

    /** A sector of a member. */
    record Place(int disk, long sector)
    {
    }

    /** A stripe of an array with parity; Q is -1 of level 5. */
    record Stripe(int diskP, int diskQ)
    {
    }

    MdLayout(final RaidLevel level, final int disks, final int chunkBytes)
    {
        this.level = level;
        this.disks = disks;
        chunkSectors = chunkBytes / 512;
    }

    /** {@return where the data of a sector is, each copy} */
    List<Place> places(final long sector)
    {
        return switch (level)
        {
            case RAID0 -> near(sector, 1);
            case RAID10 -> near(sector, 2);
            case RAID1 ->
            {
                final List<Place> all = new ArrayList<>();
                for (int disk = 0; disk < disks; disk++)
                {
                    all.add(new Place(disk, sector));
                }
                yield all;
            }
            case RAID5, RAID6, RAID6_Q_LAST -> List.of(rotated(sector));
            default -> throw new IllegalArgumentException("level " + level + ": md has none such");
        };
    }

    /** Each chunk so many times on consecutive disks; behind the last disk it goes on with the next row. */
    private List<Place> near(final long sector, final int copies)
    {
        final List<Place> all = new ArrayList<>();
        final long chunk = Math.floorDiv(sector, chunkSectors) * copies;
        int disk = (int)Math.floorMod(chunk, (long)disks);
        long onDisk = Math.floorDiv(chunk, (long)disks) * chunkSectors + Math.floorMod(sector, chunkSectors);
        for (int copy = 0; copy < copies; copy++)
        {
            all.add(new Place(disk, onDisk));
            disk++;
            if (disk == disks)
            {
                disk = 0;
                onDisk += chunkSectors;
            }
        }
        return all;
    }

    private Place rotated(final long sector)
    {
        final long dataDisks = dataDisks();
        final long chunk = Math.floorDiv(sector, chunkSectors);
        final long stripe = Math.floorDiv(chunk, dataDisks);
        final long index = Math.floorMod(chunk, dataDisks);
        final long first = stripe(stripe).diskP() + (RaidLevel.RAID6 == level ? 2 : 1);
        return new Place((int)Math.floorMod(first + index, (long)rotatingDisks()),
            stripe * chunkSectors + Math.floorMod(sector, chunkSectors));
    }

    /** {@return where the parity of a stripe is} */
    Stripe stripe(final long stripe)
    {
        final int diskP = (int)(rotatingDisks() - 1 - Math.floorMod(stripe, (long)rotatingDisks()));
        return new Stripe(diskP,
            RaidLevel.RAID6_Q_LAST == level ? disks - 1 : RaidLevel.RAID6 == level ? (diskP + 1) % disks : -1);
    }

    private int rotatingDisks()
    {
        return RaidLevel.RAID6_Q_LAST == level ? disks - 1 : disks;
    }

    /** {@return disks with data of a stripe of level 6, in the order of their powers of 2 in Q} */
    List<Integer> syndromeDisks(final long stripe)
    {
        final Stripe parity = stripe(stripe);
        final List<Integer> order = new ArrayList<>();
        // From the disk behind Q on.
        for (int i = 1; i <= disks; i++)
        {
            final int disk = (parity.diskQ() + i) % disks;
            if (disk != parity.diskP() && disk != parity.diskQ())
            {
                order.add(disk);
            }
        }
        return order;
    }

    /** {@return which chunk of the data of a stripe a disk has; -1 of parity} */
    int dataIndex(final long stripe, final int disk)
    {
        final Stripe parity = stripe(stripe);
        if (disk == parity.diskP() || disk == parity.diskQ())
        {
            return -1;
        }
        if (RaidLevel.RAID6 == level && parity.diskP() == disks - 1)
        {
            // Q is on the first disk.
            return disk - 1;
        }
        return (disk < parity.diskP() ? disk + rotatingDisks() : disk) - parity.diskP() -
            (RaidLevel.RAID6 == level ? 2 : 1);
    }

    int dataDisks()
    {
        return disks - level.parityCount();
    }
}
