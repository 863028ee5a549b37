package io.millrace.control.state;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.millrace.control.message.Command;
import io.millrace.control.message.ControlException;
import io.millrace.control.message.DeviceSpec;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import org.junit.jupiter.api.Test;

/** Plans rename arrays that have another name in the desired state, and delete nothing. */
class RenamesTest
{
    private static final String STATE = """
        devices:
          - {name: a, type: file, path: /a, size: 1GiB}
          - {name: b, type: file, path: /b, size: 1GiB}
          - {name: c, type: file, path: /c, size: 1GiB}
          - {name: d, type: file, path: /d, size: 1GiB}
          - {name: vol0, type: raid, level: 1, members: [a, b]}
        subsystems:
          - nqn: nqn.2026-11.io.millrace:vol0
            namespaces: [{nsid: 7, device: vol0, uuid: 6f1d0b8e-6d3c-4a45-9e0f-0a1b2c3d4e5f}]
        discovery: false
        """;
    private static final List<String> RENAME = List.of("~ rename array vol0 to vol1");

    private static DesiredState state(final String text)
    {
        return StateDocument.read("s.yaml", text).state();
    }

    private static List<String> plan(final String from, final String to)
    {
        return StatePlan.between(state(from), state(to)).steps().stream()
            .map((step) -> step.mark() + " " + step.sentence()).toList();
    }

    private static String renamed(final String text)
    {
        return text.replace("name: vol0", "name: vol1").replace("device: vol0", "device: vol1");
    }

    private static void assertNoRename(final List<String> plan)
    {
        assertTrue(plan.stream().noneMatch((each) -> each.contains("rename")), plan::toString);
    }

    @Test
    void shouldRenameWithNamespaces()
    {
        assertEquals(RENAME, plan(STATE, renamed(STATE)));
        final DesiredState edited = state(STATE).with(new Command.RenameDevice("vol0", "vol1"));
        assertEquals(state(renamed(STATE)).devices(), edited.devices());
        assertEquals(state(renamed(STATE)).subsystems().toString(), edited.subsystems().toString());
        assertEquals(List.of(), StatePlan.between(edited, state(renamed(STATE))).steps());
    }

    /** A UUID that was derived from the old name is what hosts know. */
    @Test
    void shouldKeepTheUuidOfANamespace()
    {
        final DesiredState before = state(STATE.replace(", uuid: 6f1d0b8e-6d3c-4a45-9e0f-0a1b2c3d4e5f", ""));
        final DesiredState after = before.with(new Command.RenameDevice("vol0", "vol1"));
        assertEquals(before.subsystems().firstEntry().getValue().namespaces().get(7).uuid(),
            after.subsystems().firstEntry().getValue().namespaces().get(7).uuid());
        assertEquals(List.of("~ rename array vol0 to vol1"), StatePlan.between(before, after).steps().stream()
            .map((step) -> step.mark() + " " + step.sentence()).toList());
        final DesiredState read = StateDocument.read("s.yaml", StateDocument.write(after)).state();
        assertEquals(after.subsystems().firstEntry().getValue().namespaces().get(7).uuid(),
            read.subsystems().firstEntry().getValue().namespaces().get(7).uuid(), "lost in a document");
    }

    /** The default UUID is derived from the name: hosts would see another volume. */
    @Test
    void shouldSayHowToKeepTheUuid()
    {
        final String text = STATE.replace(", uuid: 6f1d0b8e-6d3c-4a45-9e0f-0a1b2c3d4e5f", "");
        final UUID before = state(text).subsystems().firstEntry().getValue().namespaces().get(7).uuid();
        final UUID after = state(renamed(text)).subsystems().firstEntry().getValue().namespaces().get(7).uuid();
        assertEquals(List.of(
            "~ rename array vol0 to vol1",
            "! remove namespace 7 of nqn.2026-11.io.millrace:vol0 from device vol1, since its uuid " + before +
                " does not become " + after + ": to keep it, give the namespace 'uuid: " + before + "'",
            "+ add namespace 7 of nqn.2026-11.io.millrace:vol0 on device vol1"), plan(text, renamed(text)));
    }

