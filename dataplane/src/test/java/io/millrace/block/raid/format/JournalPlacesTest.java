package io.millrace.block.raid.format;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.millrace.block.raid.layout.RaidLevel;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class JournalPlacesTest
{
    @ParameterizedTest
    @CsvSource({
        "3, 65536, 32768, 102400, 9", "3, 8192, 8192, 28672, 35", "3, 4096, 4096, 16384, 62",
        "5, 1048576, 16384, 86016, 11", "8, 65536, 8192, 69632, 14", "30, 65536, 4096, 126976, 8",
        "31, 65536, 4096, 131072, 7", "64, 65536, 4096, 266240, 3"})
    void shouldHaveTheLargestUnitOfRowsWithEnoughPlaces(
        final int memberCount, final int stripBytes, final int unitBytes, final int placeBytes, final int placeCount)
    {
        assertEquals(
            new JournalPlaces(unitBytes, placeBytes, placeCount), JournalPlaces.of(memberCount, stripBytes));
    }

    @Test
    void shouldLieBetweenTheBitmapAndTheData()
    {
        for (int memberCount = 3; memberCount <= RaidLevel.MEMBERS_MAX; memberCount++)
        {
            for (int stripBytes = 4096; stripBytes <= 1 << 20; stripBytes <<= 1)
            {
                final JournalPlaces places = JournalPlaces.of(memberCount, stripBytes);
                final int last = places.placeCount() - 1;
                assertTrue(places.placeCount() >= 2, places::toString);
                assertEquals(32_768, places.offset(0));
                assertEquals(places.offset(last - 1) + places.placeBytes(), places.offset(last));
                assertTrue(places.offset(last) + places.placeBytes() <= 1 << 20, places::toString);
                assertEquals(last, places.place(last + 7L * places.placeCount()));
            }
        }
    }
}
