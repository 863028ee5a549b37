package io.millrace.manager.change;

import static org.junit.jupiter.api.Assertions.assertEquals;

import io.millrace.control.codec.ArrayOperation;
import io.millrace.control.codec.Role;
import io.millrace.control.message.Command;
import io.millrace.control.message.DeviceSpec;
import java.util.Map;
import org.junit.jupiter.api.Test;

/** Commands in the history and the audit log. */
class CommandDescriptionsTest
{
    @Test
    void shouldNameTheLevelOfAnArray()
    {
        assertEquals("create device vol0 (raid level 5 over d0, d1, d2)", CommandDescriptions.of(
            new Command.CreateDevice(new DeviceSpec("vol0", "raid", Map.of("level", "5", "members", "d0 d1 d2")))));
    }

    @Test
    void shouldNameTheJournalDeviceApartFromMembers()
    {
        assertEquals("create device vol0 (raid level 5 over d0, d1, d2 with its journal on fast)",
            CommandDescriptions.of(new Command.CreateDevice(new DeviceSpec("vol0", "raid",
            Map.of("level", "5", "members", "d0 d1 d2", "journal-device", "fast")))));
    }

    @Test
    void shouldSayWhatWasErasedByAnAdministrator()
    {
        final Command erase = new Command.OperateArray("d1", ArrayOperation.ERASE_DEVICE, "an ext4 file system");
        assertEquals("erase device d1, which held an ext4 file system", CommandDescriptions.of(erase));
        assertEquals(Role.ADMIN, erase.role());
        assertEquals(Role.OPERATOR, new Command.OperateArray("d1", ArrayOperation.EXAMINE_DEVICE, "").role());
    }
}
