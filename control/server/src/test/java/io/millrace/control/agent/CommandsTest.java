package io.millrace.control.agent;

import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.millrace.control.message.Command;
import io.millrace.control.message.QosSpec;
import java.util.UUID;
import org.junit.jupiter.api.Test;

/** Which commands the thread of the control agent leaves to another one, as it would answer nobody meanwhile. */
class CommandsTest
{
    private final Commands commands =
        new Commands(null, null, null, new Incarnations(null, (_) -> false, UUID::randomUUID), null);

    @Test
    void shouldWaitForDevicesElsewhere()
    {
        assertTrue(commands.mayTakeLong(new Command.DeleteDevice("vol0")));
        assertTrue(commands.mayTakeLong(new Command.ResizeDevice("vol0", 1 << 30)));
        assertTrue(commands.mayTakeLong(new Command.RenameDevice("vol0", "vol1")));
        assertFalse(commands.mayTakeLong(new Command.SetQos(new QosSpec("nqn", 1, "", 0, 0, 1000, 0, 0, 0, 0))));
    }
}
