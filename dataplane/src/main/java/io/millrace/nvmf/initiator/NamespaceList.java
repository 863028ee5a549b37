package io.millrace.nvmf.initiator;

import io.millrace.nvme.identify.IdentifyCns;
import io.millrace.nvme.identify.NamespaceInfo;
import java.nio.ByteOrder;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import org.agrona.concurrent.UnsafeBuffer;

/**
 * Reads the list of active namespaces of a controller, and identifies each. One use.
 */
final class NamespaceList
{
    private static final int NAMESPACES_PER_LIST = 1024;

    private final RemoteController controller;

    NamespaceList(final RemoteController controller)
    {
        this.controller = controller;
    }

    /**
     * {@return all active namespaces, ascending; fails with an {@link InitiatorException} when the list is not}
     */
    CompletableFuture<List<NamespaceInfo>> read()
    {
        return read(0, new ArrayList<>());
    }

    private CompletableFuture<List<NamespaceInfo>> read(final int after, final List<NamespaceInfo> found)
    {
        return controller.identify(IdentifyCns.ACTIVE_NAMESPACES, after).thenCompose((data) ->
        {
            final UnsafeBuffer list = new UnsafeBuffer(data);
            CompletableFuture<Void> all = CompletableFuture.completedFuture(null);
            int last = after;
            int count = 0;
            while (count < NAMESPACES_PER_LIST)
            {
                final int nsid = list.getInt(count * 4, ByteOrder.LITTLE_ENDIAN);
                if (0 == nsid)
                {
                    break;
                }
                if (Integer.compareUnsigned(nsid, last) <= 0)
                {
                    throw new InitiatorException("namespace list of " + controller.config().subsystemNqn() +
                        " is not ascending at " + Integer.toUnsignedString(nsid));
                }
                all = all.thenCompose((done) -> controller.namespace(nsid)).thenAccept((namespace) ->
                {
                    if (null != namespace)
                    {
                        found.add(namespace);
                    }
                });
                last = nsid;
                count++;
            }
            final int next = NAMESPACES_PER_LIST == count ? last : 0;
            return all.thenCompose((done) ->
                0 == next ? CompletableFuture.completedFuture(found) : read(next, found));
        });
    }
}
