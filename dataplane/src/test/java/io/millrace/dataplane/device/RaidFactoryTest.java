package io.millrace.dataplane.device;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNull;

import io.millrace.block.DeviceProperties;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Settings of arrays that no array can have. */
class RaidFactoryTest
{
    private static DeviceProperties array(final String level, final int parityStrips, final int members)
    {
        final List<String> names = IntStream.range(0, members).mapToObj((i) -> "d" + i).toList();
        final Map<String, Object> values = new HashMap<>(Map.of("level", level, "members", names));
        if (0 != parityStrips)
        {
            values.put("parity-strips", (long)parityStrips);
        }
        return DeviceProperties.of(values);
    }

    @ParameterizedTest
    @CsvSource(delimiter = '|', value = {
        "4 | 0 | 4 | level 4 not a supported RAID level: use one of 0, 1, 5, 6, 10, ec",
        "ec | 0 | 4 | parity-strips 0 outside 1 to 8, those of level ec: give the number of members that may fail",
        "ec | 9 | 14 | parity-strips 9 outside 1 to 8, those of level ec: give the number of members that may fail",
        "6 | 2 | 4 | parity-strips 2 not allowed: RAID 6 has a fixed count of parity strips: remove it, or choose " +
            "level ec",
        "ec | 3 | 4 | members 4 outside 5 to 35, the members of EC with 3 parity strips: list a number of members in " +
            "that range",
        "ec | 3 | 36 | members 36 outside 5 to 35, the members of EC with 3 parity strips: list a number of members " +
            "in that range"})
    void shouldRefuse(final String level, final int parityStrips, final int members, final String message)
    {
        final DeviceFactory.Problem problem = new RaidFactory().problem(array(level, parityStrips, members));
        assertEquals(message,
            problem.key() + ' ' + problem.value() + ' ' + problem.bound() + ": " + problem.remedy());
    }

    @Test
    void shouldAllowAsManyMembersAsTheCodeHas()
    {
        assertNull(new RaidFactory().problem(array("ec", 3, 5)));
        assertNull(new RaidFactory().problem(array("ec", 3, 35)));
        assertNull(new RaidFactory().problem(array("ec", 8, 40)));
        assertNull(new RaidFactory().problem(array("6", 0, 64)));
        assertEquals("EC 4+3 of d0, d1, d2, d3, d4, d5, d6", new RaidFactory().description(array("ec", 3, 7)));
    }
}
