package io.millrace.bench;

import io.millrace.block.BlockChannel;
import io.millrace.block.BlockDevice;
import io.millrace.block.BlockOperation;
import io.millrace.block.discard.DiscardDevice;
import io.millrace.block.memory.MemoryDevice;
import io.millrace.block.raid.CopyRates;
import io.millrace.block.raid.RaidDevice;
import io.millrace.block.raid.format.ChecksumArea;
import io.millrace.block.raid.format.MemberArea;
import io.millrace.block.raid.layout.ArrayLayout;
import io.millrace.block.raid.layout.RaidLevel;
import io.millrace.parity.ParityEngine;
import io.millrace.parity.ParityEngines;
import java.io.PrintStream;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.SplittableRandom;
import java.util.stream.IntStream;

/**
 * What arrays cost on one core: each case has an array, the same requests to its members by hand, and a device that is
 * no array, in turn. Members are memory, or discard everything, so that only our own work is left. Prints a table.
 */
public final class RaidLoad
{
    private static final int BLOCK_BYTES = 4096;
    private static final int BLOCK_SHIFT = 12;
    private static final int SMALL_BYTES = 4096;
    private static final int DEPTH = 32;
    private static final long TAIL_BYTES = 4096;

    private final RaidLoadOptions options;
    private final SplittableRandom random;
    private final RaidRig rig;
    private final PrintStream out;

    private RaidLoad(final RaidLoadOptions options, final RaidRig rig, final PrintStream out)
    {
        this.options = options;
        this.rig = rig;
        this.out = out;
        random = new SplittableRandom(options.seed());
    }

    /** Members of an array. */
    private enum Backing
    {
        MEMORY, DISCARD
    }

    /** What is done. */
    private enum Load
    {
        READ("read 4 KiB", BlockOperation.READ, SMALL_BYTES, true, 1, DEPTH),
        WRITE("write 4 KiB", BlockOperation.WRITE, SMALL_BYTES, true, 1, DEPTH),
        STRIPE("write whole stripes", BlockOperation.WRITE, 0, false, 4),
        SEQUENTIAL_4("write 4 KiB in sequence", BlockOperation.WRITE, SMALL_BYTES, false, 1, DEPTH),
        SEQUENTIAL_16("write 16 KiB in sequence", BlockOperation.WRITE, 16 << 10, false, DEPTH),
        SEQUENTIAL_64("write 64 KiB in sequence", BlockOperation.WRITE, 64 << 10, false, DEPTH);

        private final String label;
        private final BlockOperation operation;
        /** Of a request; 0: of a stripe. */
        private final int bytes;
        private final boolean isRandom;
        private final int[] depths;

        Load(
            final String label,
            final BlockOperation operation,
            final int bytes,
            final boolean isRandom,
            final int... depths)
        {
            this.label = label;
            this.operation = operation;
            this.bytes = bytes;
            this.isRandom = isRandom;
            this.depths = depths;
        }
    }

    /**
     * An array.
     *
     * @param level   of it.
     * @param members count of its slots.
     * @param lost    slots without a member, from the first on.
     * @param backing of the members.
     * @param checksums whether blocks have checksums.
     */
    private record Shape(RaidLevel level, int members, int lost, Backing backing, boolean checksums)
    {
        private String label()
        {
            return "RAID " + level.label() + " of " + members + (0 == lost ? "" : " without " + lost) +
                (checksums ? " with checksums" : "") +
                (Backing.DISCARD == backing ? ", discarding" : "");
        }

        private List<String> names()
        {
            return IntStream.range(0, members).mapToObj((i) -> "m" + i).toList();
        }
    }

    /** An array with its members, open. */
    private final class OpenArray implements AutoCloseable
    {
        private final Shape shape;
        private final List<BlockDevice> devices = new ArrayList<>();
        private final BlockChannel[] members;
        private final RaidDevice array;
        private final BlockChannel channel;
        private final ArrayLayout layout;

