package io.millrace.control.message;

import java.util.Objects;
import java.util.UUID;

/**
 * The manager that is in charge of a data plane, and what it applied there last.
 *
 * @param term              that a manager took last; 0: none ever did.
 * @param managerId         new at each start of that manager.
 * @param sinceEpochNs      when it took the term, since 1970, by the clock of the data plane.
 * @param position          version that was applied last, begun or finished.
 * @param directChanges     changes that were made past the manager, all together.
 * @param directChangesSeen of them, those that a manager found settled when it compared.
 * @param managerName       as configured there.
 * @param managerAddress    where the manager takes commands: directory or channel.
 */
public record LeadershipInfo(
    long term,
    UUID managerId,
    long sinceEpochNs,
    StatePosition position,
    long directChanges,
    long directChangesSeen,
    String managerName,
    String managerAddress)
    implements Resource
{
    /** Of a data plane that never had a manager. */
    public static final LeadershipInfo NONE =
        new LeadershipInfo(0, new UUID(0, 0), 0, StatePosition.NONE, 0, 0, "", "");

    /**
     * Rejects null.
     */
    public LeadershipInfo
    {
        Objects.requireNonNull(managerId, "managerId");
        Objects.requireNonNull(position, "position");
        Objects.requireNonNull(managerName, "managerName");
        Objects.requireNonNull(managerAddress, "managerAddress");
    }

    /**
     * {@return whether a manager is in charge, or was}
     */
    public boolean isManaged()
    {
        return 0 != term;
    }
}
