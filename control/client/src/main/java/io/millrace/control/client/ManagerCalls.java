package io.millrace.control.client;

import io.millrace.control.codec.ReconcileMode;
import io.millrace.control.message.AuditInfo;
import io.millrace.control.message.Command;
import io.millrace.control.message.ControlException;
import io.millrace.control.message.DriftInfo;
import io.millrace.control.message.ManagedInfo;
import io.millrace.control.message.PlanStepInfo;
import io.millrace.control.message.VersionInfo;
import java.util.ArrayList;
import java.util.List;

/**
 * Calls to a manager: versions of the desired state, documents, drift, audit. A view of a {@link ControlClient},
 * confined to its thread.
 */
public final class ManagerCalls
{
    private final ControlClient client;

    ManagerCalls(final ControlClient client)
    {
        this.client = client;
    }

    /**
     * Rolls back to an earlier version.
     *
     * @param version of {@link VersionInfo}.
     * @return the new version.
     * @throws ControlException when nothing of it was carried out, or no answer came in time.
     */
    public long rollback(final long version)
    {
        return client.execute(new Command.Rollback(version)).value();
    }

    /**
     * Replaces the desired state of a manager by a document, or plans that. A dry run answers what {@link #plan()}
     * tells the steps of.
     *
     * @param document in YAML.
     * @param command  with {@code fromVersion} 0.
     * @return the version that has the document's content; of a dry run the version that it was planned on.
     * @throws ControlException when nothing was changed, or no answer came in time.
     */
    public long replaceState(final String document, final Command.ReplaceState command)
    {
        sendDocument(document);
        return replaceState(command);
    }

    /**
     * Replaces the desired state of a manager by an earlier version, or by the document that was sent last in this
     * session, or plans that.
     *
     * @param command what to do.
     * @return the version that has the content; of a dry run the version that it was planned on.
     * @throws ControlException when nothing was changed, or no answer came in time.
     */
    public long replaceState(final Command.ReplaceState command)
    {
        return client.execute(command).value();
    }

    private void sendDocument(final String document)
    {
        final List<Call> calls = new ArrayList<>();
        DocumentParts.of(document).forEach((part) -> calls.add(client.submit(part)));
        client.await(calls);
        calls.forEach(Call::orThrow);
    }

    /**
     * Lists the steps of the {@link Command.ReplaceState} that this session sent last.
     *
     * @return steps and obstacles in order.
     * @throws ControlException if the manager did not answer with it, or not in time.
     */
    public List<PlanStepInfo> plan()
    {
        return client.list(PlanStepInfo.class, "");
    }

    /**
     * Lists the versions that a manager keeps.
     *
     * @param name of the data plane; empty: that of the session.
     * @return all that are kept, the oldest first.
     * @throws ControlException if the manager did not answer with it, or not in time.
     */
    public List<VersionInfo> versions(final String name)
    {
        return client.list(VersionInfo.class, name);
    }

    /**
     * Lists the latest entries of a manager's audit log.
     *
     * @param name of a data plane; empty: that of the session, or all.
     * @return the last 1,000 entries at most, the oldest first.
     * @throws ControlException if the manager did not answer with it, or not in time.
     */
    public List<AuditInfo> audit(final String name)
    {
        return client.list(AuditInfo.class, name);
    }

    /**
     * Lists the data planes of a manager.
     *
     * @param name of one; empty: that of the session, or all.
     * @return all there are, in the order of the manager.
     * @throws ControlException if the manager did not answer with it, or not in time.
     */
    public List<ManagedInfo> managed(final String name)
    {
        return client.list(ManagedInfo.class, name);
    }

    /**
     * Lists differences between desired and actual state that a manager has not settled.
     *
     * @param name of a data plane; empty: that of the session, or all.
     * @return all there are.
     * @throws ControlException if the manager did not answer with it, or not in time.
     */
    public List<DriftInfo> drift(final String name)
    {
        return client.list(DriftInfo.class, name);
    }

    /**
     * Starts a comparison with the desired state, and resolves differences.
     *
     * @param mode what it may do.
     * @return what came of it, in one sentence.
     * @throws ControlException when it was refused, or no answer came in time.
     */
    public String reconcile(final ReconcileMode mode)
    {
        return client.await(client.submit(new Command.Reconcile(mode))).orThrow().text();
    }
}