        private OpenArray(final Shape shape)
        {
            this.shape = shape;
            final int copies = shape.level().copyCount(shape.members());
            final int stripes = shape.members() - shape.level().parityCount();
            final long bytes = options.bytes() / stripes * copies & -RaidRig.STRIP_BYTES;
            layout = ArrayLayout.of(shape.level(), shape.members(), RaidRig.STRIP_BYTES, bytes);
            for (final String name : shape.names())
            {
                devices.add(device(shape.backing(), name, MemberArea.DATA_OFFSET_BYTES + bytes +
                    checksumBytes(bytes) + TAIL_BYTES));
            }
            RaidDevice opened =
                rig.array(shape.level(), shape.names(), List.of(), devices, CopyRates.DEFAULT, shape.checksums());
            BlockChannel openedChannel = rig.open(opened);
            if (Backing.MEMORY == shape.backing())
            {
                fill(openedChannel, layout.dataBytes());
            }
            if (shape.lost() > 0)
            {
                rig.close(openedChannel);
                rig.stopWork();
                opened.close();
                opened = rig.array(shape.level(), shape.names(), List.of(),
                    devices.subList(shape.lost(), devices.size()), CopyRates.DEFAULT, shape.checksums());
                openedChannel = rig.open(opened);
            }
            array = opened;
            channel = openedChannel;
            members = devices.stream().map(rig::open).toArray(BlockChannel[]::new);
        }

        private long checksumBytes(final long memberBytes)
        {
            return shape.checksums() ?
                (long)ChecksumArea.pageCount(memberBytes, BLOCK_BYTES) * ChecksumArea.PAGE_BYTES : 0;
        }

        private LoadSide side(final Load load, final int depth)
        {
            return channelSide("array", channel, load, lengthBytes(load), layout.dataBytes(), depth);
        }

        private LoadSide floor(final Load load, final ParityEngine engine)
        {
            return new MembersSide("members", members, layout, engine,
                places(load, layout.dataBytes(), lengthBytes(load)), load.operation, lengthBytes(load), BLOCK_SHIFT,
                shape.lost());
        }

        private int lengthBytes(final Load load)
        {
            return 0 == load.bytes ? layout.dataCount() * layout.stripBytes() : load.bytes;
        }

        @Override
        public void close()
        {
            rig.close(channel);
            for (final BlockChannel each : members)
            {
                rig.close(each);
            }
            rig.stopWork();
            array.close();
            for (final BlockDevice each : devices)
            {
                each.close();
            }
        }
    }

    private static BlockDevice device(final Backing backing, final String name, final long bytes)
    {
        return Backing.MEMORY == backing ? MemoryDevice.create(name, bytes, BLOCK_BYTES) :
            DiscardDevice.create(name, bytes, BLOCK_BYTES);
    }

    private Places places(final Load load, final long bytes, final int lengthBytes)
    {
        return new Places(bytes / lengthBytes, load.isRandom);
    }

    private LoadSide channelSide(
        final String name,
        final BlockChannel channel,
        final Load load,
        final int lengthBytes,
        final long bytes,
        final int depth)
    {
        return new ChannelSide(name, channel, rig::work, places(load, bytes, lengthBytes), load.operation, lengthBytes,
            BLOCK_BYTES, depth);
    }

    /** Memory that was never written is one page of zeroes, which is always cached. */
    private void fill(final BlockChannel channel, final long bytes)
    {
        rig.call(() ->
        {
            try (LoadSide side = channelSide("fill", channel, Load.STRIPE, RaidRig.STRIP_BYTES, bytes, 1))
            {
                side.run(bytes / RaidRig.STRIP_BYTES);
            }
            return null;
        });
    }

    private void run(final boolean isMeasured) throws Exception
    {
        for (final Shape shape : shapes())
        {
            if (options.cases().matcher(shape.label()).find())
            {
                try (OpenArray array = new OpenArray(shape))
                {
                    run(array, isMeasured);
                }
            }
        }
    }

    private static List<Shape> shapes()
    {
        final List<Shape> shapes = new ArrayList<>();
        for (final Backing backing : Backing.values())
        {
            shapes.add(new Shape(RaidLevel.RAID0, 4, 0, backing, false));
            shapes.add(new Shape(RaidLevel.RAID1, 2, 0, backing, false));
            shapes.add(new Shape(RaidLevel.RAID10, 4, 0, backing, false));
            shapes.add(new Shape(RaidLevel.RAID5, 5, 0, backing, false));
            shapes.add(new Shape(RaidLevel.RAID6, 10, 0, backing, false));
            shapes.add(new Shape(RaidLevel.RAID5, 5, 0, backing, true));
            shapes.add(new Shape(RaidLevel.RAID6, 10, 0, backing, true));
        }
        shapes.add(new Shape(RaidLevel.RAID1, 2, 1, Backing.MEMORY, false));
        shapes.add(new Shape(RaidLevel.RAID5, 5, 1, Backing.MEMORY, false));
        shapes.add(new Shape(RaidLevel.RAID6, 10, 1, Backing.MEMORY, false));
        shapes.add(new Shape(RaidLevel.RAID6, 10, 2, Backing.MEMORY, false));
        return shapes;
    }