    @Test
    void shouldRenameAndChangeMembers()
    {
        assertEquals(List.of("~ rename array vol0 to vol1", "~ set members to a c of device vol1"),
            plan(STATE, renamed(STATE).replace("[a, b]", "[a, c]")));
    }

    @Test
    void shouldNotRenameAnotherArray()
    {
        // Of other devices, as a spare alone, or of what is created anew.
        assertNoRename(plan(STATE, renamed(STATE).replace("[a, b]", "[c, d]")));
        assertNoRename(plan(STATE, renamed(STATE).replace("[a, b]", "[c, d], spares: [a]")));
        assertNoRename(plan(STATE, renamed(STATE).replace("path: /a", "path: /e").replace("path: /b", "path: /f")));
        // Most of the members are others.
        final String three = STATE.replace("level: 1, members: [a, b]", "level: 5, members: [a, b, c]").replace(
            "  - {name: d,", "  - {name: e, type: file, path: /e, size: 1GiB}\n  - {name: d,");
        assertNoRename(plan(three, renamed(three).replace("[a, b, c]", "[a, d, e]")));
        assertEquals(RENAME.getFirst(), plan(three, renamed(three).replace("[a, b, c]", "[a, d, c]")).getFirst());
        // Two that share the members of one.
        assertNoRename(plan(STATE, renamed(STATE).replace("[a, b]}", "[a, c]}").replace(
            "  - {name: vol1", "  - {name: vol2, type: raid, level: 1, members: [b, d]}\n  - {name: vol1")));
        // One that is there under both names, of which the first has other members now.
        assertNoRename(plan(STATE, STATE.replace("members: [a, b]}",
            "members: [c, d]}\n  - {name: vol1, type: raid, level: 1, members: [a, b]}")));
        // A device that is made of it names it.
        final String wrapped = STATE.replace("members: [a, b]}", "members: [a, b]}\n  - {name: x, type: fault, " +
            "base: vol0}").replace("device: vol0", "device: x");
        assertNoRename(plan(wrapped, wrapped.replace("name: vol0", "name: vol1").replace("base: vol0", "base: vol1")));
    }

    /** What the array leaves, or gets besides, is no rename of it. */
    @Test
    void shouldNotRenameAnArrayThatKeepsItsName()
    {
        // Another one gets the member that it gives up, and even its namespace.
        assertNoRename(plan(STATE, STATE.replace("members: [a, b]}",
            "members: [a, c]}\n  - {name: vol1, type: raid, level: 1, members: [b, d]}")
            .replace("device: vol0", "device: vol1")));
        // It gets the members of one that is gone.
        final StatePlan merged = StatePlan.between(state(STATE.replace("members: [a, b]}",
            "members: [a, b]}\n  - {name: vol1, type: raid, level: 1, members: [c, d]}")),
            state(renamed(STATE).replace("[a, b]", "[a, b, c, d]")));
        assertEquals(List.of(), merged.obstacles());
        // Nothing says whether hosts have the data of the old one or of the new one of that name.
        final String unused = STATE.substring(0, STATE.indexOf("subsystems:")) + "discovery: false";
        assertNoRename(plan(unused, unused.replace("members: [a, b]}",
            "members: [c, d]}\n  - {name: vol1, type: raid, level: 1, members: [a, b]}")));
    }

    private static final String TWO = """
        devices:
          - {name: a, type: file, path: /a, size: 1GiB}
          - {name: b, type: file, path: /b, size: 1GiB}
          - {name: c, type: file, path: /c, size: 1GiB}
          - {name: d, type: file, path: /d, size: 1GiB}
          - {name: %s, type: raid, level: 1, members: [a, b]}
          - {name: %s, type: raid, level: 1, members: [c, d]}
        subsystems:
          - nqn: nqn.2026-11.io.millrace:two
            namespaces:
              - {nsid: 7, device: %1$s, uuid: 6f1d0b8e-6d3c-4a45-9e0f-0a1b2c3d4e5f}
              - {nsid: 8, device: %2$s, uuid: 6f1d0b8e-6d3c-4a45-9e0f-0a1b2c3d4e60}
            hosts: [nqn.2026-11.com.example:h]
        discovery: false
        """;

