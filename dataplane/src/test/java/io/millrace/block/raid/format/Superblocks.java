package io.millrace.block.raid.format;

import io.millrace.block.raid.layout.RaidLevel;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.UUID;
import java.util.stream.Stream;
import java.util.zip.CRC32C;
import org.agrona.concurrent.UnsafeBuffer;

/** Superblocks for tests. */
final class Superblocks
{
    private static final String NAME_BEGINS = "abcXYZ019";
    private static final String NAME_GOES_ON = NAME_BEGINS + "._-";

    private Superblocks()
    {
    }

    /** Any valid superblock. */
    static Superblock random(final Random random)
    {
        final RaidLevel level = RaidLevel.values()[random.nextInt(RaidLevel.values().length)];
        final int stripBytes = Superblock.STRIP_BYTES_MIN << random.nextInt(9);
        final long memberBytes = stripBytes * (1 + (random.nextLong() >>> 1) % (1L << 30));
        final int memberCount = level.membersMin() + random.nextInt(level.membersMax() - level.membersMin() + 1);
        final long eventCount = random.nextLong() >>> 1;
        final List<Slot> slots = new ArrayList<>();
        for (int i = 0; i < memberCount; i++)
        {
            final SlotState state = SlotState.values()[random.nextInt(SlotState.values().length)];
            slots.add(new Slot(SlotState.EMPTY == state ? null : uuid(random), state,
                SlotState.REBUILDING == state ? (random.nextLong() >>> 1) % (memberBytes + 1) : 0,
                eventCount > 0 && (SlotState.REBUILDING == state || SlotState.FAILED == state) &&
                random.nextBoolean() ? 1 + (random.nextLong() >>> 1) % eventCount : 0));
        }
        final Slot any = slots.get(random.nextInt(memberCount));
        final JournalState journal = level.parityCount() > 0 && eventCount > 0 && random.nextBoolean() ?
            journal(random, 1 + (random.nextLong() >>> 1) % eventCount) : JournalState.NONE;
        final List<String> names =
            Stream.generate(() -> name(random)).limit(1 + random.nextInt(17)).distinct().toList();
        return new Superblock(uuid(random), names.getFirst(), level, stripBytes, random.nextBoolean() ? 512 : 4096,
            memberBytes, null == any.member() ? uuid(random) : any.member(), eventCount,
            random.nextBoolean(), random.nextLong() >>> 1, random.nextLong() >>> 1, slots, journal,
            ReshapeState.NONE, level.parityCount() > 0 && random.nextBoolean() ? ChecksumArea.offset(memberBytes) : 0,
            random.nextBoolean(), names.subList(1, names.size()));
    }

    private static JournalState journal(final Random random, final long epoch)
    {
        final boolean hasDevice = random.nextBoolean();
        return new JournalState(epoch, random.nextBoolean(), hasDevice ? uuid(random) : null,
            hasDevice ? 1 + random.nextInt(1 << 20) : 0);
    }

    private static String name(final Random random)
    {
        final StringBuilder name = new StringBuilder();
        name.append(NAME_BEGINS.charAt(random.nextInt(NAME_BEGINS.length())));
        for (int i = random.nextInt(64); i > 0; i--)
        {
            name.append(NAME_GOES_ON.charAt(random.nextInt(NAME_GOES_ON.length())));
        }
        return name.toString();
    }

    static UUID uuid(final Random random)
    {
        return new UUID(random.nextLong(), random.nextLong());
    }

    static byte[] encode(final Superblock superblock)
    {
        final byte[] bytes = new byte[Superblock.BYTES];
        superblock.encode(new UnsafeBuffer(bytes), 0);
        return bytes;
    }

    static Superblock decode(final byte[] bytes)
    {
        return Superblock.decode(new UnsafeBuffer(bytes), 0);
    }

    /** Makes the checksum of a page right, by the words of the format. */
    static void checksum(final byte[] page)
    {
        for (int i = 12; i < 16; i++)
        {
            page[i] = 0;
        }
        final CRC32C crc = new CRC32C();
        crc.update(page);
        for (int i = 0; i < 4; i++)
        {
            page[12 + i] = (byte)(crc.getValue() >>> 8 * i);
        }
    }
}
