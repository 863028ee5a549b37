package io.millrace.control.client;

import io.millrace.control.codec.Kind;
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
 * What a manager does and a data plane does not: versions of desired state, documents, drift, audit. A view of a {@link
 * ControlClient}, of whose thread it is.
 */
public final class ManagerCalls
{
    private final ControlClient client;

    ManagerCalls(final ControlClient client)
    {
        this.client = client;
    }

    /**
     * Has a manager go back to what it kept earlier.
     *
     * @param version of {@link VersionInfo}.
     * @return the version that came of it.
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
     * @throws ControlException when the manager did not tell, or no answer came in time.
     */
    public List<PlanStepInfo> plan()
    {
        return client.list(Kind.PLAN, "", PlanStepInfo.class);
    }

    /**
     * Lists the versions that a manager keeps.
     *
     * @param name of the data plane; empty: that of the session.
     * @return all that are kept, the oldest first.
     * @throws ControlException when the manager did not tell, or no answer came in time.
     */
    public List<VersionInfo> versions(final String name)
    {
        return client.list(Kind.VERSION, name, VersionInfo.class);
    }

    /**
     * Lists what a manager was asked for lately.
     *
     * @param name of a data plane; empty: that of the session, or all.
     * @return the last 1,000 entries at most, the oldest first.
     * @throws ControlException when the manager did not tell, or no answer came in time.
     */
    public List<AuditInfo> audit(final String name)
    {
        return client.list(Kind.AUDIT, name, AuditInfo.class);
    }

    /**
     * Lists the data planes of a manager.
     *
     * @param name of one; empty: that of the session, or all.
     * @return all there are, in the order of the manager.
     * @throws ControlException when the manager did not tell, or no answer came in time.
     */
    public List<ManagedInfo> managed(final String name)
    {
        return client.list(Kind.MANAGED, name, ManagedInfo.class);
    }

    /**
     * Lists differences between desired and actual state that a manager has not settled.
     *
     * @param name of a data plane; empty: that of the session, or all.
     * @return all there are.
     * @throws ControlException when the manager did not tell, or no answer came in time.
     */
    public List<DriftInfo> drift(final String name)
    {
        return client.list(Kind.DRIFT, name, DriftInfo.class);
    }

    /**
     * Has a manager compare a data plane now, and settle differences.
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