    /** As 'raid rename' for each while the data plane was away. */
    @Test
    void shouldRenameIntoTheNameOfAnArrayThatIsRenamedItself()
    {
        final List<String> chain = List.of("~ rename array vol1 to vol2", "~ rename array vol0 to vol1");
        assertEquals(chain, plan(TWO.formatted("vol0", "vol1"), TWO.formatted("vol1", "vol2")));
        assertEquals(2, StatePlan.between(
            state(TWO.formatted("vol0", "vol1")), state(TWO.formatted("vol1", "vol2"))).stages().size());
        assertEquals(List.of("~ rename array vol0 to x", "~ rename array vol1 to vol0"),
            plan(TWO.formatted("vol0", "vol1"), TWO.formatted("x", "vol0")));
        assertEquals(List.of("~ rename array vol1 to x", "~ rename array vol0 to y"),
            plan(TWO.formatted("vol0", "vol1"), TWO.formatted("y", "x")).reversed());
        final String before = TWO.formatted("vol0", "vol1");
        final String after = TWO.formatted("vol1", "vol2");
        assertEquals(chain, plan(before.substring(0, before.indexOf("subsystems:")) + "discovery: false",
            after.substring(0, after.indexOf("subsystems:")) + "discovery: false"), "nothing uses them");
    }

    /** A namespace on the name would be one on the other array, with its data, once members were refused. */
    @Test
    void shouldNotGiveAnArrayTheMembersOfAnother()
    {
        final String swapped = TWO.formatted("vol1", "vol0").replace("hosts: [nqn.2026-11.com.example:h]", "hosts: []");
        assertObstacle(swapped, TWO.formatted("vol0", "vol1"), "arrays vol0, vol1 would get the names of each other: " +
            "rename one of them to a third name first (millrace raid rename vol0 NAME), then apply this again");
        assertEquals(List.of("~ rename array vol1 to vol0", "~ rename array x to vol1"),
            plan(TWO.formatted("x", "vol1"), TWO.formatted("vol1", "vol0")), "what the sentence says is no way out");
        // Members alone.
        assertObstacle(swapped.replace("device: vol0", "device: x").replace("device: vol1", "device: vol0")
            .replace("device: x", "device: vol1"), TWO.formatted("vol0", "vol1"),
            "array vol0 would have the members of array vol1, " +
            "which is another one: rename or delete array vol0 first");
        // One of them is gone.
        assertObstacle(swapped.replace("  - {name: vol0, type: raid, level: 1, members: [c, d]}\n", "")
            .replace("device: vol0", "device: c"), TWO.formatted("vol0", "vol1"),
            "array vol1 would have the members of array vol0, " +
            "which is another one: rename or delete array vol1 first");
    }

    @Test
    void shouldSayOnceThatNamesGoRoundInACircle()
    {
        final String three = TWO.replace("subsystems:", "  - {name: %3$s, type: raid, level: 1, members: [e, f]}\n" +
            "subsystems:").replace("  - {name: %s, type: raid, level: 1, members: [a, b]}",
            "  - {name: e, type: file, path: /e, size: 1GiB}\n  - {name: f, type: file, path: /f, size: 1GiB}\n" +
            "  - {name: %1$s, type: raid, level: 1, members: [a, b]}").replace(
            "{name: %s, type: raid, level: 1, members: [c, d]}", "{name: %2$s, type: raid, level: 1, members: [c, d]}");
        assertEquals(List.of("arrays vol0, vol1, vol2 would get the names of each other: rename one of them to a " +
            "third name first (millrace raid rename vol0 NAME), then apply this again"), StatePlan.between(
            state(three.formatted("vol0", "vol1", "vol2")), state(three.formatted("vol1", "vol2", "vol0")))
            .obstacles());
    }

    /** What is denied is denied. */
    private static void assertObstacle(final String desired, final String actual, final String obstacle)
    {
        final StatePlan plan = StatePlan.between(state(actual), state(desired));
        assertTrue(plan.obstacles().contains(obstacle), plan.obstacles()::toString);
        assertEquals(List.of("deny host nqn.2026-11.com.example:h on nqn.2026-11.io.millrace:two"),
            plan.steps().stream().map(StateStep::sentence).toList());
    }

