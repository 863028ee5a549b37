package io.millrace.manager;

import io.millrace.control.codec.Code;
import io.millrace.control.codec.Kind;
import io.millrace.control.message.Command;
import io.millrace.control.message.ControlException;
import io.millrace.control.message.Resource;
import io.millrace.control.service.Caller;
import io.millrace.control.service.Listing;
import io.millrace.control.service.Reply;
import io.millrace.control.state.DesiredState;
import io.millrace.control.state.StateRecords;
import io.millrace.manager.change.AuditWriter;
import io.millrace.manager.change.Ledger;
import io.millrace.manager.plane.ManagedPlane;
import io.millrace.manager.plane.ManagedPlanes;
import io.millrace.manager.store.AuditEntry;
import io.millrace.manager.store.VersionHeader;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CompletableFuture;

/**
 * Lists of a manager: its data planes, their desired states, versions, drift and audit log; what else is asked for the
 * data plane answers. The thread of the service.
 */
final class ManagerLists
{
    private final ManagedPlanes planes;
    private final AuditWriter audit;
    private final StateReplacements replacements;

    ManagerLists(final ManagedPlanes planes, final AuditWriter audit, final StateReplacements replacements)
    {
        this.planes = planes;
        this.audit = audit;
        this.replacements = replacements;
    }

    /** Records of a List; fails with a ControlException. */
    CompletableFuture<Listing<?>> of(final Caller caller, final Command.List list)
    {
        final Kind kind = list.kind();
        final String name = Kind.VERSION == kind || Kind.AUDIT == kind || Kind.MANAGED == kind || Kind.DRIFT == kind ?
            list.name() : "";
        if (!name.isEmpty() && null == planes.get(name))
        {
            return CompletableFuture.failedFuture(planes.unknown(name));
        }
        final String only = name.isEmpty() ? caller.dataPlane() : name;
        if (Command.List.ACTUAL != list.version() && StateRecords.KINDS.contains(kind))
        {
            return only.isEmpty() ? whichDataPlane() :
                planes.get(only).order().inOrder(() -> desired(planes.get(only), list));
        }
        return switch (kind)
        {
            case MANAGED -> CompletableFuture.completedFuture(new Listing<>(
                planes.matching(only).toList(), ManagedPlane::info));
            case DRIFT -> CompletableFuture.completedFuture(new Listing<>(
                planes.matching(only).flatMap((each) -> each.drift().stream()).toList(), (each) -> each));
            case AUDIT -> CompletableFuture.completedFuture(new Listing<>(
                audit.recent().stream().filter((each) -> only.isEmpty() || only.equals(each.dataPlane())).toList(),
                AuditEntry::info));
            case PLAN -> only.isEmpty() ? whichDataPlane() : planes.get(only).order().inOrder(() ->
                replacements.steps(caller).thenApply((steps) -> new Listing<>(steps, (step) -> step)));
            case VERSION -> only.isEmpty() ? whichDataPlane() : CompletableFuture.completedFuture(
                versions(planes.get(only).ledger().history(), only));
            default -> only.isEmpty() ? whichDataPlane() :
                planes.get(only).order().inOrder(() -> planes.get(only).list(list));
        };
    }

    /** A change that the data plane refused has a version, whose comment says so. */
    private static Listing<?> versions(final List<VersionHeader> headers, final String dataPlane)
    {
        final Set<Long> reverted = new HashSet<>();
        headers.forEach((each) -> each.reverted().stream().filter((version) -> version != each.version())
            .forEach(reverted::add));
        return new Listing<>(headers, (each) -> each.info(dataPlane, reverted.contains(each.version())));
    }

    /** Of the desired state, that of now or an earlier one. */
    private static CompletableFuture<Listing<?>> desired(final ManagedPlane plane, final Command.List list)
    {
        if (Command.List.DESIRED == list.version())
        {
            return plane.ledger().isKnown() ? listing(plane.ledger().keptState(), list) :
                CompletableFuture.failedFuture(new ControlException(Code.FAILED, "data plane " + plane.name() +
                    " was never connected, so its desired state is unknown; start it, then try again"));
        }
        final Reply unknown = plane.ledger().unknownVersion(plane.name(), list.version());
        if (null != unknown)
        {
            return CompletableFuture.failedFuture(new ControlException(unknown.code(), unknown.text()));
        }
        final CompletableFuture<Listing<?>> future = new CompletableFuture<>();
        plane.order().read(list.version(), (state, failure) ->
        {
            if (null == failure)
            {
                listing(state, list).whenComplete((listing, refusal) -> complete(future, listing, refusal));
            }
            else
            {
                future.completeExceptionally(new ControlException(Code.FAILED,
                    "version " + list.version() + " cannot be read: " + Ledger.reason(failure)));
            }
        });
        return future;
    }

    private static <T> void complete(final CompletableFuture<T> future, final T value, final Throwable failure)
    {
        if (null == failure)
        {
            future.complete(value);
        }
        else
        {
            future.completeExceptionally(failure);
        }
    }

    private static CompletableFuture<Listing<?>> listing(final DesiredState state, final Command.List list)
    {
        final List<Resource> records = StateRecords.of(state, list.kind(), list.name());
        return null == records ? CompletableFuture.failedFuture(new ControlException(Code.NOT_FOUND,
            (Kind.DEVICE == list.kind() ? "device " : "subsystem ") + list.name() +
            ": is not in the desired state; 'millrace get' lists it")) :
            CompletableFuture.completedFuture(new Listing<>(records, (record) -> record));
    }

    private CompletableFuture<Listing<?>> whichDataPlane()
    {
        return CompletableFuture.failedFuture(new ControlException(Code.INVALID, planes.nameRequired()));
    }
}
