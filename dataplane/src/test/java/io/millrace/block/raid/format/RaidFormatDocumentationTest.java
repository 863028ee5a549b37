package io.millrace.block.raid.format;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.millrace.block.raid.layout.RaidLevel;
import io.millrace.parity.GfMatrix;
import io.millrace.parity.ReedSolomon;
import java.io.IOException;
import java.lang.reflect.Field;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.Locale;
import java.util.Map;
import java.util.TreeMap;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;

/**
 * Compares docs/raid-format.md with the code: name, offset and length of each field, and the numbers of states and
 * levels.
 */
class RaidFormatDocumentationTest
{
    private static final Pattern FIELD = Pattern.compile("(?m)^\\| (\\d+) \\| (\\d+) \\| ([a-z0-9 -]+) \\|");
    private static final Pattern NUMBER = Pattern.compile("(?m)^\\| (\\d+) \\| ([A-Z][A-Z0-9_]+) \\|");
    private static String page;

    /** Where a field lies. */
    private record Place(int offset, int length)
    {
    }

    @BeforeAll
    static void read() throws IOException
    {
        page = Files.readString(Path.of(System.getProperty("millrace.root"), "docs", "raid-format.md"));
    }

    private static String section(final String heading)
    {
        final int begin = page.indexOf("\n## " + heading + "\n");
        assertTrue(begin >= 0, heading);
        final int end = page.indexOf("\n## ", begin + 1);
        return page.substring(begin, end < 0 ? page.length() : end);
    }

    private static Map<String, Place> documented(final String heading)
    {
        final Map<String, Place> fields = new TreeMap<>();
        final Matcher matcher = FIELD.matcher(section(heading));
        while (matcher.find())
        {
            fields.put(matcher.group(3),
                new Place(Integer.parseInt(matcher.group(1)), Integer.parseInt(matcher.group(2))));
        }
        return fields;
    }

    /** Each constant X_OFFSET that has an X_LENGTH. */
    private static Map<String, Place> coded(final Class<?> layout) throws ReflectiveOperationException
    {
        final Map<String, Place> fields = new TreeMap<>();
        for (final Field each : layout.getDeclaredFields())
        {
            if (each.getName().endsWith("_OFFSET"))
            {
                final String name = each.getName().substring(0, each.getName().length() - "_OFFSET".length());
                fields.put(name.toLowerCase(Locale.ROOT).replace('_', ' '),
                    new Place(each.getInt(null), layout.getDeclaredField(name + "_LENGTH").getInt(null)));
            }
        }
        return fields;
    }

    /** One behind the other, from the first byte to the last. */
    private static void assertWithoutGaps(final Map<String, Place> fields, final int lengthBytes)
    {
        int offset = 0;
        for (final Place each : fields.values().stream().sorted((a, b) -> Integer.compare(a.offset, b.offset)).toList())
        {
            assertEquals(offset, each.offset);
            offset += each.length;
        }
        assertEquals(lengthBytes, offset);
    }

    private static Map<Integer, String> numbers(final String heading)
    {
        return NUMBER.matcher(section(heading)).results()
            .collect(Collectors.toMap((each) -> Integer.parseInt(each.group(1)), (each) -> each.group(2)));
    }

    @Test
    void shouldDescribeEachFieldOfASuperblock() throws ReflectiveOperationException
    {
        assertEquals(coded(SuperblockLayout.class), documented("Superblock"));
        assertWithoutGaps(documented("Superblock"), Superblock.BYTES);
    }

    @Test
    void shouldDescribeEachFieldOfASlot() throws ReflectiveOperationException
    {
        assertEquals(coded(SuperblockLayout.SlotLayout.class), documented("Slots"));
        assertWithoutGaps(documented("Slots"), SuperblockLayout.SLOT_BYTES);
    }

    @Test
    void shouldDescribeEachFieldOfABitmapPage() throws ReflectiveOperationException
    {
        assertEquals(coded(BitmapPage.class), documented("Bitmap pages"));
        assertWithoutGaps(documented("Bitmap pages"), BitmapPage.BYTES);
    }

    @Test
    void shouldDescribeEachFieldOfALostBlockList() throws ReflectiveOperationException
    {
        assertEquals(coded(LostBlocksPage.class), documented("Lost blocks"));
        assertWithoutGaps(documented("Lost blocks"), LostBlocksPage.BYTES);
        assertTrue(section("Lost blocks").contains("| " + LostBlocksPage.ENTRIES_MAX + " of 8 bytes"));
    }

    @Test
    void shouldDescribeEachFieldOfAnEntryOfTheJournal() throws ReflectiveOperationException
    {
        assertEquals(coded(JournalEntry.class), documented("Journal"));
        assertWithoutGaps(documented("Journal"), JournalEntry.HEADER_BYTES);
        assertEquals(coded(JournalEntry.StripLayout.class), documented("Strips of an entry"));
        assertWithoutGaps(documented("Strips of an entry"), JournalEntry.STRIP_BYTES);
    }

    @Test
    void shouldDescribeTheSizeOfARegion()
    {
        final String section = section("Bitmap pages");
        assertTrue(section.contains("smallest power of two from " + BitmapPage.REGION_BYTES_MIN + " "), section);
        assertTrue(section.contains(" " + BitmapPage.BITS_MAX + " regions"), section);
    }

    @Test
    void shouldDescribeWhereThePartsLie()
    {
        final Map<String, Place> parts = documented("Member area");
        assertEquals(new Place(MemberArea.FIRST_SUPERBLOCK_BYTES, Superblock.BYTES), parts.get("superblock"));
        assertEquals(new Place((int)MemberArea.bitmapOffset(0), BitmapPage.BYTES), parts.get("bitmap page 0"));
        assertEquals(new Place((int)MemberArea.bitmapOffset(1), BitmapPage.BYTES), parts.get("bitmap page 1"));
        assertEquals(
            new Place((int)MemberArea.lostBlocksOffset(0), 2 * LostBlocksPage.BYTES), parts.get("lost blocks"));
        assertEquals(new Place(MemberArea.JOURNAL_OFFSET_BYTES, MemberArea.JOURNAL_BYTES), parts.get("journal"));
        assertWithoutGaps(parts, MemberArea.DATA_OFFSET_BYTES);
    }

    @Test
    void shouldDescribeTheMatrixOfAnErasureCode()
    {
        final GfMatrix matrix = new ReedSolomon(4, 3).parity();
        for (int parity = 0; parity < 3; parity++)
        {
            final int row = parity;
            final String line = "| parity " + parity + " | " + IntStream.range(0, 4)
                .mapToObj((data) -> "%02X".formatted(matrix.coefficient(row, data))).collect(Collectors.joining(" | "));
            assertTrue(section("Erasure codes").contains(line + " |"), line);
        }
    }

    @Test
    void shouldDescribeTheNumbersOfStatesAndLevels()
    {
        assertEquals(Arrays.stream(SlotState.values()).collect(Collectors.toMap(SlotState::code, SlotState::name)),
            numbers("Slots"));
        assertEquals(Arrays.stream(RaidLevel.values()).collect(Collectors.toMap(RaidLevel::code,
            (level) -> level.isErasureCode() ? "EC" : level.name(), (one, _) -> one)),
            numbers("Levels"));
    }
}