    /** As 'raid rename', then 'raid create', while the data plane was away: the namespace says which one is which. */
    @Test
    void shouldRenameAnArrayOfWhoseNameThereIsANewOne()
    {
        final String desired = renamed(STATE).replace(
            "subsystems:", "  - {name: vol0, type: raid, level: 1, members: [c, d]}\nsubsystems:");
        assertEquals(List.of("~ rename array vol0 to vol1", "+ create raid device vol0 with level 1, members c d"),
            plan(STATE, desired));
        assertNoRename(plan(STATE, desired.replace("device: vol1", "device: vol0")));
    }

    @Test
    void shouldKnowUsersAfterARename()
    {
        final StateEditor editor = state(STATE).edit();
        editor.apply(new Command.RenameDevice("vol0", "vol1"));
        assertUsed("device vol1: is used by namespace nqn.2026-11.io.millrace:vol0/7", editor, "vol1");
        assertUsed("device a: is used by device vol1", editor, "a");
        editor.apply(new Command.CreateDevice(DeviceSpec.file("vol0", "/e", 1 << 30)));
        editor.apply(new Command.DeleteDevice("vol0"));
        editor.apply(new Command.RemoveNamespace("nqn.2026-11.io.millrace:vol0", 7));
        editor.apply(new Command.DeleteDevice("vol1"));
        editor.apply(new Command.DeleteDevice("a"));
    }

    private static void assertUsed(final String words, final StateEditor editor, final String device)
    {
        final String said = assertThrows(ControlException.class,
            () -> editor.apply(new Command.DeleteDevice(device))).getMessage();
        assertTrue(said.startsWith(words), said);
    }

    /** What members had is gone. */
    @Test
    void shouldNotRenameAnArrayWhoseMembersAreMadeAnew()
    {
        assertNoRename(plan(STATE, renamed(STATE).replace("path: /a, size: 1GiB", "path: /a, size: 512MiB")
            .replace("path: /b, size: 1GiB", "path: /b, size: 512MiB")));
        assertNoRename(plan(STATE, renamed(STATE).replace("type: file, path: /a", "type: memory")
            .replace("type: file, path: /b", "type: memory")));
        assertEquals(RENAME, StatePlan.between(ofMemory(1, "vol0"), ofMemory(1, "vol1")).steps().stream()
            .map((step) -> step.mark() + " " + step.sentence()).toList());
        assertNoRename(StatePlan.between(ofMemory(1, "vol0"), ofMemory(2, "vol1")).steps().stream()
            .map(StateStep::sentence).toList());
    }

    private static DesiredState ofMemory(final long incarnation, final String array)
    {
        DesiredState state = DesiredState.EMPTY;
        for (final String each : List.of("a", "b"))
        {
            state = state.with(new Command.CreateDevice(
                new DeviceSpec(each, "memory", Map.of("size", "1GiB"), new UUID(1, incarnation))));
        }
        return state.with(new Command.CreateDevice(
            new DeviceSpec(array, "raid", Map.of("level", "1", "members", "a b"))));
    }

    @Test
    void shouldNotRenameToANameThatIsTaken()
    {
        // By an array that gets its members.
        final String two = STATE.replace("members: [a, b]}",
            "members: [a, b]}\n  - {name: vol1, type: raid, level: 1, members: [c, d]}");
        assertNoRename(plan(two, renamed(STATE)));
        // By another one that becomes part of the same array.
        assertNoRename(plan(two.replace("name: vol1", "name: vol2"), renamed(STATE).replace("[a, b]", "[a, b, c, d]")));
    }

    /** An apply without pruning leaves namespaces that its document does not name. */
    @Test
    void shouldRenameInAnApplyThatNamesTheArrayAlone()
    {
        final DesiredState actual = state(STATE);
        final DesiredState named =
            state(renamed(STATE.substring(0, STATE.indexOf("subsystems:"))) + "discovery: false");
        final DesiredState target = named.including(actual);
        assertEquals(RENAME, StatePlan.between(actual, target).steps().stream()
            .map((step) -> step.mark() + " " + step.sentence()).toList());
        assertEquals("vol1", target.subsystems().firstEntry().getValue().namespaces().get(7).device());
    }
}
