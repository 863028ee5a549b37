package io.millrace.nvmf.queue;

import io.millrace.nvme.AsyncEvent;
import io.millrace.nvme.LogPageId;
import io.millrace.nvme.NvmeStatus;
import io.millrace.nvmf.request.Request;
import io.millrace.nvmf.request.RequestPhase;
import java.util.TreeSet;

/**
 * Asynchronous Event Requests of a controller and the events that answer them (NVM Express Base 2.0, section 5.2). An
 * event is reported once; until the host has read its log page, further events of the kind are only recorded there.
 * Home of the controller only.
 */
public final class AsyncEvents
{
    /** How many requests a host may have outstanding. */
    public static final int REQUESTS_MAX = 4;
    /** How many namespaces the changed namespace list names before it says "all". */
    public static final int CHANGED_NAMESPACES_MAX = 1024;

    private static final int NAMESPACES = 0;
    private static final int DISCOVERY = 1;
    private static final int ANA = 2;
    private static final int KINDS = 3;
    private static final int[] RESULTS = {
        AsyncEvent.NAMESPACE_CHANGED, AsyncEvent.DISCOVERY_CHANGED, AsyncEvent.ANA_CHANGED};
    private static final int[] ENABLES = {
        AsyncEvent.ENABLE_NAMESPACE_NOTICES, AsyncEvent.ENABLE_DISCOVERY_NOTICES, AsyncEvent.ENABLE_ANA_NOTICES};

    private final QueuePair adminQueuePair;
    private final Request[] held = new Request[REQUESTS_MAX];
    private final boolean[] pending = new boolean[KINDS];
    private final boolean[] told = new boolean[KINDS];
    private final TreeSet<Integer> changedNamespaces = new TreeSet<>();
    private int heldCount;
    private int enabled;

    /**
     * Makes it with nothing outstanding.
     *
     * @param adminQueuePair that the requests come in on.
     * @param enabled        kinds of events that are reported until the host configures them.
     */
    AsyncEvents(final QueuePair adminQueuePair, final int enabled)
    {
        this.adminQueuePair = adminQueuePair;
        this.enabled = enabled;
    }

    /**
     * {@return kinds of events that are reported}
     */
    public int enabled()
    {
        return enabled;
    }

    /**
     * Sets which kinds of events are reported.
     *
     * @param kinds bits of {@code AsyncEvent}.
     */
    public void enabled(final int kinds)
    {
        enabled = kinds;
    }

    /**
     * Holds a request until there is an event for it.
     *
     * @param request of the host.
     */
    public void add(final Request request)
    {
        if (REQUESTS_MAX == heldCount)
        {
            adminQueuePair.complete(request, NvmeStatus.ASYNC_EVENT_LIMIT_EXCEEDED | NvmeStatus.DO_NOT_RETRY);
            return;
        }
        request.phase(RequestPhase.AWAITING_EVENT);
        held[heldCount++] = request;
        sendEvents();
    }

    /**
     * Forgets a request that ends otherwise.
     *
     * @param request that was kept.
     */
    void forget(final Request request)
    {
        for (int i = 0; i < heldCount; i++)
        {
            if (held[i] == request)
            {
                removeAt(i);
                return;
            }
        }
    }

    /**
     * Forgets a request whose command identifier the host uses again.
     *
     * @param commandId command identifier.
     * @return the request; null when none is kept under that identifier.
     */
    Request forget(final int commandId)
    {
        for (int i = 0; i < heldCount; i++)
        {
            final Request request = held[i];
            if (commandId == request.entry().commandId())
            {
                removeAt(i);
                return request;
            }
        }
        return null;
    }

    /**
     * Ends all requests, as a reset does.
     */
    public void abortAll()
    {
        while (heldCount > 0)
        {
            final Request request = held[0];
            removeAt(0);
            adminQueuePair.complete(request, NvmeStatus.ABORT_REQUESTED);
        }
    }

    /**
     * The connection is gone and with it every request.
     */
    public void onDisconnected()
    {
        while (heldCount > 0)
        {
            removeAt(0);
        }
    }

    /**
     * A namespace was added, removed or enlarged.
     *
     * @param nsid id of the namespace.
     */
    public void onNamespaceChanged(final int nsid)
    {
        // One more than fit says that it is all of them.
        if (changedNamespaces.size() <= CHANGED_NAMESPACES_MAX)
        {
            changedNamespaces.add(nsid);
        }
        raise(NAMESPACES);
    }

    /**
     * The discovery log changed.
     */
    public void onDiscoveryChanged()
    {
        raise(DISCOVERY);
    }

    /**
     * ANA states of its listener changed.
     */
    public void onAnaChanged()
    {
        raise(ANA);
    }

    /**
     * The host has read a log page: the next event that refers to it is reported again.
     *
     * @param logPageId of the page.
     */
    public void onLogPageRead(final int logPageId)
    {
        for (int kind = 0; kind < KINDS; kind++)
        {
            if (logPageId == AsyncEvent.logPage(RESULTS[kind]))
            {
                told[kind] = false;
                pending[kind] = false;
            }
        }
        if (LogPageId.CHANGED_NAMESPACES == logPageId)
        {
            changedNamespaces.clear();
        }
    }

    /**
     * {@return ids of namespaces that changed since the list was last read; more than fit when there were too many}
     */
    public TreeSet<Integer> changedNamespaces()
    {
        return changedNamespaces;
    }

    private void raise(final int kind)
    {
        if (0 != (enabled & ENABLES[kind]) && !told[kind])
        {
            pending[kind] = true;
            sendEvents();
        }
    }

    private void sendEvents()
    {
        for (int kind = 0; kind < KINDS && heldCount > 0; kind++)
        {
            if (pending[kind])
            {
                pending[kind] = false;
                told[kind] = true;
                final Request request = held[0];
                removeAt(0);
                request.result(RESULTS[kind], 0);
                adminQueuePair.complete(request, NvmeStatus.SUCCESS);
            }
        }
    }

    private void removeAt(final int index)
    {
        heldCount--;
        System.arraycopy(held, index + 1, held, index, heldCount - index);
        held[heldCount] = null;
    }
}