    private void run(final OpenArray array, final boolean isMeasured) throws Exception
    {
        final Shape shape = array.shape;
        if (shape.lost() > 0)
        {
            // The peer is the array with all its members.
            try (OpenArray whole = new OpenArray(new Shape(shape.level(), shape.members(), 0, shape.backing(), false)))
            {
                run(array, whole.channel, whole.layout.dataBytes(), List.of(Load.READ), isMeasured);
            }
            return;
        }
        if (shape.checksums())
        {
            // The peer is the array without them.
            try (OpenArray plain = new OpenArray(new Shape(shape.level(), shape.members(), 0, shape.backing(), false)))
            {
                run(array, plain.channel, plain.layout.dataBytes(), List.of(Load.WRITE, Load.STRIPE), isMeasured);
            }
            return;
        }
        try (BlockDevice bare = device(shape.backing(), "bare", options.bytes()))
        {
            final BlockChannel channel = rig.open(bare);
            if (Backing.MEMORY == shape.backing())
            {
                fill(channel, options.bytes());
            }
            run(array, channel, options.bytes(), shape.level().parityCount() > 0 ?
                List.of(Load.values()) : List.of(Load.READ, Load.WRITE), isMeasured);
            rig.close(channel);
        }
    }

    private void run(
        final OpenArray array,
        final BlockChannel peer,
        final long peerBytes,
        final List<Load> loads,
        final boolean isMeasured)
    {
        try (ParityEngine engine =
            array.layout.parityCount() > 0 ? ParityEngines.create(array.array.engineType()) : null)
        {
            for (final Load load : loads)
            {
                for (final int depth : load.depths)
                {
                    rig.call(() ->
                    {
                        run(array, engine, peer, peerBytes, load, depth, isMeasured);
                        return null;
                    });
                }
            }
        }
    }

    private void run(
        final OpenArray array,
        final ParityEngine engine,
        final BlockChannel peer,
        final long peerBytes,
        final Load load,
        final int depth,
        final boolean isMeasured)
    {
        final int length = array.lengthBytes(load);
        try (LoadSide subject = array.side(load, depth);
            LoadSide floor = array.floor(load, engine);
            LoadSide bare = channelSide("peer", peer, load, length, peerBytes, depth))
        {
            final Rounds rounds = new Rounds(List.of(subject, floor, bare), random);
            rounds.warmUp(options.turnMs(), isMeasured ? 2 : options.warmUpTurns());
            if (isMeasured)
            {
                rounds.run(options.rounds());
                out.printf(Locale.ROOT, "| %s, %s, depth %d | %.0f / %.0f / %.0f | %s | %s | %.2f |%n",
                    array.shape.label(), load.label, depth, rounds.ns(0), rounds.ns(1), rounds.ns(2), rounds.ratio(1),
                    rounds.ratio(2), rounds.allocatedPerOperation(0));
            }
        }
    }

    /**
     * Measures.
     *
     * @param options what and how long.
     * @param out     gets the table.
     * @throws Exception when an array cannot be made.
     */
    static void run(final RaidLoadOptions options, final PrintStream out) throws Exception
    {
        try (RaidRig rig = new RaidRig(options.cpu()))
        {
            final RaidLoad load = new RaidLoad(options, rig, out);
            // All cases first, so that each is measured in code that was compiled for all.
            load.run(false);
            out.println("| case | CPU ns: array / members by hand / peer | by members by hand | by peer | " +
                "bytes allocated |");
            out.println("|---|---|---|---|---|");
            load.run(true);
        }
    }

    /**
     * Measures and prints to standard output.
     *
     * @param args see {@link RaidLoadOptions}.
     * @throws Exception when an array cannot be made.
     */
    public static void main(final String[] args) throws Exception
    {
        run(RaidLoadOptions.of(args), System.out);
    }
}
