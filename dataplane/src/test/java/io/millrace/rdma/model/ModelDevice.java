package io.millrace.rdma.model;

import io.millrace.bindings.verbs.Verbs;
import java.net.InetAddress;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;

/**
 * An RDMA device of one port: its regions by key, and what is on it. Under the monitor of its network.
 */
public final class ModelDevice
{
    /** What happened. */
    record AsyncEvent(int type, long element)
    {
    }

    /** What a key names. */
    static final class Region
    {
        final long pd;
        final long address;
        final long lengthBytes;
        final int access;
        final int key;
        /** Whether a peer may invalidate it, which plain regions do not allow. */
        boolean isInvalidatable;
        boolean isInvalid;
        /** Who alone may use it, of a window. */
        ModelQueuePair pair;

        Region(final long pd, final long address, final long lengthBytes, final int access, final int key)
        {
            this.pd = pd;
            this.address = address;
            this.lengthBytes = lengthBytes;
            this.access = access;
            this.key = key;
        }

        boolean allows(final long ofPd, final long from, final long bytes, final int rights)
        {
            return pd == ofPd && !isInvalid && rights == (access & rights) && from >= address && bytes >= 0 &&
                bytes <= lengthBytes - (from - address) && from - address <= lengthBytes;
        }
    }

    private final ModelNetwork network;
    private final ModelRdmaCore core;
    private final InetAddress address;
    private final int number;
    private final long context;
    private final Map<Integer, Region> regions = new HashMap<>();
    private final ModelDescriptors descriptors;
    private final int asyncFd;
    private final ArrayDeque<AsyncEvent> events = new ArrayDeque<>();
    private int nextKey = 0x100;
    private final List<ModelQueuePair> orphans = new ArrayList<>();
    private int transportType = Verbs.IBV_TRANSPORT_IB;
    /** Whether librdmacm knows that it is gone. */
    boolean isForgotten;
    private final CompletableFuture<Void> closed = new CompletableFuture<>();
    private boolean isRemoved;
    private boolean isDisassociated;
    private boolean hasFailed;

    ModelDevice(
        final ModelNetwork network,
        final ModelRdmaCore core,
        final InetAddress address,
        final long context,
        final ModelDescriptors descriptors)
    {
        this.descriptors = descriptors;
        asyncFd = descriptors.open();
        this.network = network;
        this.core = core;
        this.address = address;
        this.context = context;
        number = network.add(this, address);
    }

    /**
     * {@return its address}
     */
    public InetAddress address()
    {
        return address;
    }

    ModelRdmaCore core()
    {
        return core;
    }

    int number()
    {
        return number;
    }

    long context()
    {
        return context;
    }

    boolean isRemoved()
    {
        return isRemoved;
    }

    /** {@return whether the kernel has taken it from the process, which is answered {@code EIO} from then on} */
    boolean isDisassociated()
    {
        return isDisassociated;
    }

    /** {@return whether it carries out commands of the process} */
    boolean takesCommands()
    {
        return !isRemoved && !isDisassociated;
    }

    /** {@return whether its firmware does not answer; the kernel carries out what destroys} */
    boolean hasFailed()
    {
        return hasFailed;
    }

    /** The process has let go of a queue pair that the hardware still has. */
    void addOrphan(final ModelQueuePair pair)
    {
        orphans.add(pair);
    }

    String name()
    {
        return "model" + number;
    }

    /**
     * Makes it an iWARP adapter, before anything is on it: it takes what an RDMA READ brings only into memory that is
     * registered for writes by the peer (RFC 5040). Connections are made and messages lost as on RoCE.
     */
    public void iwarp()
    {
        synchronized (network)
        {
            transportType = Verbs.IBV_TRANSPORT_IWARP;
        }
    }

    int transportType()
    {
        return transportType;
    }

    /** {@return the rights that memory needs into which it reads} */
    int rightsForReads()
    {
        return Verbs.IBV_ACCESS_LOCAL_WRITE |
            (Verbs.IBV_TRANSPORT_IWARP == transportType ? Verbs.IBV_ACCESS_REMOTE_WRITE : 0);
    }

    /**
     * {@return whether peers may write a byte, by any region or window}
     *
     * @param at its address.
     */
    public boolean mayBeWrittenByPeers(final long at)
    {
        synchronized (network)
        {
            return regions.values().stream().anyMatch(
                (each) -> each.allows(each.pd, at, 1, Verbs.IBV_ACCESS_REMOTE_WRITE));
        }
    }

    int asyncFd()
    {
        return asyncFd;
    }

