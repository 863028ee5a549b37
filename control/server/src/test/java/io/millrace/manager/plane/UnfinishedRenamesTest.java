package io.millrace.manager.plane;

import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.millrace.control.message.Command;
import io.millrace.control.message.DeviceSpec;
import io.millrace.control.message.NamespaceSpec;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Until a rename has ended, both of its names may be those of another array. */
class UnfinishedRenamesTest
{
    private static final String NQN = "nqn.2026-11.io.millrace:vol0";
    private static final Command RENAME = new Command.RenameDevice("vol0", "vol1");

    /** All that would change, delete or use a device of that name, or be in its way. */
    private static List<Command> steps(final String name)
    {
        return List.of(
            new Command.RenameDevice(name, "other"),
            new Command.RenameDevice("other", name),
            new Command.CreateDevice(new DeviceSpec(name, "raid", Map.of("level", "1", "members", "d0 d1"))),
            new Command.CreateDevice(DeviceSpec.fault("faulty", name, 1)),
            new Command.DeleteDevice(name),
            new Command.ModifyDevice(name, Map.of("members", "d0 d2")),
            new Command.ResizeDevice(name, 1 << 30),
            new Command.AddNamespace(new NamespaceSpec(NQN, 1, name)));
    }

    @ParameterizedTest
    @ValueSource(strings = {"vol0", "vol1"})
    void shouldConcernStepsOnEitherName(final String name)
    {
        final UnfinishedRenames renames = new UnfinishedRenames();
        renames.add(new Command.DeleteDevice(name));
        steps(name).forEach((each) -> assertFalse(renames.concern(each), () -> "nothing is unfinished: " + each));
        renames.add(RENAME);
        steps(name).forEach((each) -> assertTrue(renames.concern(each), each::toString));
    }

    @Test
    void shouldNotConcernOtherSteps()
    {
        final UnfinishedRenames renames = new UnfinishedRenames();
        renames.add(RENAME);
        steps("vol2").forEach((each) -> assertFalse(renames.concern(each), each::toString));
        assertFalse(renames.concern(new Command.RemoveNamespace(NQN, 1)), "whatever it is on");
    }
}
