package io.millrace.manager.plane;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNull;

import io.millrace.control.codec.Code;
import io.millrace.control.message.Command;
import java.util.Map;
import org.junit.jupiter.api.Test;

/** Which device is to be created, as the data plane lacks the one that a command changes. */
class AbsentDevicesTest
{
    private static final String LACKING = "device vol0: does not exist; existing devices: d0, d1";
    private static final Command MODIFY = new Command.ModifyDevice("vol0", Map.of("scrub-interval", "1d"));
    private static final Command RENAME = new Command.RenameDevice("vol0", "vol1");

    @Test
    void shouldCreateADeviceThatWasNotStartedByTheNameThatItHasThen()
    {
        assertEquals("vol0", AbsentDevices.absent(MODIFY, Code.NOT_FOUND, LACKING));
        assertEquals("vol1", AbsentDevices.absent(RENAME, Code.NOT_FOUND, LACKING));
    }

    @Test
    void shouldCreateNothingForOtherRefusals()
    {
        assertNull(AbsentDevices.absent(RENAME, Code.EXISTS, "device vol1: already exists"));
        assertNull(AbsentDevices.absent(RENAME, Code.NOT_FOUND, "device vol1: does not exist"));
        assertNull(AbsentDevices.absent(RENAME, Code.INVALID, LACKING));
        assertNull(AbsentDevices.absent(MODIFY, Code.NOT_FOUND, "device d0: does not exist"));
        assertNull(AbsentDevices.absent(new Command.DeleteDevice("vol0"), Code.NOT_FOUND, LACKING));
    }
}