    /** Something happened to it, or to what is on it. */
    void event(final int type, final long element)
    {
        events.add(new AsyncEvent(type, element));
        descriptors.raise(asyncFd);
    }

    /** {@return the oldest event that was not taken; null when there is none} */
    AsyncEvent takeEvent()
    {
        final AsyncEvent event = events.poll();
        if (events.isEmpty())
        {
            descriptors.lower(asyncFd);
        }
        return event;
    }

    /** No identifier is on it any more. */
    void close()
    {
        descriptors.close(asyncFd);
        closed.complete(null);
    }

    /**
     * {@return completed when librdmacm has closed its context: the kernel's removal waits for that}
     */
    public CompletableFuture<Void> closed()
    {
        return closed;
    }

    /**
     * Says that the port has come up or gone down; packets pass as the network has it.
     *
     * @param isActive whether it is up.
     */
    public void port(final boolean isActive)
    {
        synchronized (network)
        {
            event(isActive ? Verbs.IBV_EVENT_PORT_ACTIVE : Verbs.IBV_EVENT_PORT_ERR, 1);
        }
    }

    /**
     * Has all queue pairs fail, each with an event; nothing else is affected.
     */
    public void failQueuePairs()
    {
        synchronized (network)
        {
            core.pairs(this).forEach((pair) ->
            {
                pair.fail();
                event(Verbs.IBV_EVENT_QP_FATAL, core.handle(pair));
            });
        }
    }

    /**
     * Has its oldest completion queue overrun, as when a process posts more than it has entries for: nothing completes
     * there any more.
     */
    public void overrun()
    {
        synchronized (network)
        {
            core.oldestCompletionQueue(this).overrun();
        }
    }

    /**
     * Pulls the device out of its machine: nothing on it completes any more, and each identifier has an event.
     */
    public void remove()
    {
        synchronized (network)
        {
            isRemoved = true;
            network.remove(this);
            event(Verbs.IBV_EVENT_DEVICE_FATAL, 0);
            core.onRemoved(this);
        }
    }

    /**
     * Has the kernel take the device from the process, as it does when a driver leaves that can disassociate: commands
     * answer {@code EIO}, those that destroy too, and what is on the hardware goes on until {@link #endHardware}.
     */
    public void disassociate()
    {
        synchronized (network)
        {
            isDisassociated = true;
            event(Verbs.IBV_EVENT_DEVICE_FATAL, 0);
        }
    }

    /**
     * Has it fail, and stay in its machine: the kernel asks it for its attributes in vain.
     */
    public void fail()
    {
        synchronized (network)
        {
            hasFailed = true;
            event(Verbs.IBV_EVENT_DEVICE_FATAL, 0);
        }
    }

    /**
     * Has the kernel end what is on the hardware of a device that was disassociated, and then tell each identifier.
     */
    public void endHardware()
    {
        synchronized (network)
        {
            isRemoved = true;
            network.remove(this);
            orphans.forEach(ModelQueuePair::destroy);
            core.pairs(this).forEach(ModelQueuePair::stop);
            core.onRemoved(this);
            core.closeContext(this);
        }
    }

    Region register(final long pd, final long from, final long lengthBytes, final int access)
    {
        // The lowest bits change with each use, as on hardware.
        nextKey += 0x101;
        final Region region = new Region(pd, from, lengthBytes, access, nextKey);
        regions.put(nextKey, region);
        return region;
    }

    int newWindowKey()
    {
        nextKey += 0x100;
        return nextKey;
    }

    /** {@return what a window opens to the peer of a queue pair} */
    Region bind(
        final Region of,
        final long from,
        final long lengthBytes,
        final int access,
        final int key,
        final ModelQueuePair pair)
    {
        final Region window = new Region(of.pd, from, lengthBytes, access, key);
        window.isInvalidatable = true;
        window.pair = pair;
        regions.put(key, window);
        return window;
    }

    void deregister(final Region region)
    {
        regions.remove(region.key);
    }

    /** {@return the region of a key; null for none} */
    Region region(final int key)
    {
        return regions.get(key);
    }

    /** {@return whether a peer may use memory with a key of a region, or of a window of its queue pair} */
    boolean allowsPeer(
        final ModelQueuePair pair, final int key, final long from, final long lengthBytes, final int rights)
    {
        final Region region = regions.get(key);
        return null != region && (null == region.pair || pair == region.pair) &&
            region.allows(pair.pd, from, lengthBytes, rights);
    }

    /** {@return whether memory may be used with a key} */
    boolean allows(final long pd, final int key, final long from, final long lengthBytes, final int rights)
    {
        final Region region = regions.get(key);
        return null != region && region.allows(pd, from, lengthBytes, rights);
    }
}
