package io.millrace.nvmf.initiator;

import io.millrace.nvme.identify.ControllerInfo;
import io.millrace.nvme.identify.IdentifyCns;
import io.millrace.nvme.identify.NamespaceInfo;
import java.nio.ByteOrder;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.function.Predicate;
import org.agrona.concurrent.UnsafeBuffer;

/**
 * Reads the list of active namespaces of a controller, and identifies each. A list of more entries than the controller
 * may have (NN), or than {@value #NAMESPACES_MAX}, and one whose entries do not rise are refused: a target that never
 * ends its list would be read until memory is exhausted. One use.
 */
final class NamespaceList
{
    /** Most entries that are read, whatever NN is. */
    static final int NAMESPACES_MAX = 65_536;

    private static final int NAMESPACES_PER_LIST = 1024;

    private final RemoteController controller;
    private final int namespaceIdMax;
    private final CompletableFuture<NamespaceInfo> outcome = new CompletableFuture<>();
    private Predicate<NamespaceInfo> wanted;
    private UnsafeBuffer list;
    private int index;
    private int last;
    private int entries;

    NamespaceList(final RemoteController controller, final ControllerInfo info)
    {
        this.controller = controller;
        this.namespaceIdMax = info.namespaceIdMax();
    }

    /**
     * {@return all active namespaces, ascending; fails with an {@link InitiatorException} when the list is invalid}
     */
    CompletableFuture<List<NamespaceInfo>> read()
    {
        final List<NamespaceInfo> found = new ArrayList<>();
        return find((namespace) ->
        {
            found.add(namespace);
            return false;
        }).thenApply((none) -> found);
    }

    /**
     * Looks for a namespace; keeps no other.
     *
     * @param condition that it fulfils.
     * @return the first namespace that fulfils it; null when no namespace does. Fails with an
     *     {@link InitiatorException} when the list is invalid up to there.
     */
    CompletableFuture<NamespaceInfo> find(final Predicate<NamespaceInfo> condition)
    {
        wanted = condition;
        readList();
        return outcome;
    }

    private void readList()
    {
        controller.identify(IdentifyCns.ACTIVE_NAMESPACES, last).thenAccept((data) ->
        {
            list = new UnsafeBuffer(data);
            index = 0;
            identifyNext();
        }).exceptionally(this::onFailure);
    }

    private void identifyNext()
    {
        if (NAMESPACES_PER_LIST == index)
        {
            readList();
            return;
        }
        final int nsid = list.getInt(index * Integer.BYTES, ByteOrder.LITTLE_ENDIAN);
        if (0 == nsid)
        {
            outcome.complete(null);
            return;
        }
        check(nsid);
        last = nsid;
        index++;
        entries++;
        controller.namespace(nsid).thenAccept((namespace) ->
        {
            if (null != namespace && wanted.test(namespace))
            {
                outcome.complete(namespace);
            }
            else
            {
                identifyNext();
            }
        }).exceptionally(this::onFailure);
    }

    private void check(final int nsid)
    {
        if (Integer.compareUnsigned(nsid, last) <= 0)
        {
            throw new InitiatorException(name() + " is not ascending: " + Integer.toUnsignedString(nsid) +
                " follows " + Integer.toUnsignedString(last));
        }
        if (NAMESPACES_MAX == entries || Integer.compareUnsigned(entries, namespaceIdMax) >= 0)
        {
            throw new InitiatorException(name() + " has more than " + entries + " entries, and at most " +
                NAMESPACES_MAX + " and at most its NN of " + Integer.toUnsignedString(namespaceIdMax) +
                " are read: name a namespace by its nsid, or check the target");
        }
    }

    private String name()
    {
        return "namespace list of " + controller.config().subsystemNqn() + " at " + controller.config().target();
    }

    private Void onFailure(final Throwable failure)
    {
        outcome.completeExceptionally(failure instanceof CompletionException ? failure.getCause() : failure);
        return null;
    }
}
