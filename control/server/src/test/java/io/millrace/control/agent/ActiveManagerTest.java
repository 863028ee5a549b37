package io.millrace.control.agent;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertNull;

import io.millrace.control.codec.Code;
import io.millrace.control.message.Command;
import io.millrace.control.message.LeadershipInfo;
import io.millrace.control.message.StatePosition;
import java.util.List;
import java.util.UUID;
import org.junit.jupiter.api.Test;

/** What a data plane notes of the versions that its manager tells it of. */
class ActiveManagerTest
{
    private static final UUID LINEAGE = new UUID(3, 4);
    private final ActiveManager manager = new ActiveManager("dp0", new LeadershipInfo(
        1, new UUID(1, 2), 0, new StatePosition(LINEAGE, 1, 1), 0, 0, "test", "/dev/shm/test"));

    private LeadershipInfo apply(final UUID lineage, final long version, final boolean isInSync)
    {
        assertNull(manager.apply(1, new Command.ApplyVersion(
            new StatePosition(lineage, 1, version), isInSync, manager.info().directChanges())));
        return manager.info();
    }

    /** Else a manager that is started again in between would take all of it for its own, and remove what it lacks. */
    @Test
    void shouldNotTakeForItsManagersOwnWhatAnotherLineageMade()
    {
        final LeadershipInfo begun = apply(new UUID(5, 6), 1, false);
        assertNotEquals(begun.directChanges(), begun.directChangesSeen());
        final LeadershipInfo further = apply(new UUID(5, 6), 2, false);
        assertEquals(begun.directChanges(), further.directChanges());
        assertNotEquals(further.directChanges(), further.directChangesSeen());
        final LeadershipInfo seen = apply(new UUID(5, 6), 2, true);
        assertEquals(seen.directChanges(), seen.directChangesSeen());
    }

    @Test
    void shouldRefuseAVersionThatThereCannotBe()
    {
        final LeadershipInfo before = manager.info();
        for (final StatePosition position : List.of(new StatePosition(LINEAGE, 1, 0), StatePosition.NONE,
            new StatePosition(LINEAGE, 1, StatePosition.VERSION_MAX + 1), new StatePosition(LINEAGE, -1, 2)))
        {
            assertEquals(Code.INVALID,
                manager.apply(1, new Command.ApplyVersion(position, true, 0)).code(), position::toString);
        }
        assertEquals(Code.STALE_TERM, manager.apply(
            2, new Command.ApplyVersion(new StatePosition(LINEAGE, 1, 2), true, 0)).code());
        assertEquals(before, manager.info());
    }

    @Test
    void shouldTakeForItsManagersOwnWhatItsLineageMade()
    {
        final LeadershipInfo next = apply(LINEAGE, 2, false);
        assertEquals(0, next.directChanges());
        assertEquals(0, next.directChangesSeen());
    }
}
