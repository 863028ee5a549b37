package io.millrace.block.raid;

import static org.junit.jupiter.api.Assertions.assertEquals;

import org.junit.jupiter.api.Test;

class ArrayReportsTest
{
    private final ArrayReports reports = new ArrayReports("slot 2 is without a member", "d3 is not in the array");

    @Test
    void shouldSayThatSettingsAreNotFollowedWhenAllMembersAreInSync()
    {
        assertEquals("slot 2 is without a member; d3 is not in the array", reports.trouble());
        reports.clear();
        assertEquals("d3 is not in the array", reports.trouble());
        reports.onSettingsFollowed();
        assertEquals("", reports.trouble());
    }

    @Test
    void shouldLackAMemberThoughSettingsAreFollowed()
    {
        reports.onSettingsFollowed();
        assertEquals("slot 2 is without a member", reports.trouble());
        reports.trouble("slot 3 is without a member");
        assertEquals("slot 3 is without a member", reports.trouble());
    }
}
