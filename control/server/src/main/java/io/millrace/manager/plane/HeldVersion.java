package io.millrace.manager.plane;

import io.millrace.control.codec.Code;
import io.millrace.control.message.DriftInfo;
import io.millrace.control.message.LeadershipInfo;
import io.millrace.control.message.StatePosition;
import io.millrace.control.service.Reply;
import io.millrace.control.state.ManagerName;
import io.millrace.manager.change.Ledger;
import java.util.UUID;

/**
 * Version that a data plane holds, compared with that of this manager: an equal or earlier one, a later one, which is
 * adopted, or one of another lineage, which is left alone until an operator decides. The manager's thread.
 */
final class HeldVersion
{
    private final String name;
    private final Ledger ledger;
    private LeadershipInfo observed = LeadershipInfo.NONE;
    /** Lineage whose data plane an operator allowed this manager to take over; null: none. */
    private UUID allowedLineage;
    private boolean isForeign;
    private boolean isLater;

    HeldVersion(final String name, final Ledger ledger)
    {
        this.name = name;
        this.ledger = ledger;
    }

    /** Leadership and version of the data plane were read. */
    void onObserved(final LeadershipInfo info)
    {
        observed = info;
        final StatePosition held = info.position();
        final boolean isKnown = held.isKnown() && ledger.isKnown();
        final boolean isRelated = held.isRelatedTo(ledger.position());
        isForeign = isKnown && !isRelated && !held.lineage().equals(allowedLineage);
        isLater = isKnown && isRelated && held.isAfter(ledger.position());
    }

    /** The state of the data plane is that of this manager. */
    void onAdopted()
    {
        isLater = false;
    }

    /** Decisions for the former session are answered or void. */
    void onDisconnected()
    {
        isLater = false;
        allowedLineage = null;
    }

    /** An operator allows this manager to take over the lineage that the data plane has. */
    void allow()
    {
        allowedLineage = observed.position().lineage();
    }

    /** Whether it is of another lineage. */
    boolean isForeign()
    {
        return isForeign;
    }

    /** Whether it is later than that of this manager, whose pending changes are void. */
    boolean isLater()
    {
        return isLater;
    }

    /** Why it is not managed, and what to do. */
    String foreignReason()
    {
        return "it has " + observed.position() + ", this manager " + ledger.position() + (observed.isManaged() ?
            "; " + ManagerName.phrase(observed.managerName()) + " managed it before" : "") +
            ": 'millrace dataplane adopt' makes the actual state a version of this manager, 'millrace dataplane " +
            "reconcile --take-over' applies this manager's desired state";
    }

    Reply foreignRefusal()
    {
        return Reply.refused(Code.FAILED, "data plane " + name + " holds state of another lineage and is not " +
            "managed: " + foreignReason());
    }

    DriftInfo foreignDrift()
    {
        return new DriftInfo(true, false, name, "apply " + ledger.position() + " to data plane " + name,
            foreignReason());
    }

    Reply adoptingRefusal()
    {
        return Reply.refused(Code.FAILED, "data plane " + name + " has another state than this manager, which is " +
            "being adopted as its next version: inspect it, then try again");
    }
}
