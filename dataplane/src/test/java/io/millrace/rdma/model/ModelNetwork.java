package io.millrace.rdma.model;

import java.net.InetAddress;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.random.RandomGenerator;

/**
 * The network of {@link ModelDevice}s: RoCE over links that take time, lose packets and are cut, by a source of
 * chance. Its monitor guards all models on it. Any thread.
 */
public final class ModelNetwork
{
    /** A pair of devices, in the order of their numbers. */
    private record Link(int first, int second)
    {
        static Link of(final ModelDevice a, final ModelDevice b)
        {
            return new Link(Math.min(a.number(), b.number()), Math.max(a.number(), b.number()));
        }
    }

    private final ModelClock clock;
    private final RandomGenerator random;
    private final Map<InetAddress, ModelDevice> devices = new HashMap<>();
    private final Set<Link> cutLinks = new HashSet<>();
    private final List<String> violations = new ArrayList<>();
    private long delayMinNs;
    private long delayMaxNs;
    private int lostOneIn;
    private long acknowledgeTimeoutNs = 20_000_000L;
    private long connectTimeoutNs = 500_000_000L;
    private int devicesMade;
    private boolean holdsAcknowledgements;
    private boolean endsMessages;
    private final List<Runnable> heldAcknowledgements = new ArrayList<>();
    private long blockedReads;

    /**
     * A network without devices, delay and loss.
     *
     * @param clock  when things happen.
     * @param random source of chance.
     */
    public ModelNetwork(final ModelClock clock, final RandomGenerator random)
    {
        this.clock = clock;
        this.random = random;
    }

    /**
     * Sets how long a packet takes: each queue pair keeps its order, those of different ones overtake each other.
     *
     * @param minNs at least.
     * @param maxNs at most.
     */
    public synchronized void delay(final long minNs, final long maxNs)
    {
        delayMinNs = minNs;
        delayMaxNs = maxNs;
    }

    /**
     * Sets how many packets are lost.
     *
     * @param oneIn so many; 0 for none.
     */
    public synchronized void loss(final int oneIn)
    {
        lostOneIn = oneIn;
    }

    /**
     * Sets how long a device waits for an acknowledgement, and a connection manager for an answer.
     *
     * @param acknowledgeNs of a request; as often as retries are configured.
     * @param connectNs     of a request to connect, all retries together.
     */
    public synchronized void timeouts(final long acknowledgeNs, final long connectNs)
    {
        acknowledgeTimeoutNs = acknowledgeNs;
        connectTimeoutNs = connectNs;
    }

    /**
     * Has acknowledgements of what was carried out wait on their way, but for those that bring data back: requests have
     * arrived, and their senders do not know.
     *
     * @param holds whether they wait; what waited arrives when they do not any more.
     */
    public synchronized void holdAcknowledgements(final boolean holds)
    {
        holdsAcknowledgements = holds;
        if (!holds)
        {
            heldAcknowledgements.forEach((each) -> at(nowNs(), each));
            heldAcknowledgements.clear();
        }
    }

    /**
     * Has queue pairs fail in the middle of a message, for which they have taken a request of their shared receive
     * queue.
     */
    public synchronized void endMessages()
    {
        endsMessages = true;
    }

    /** {@return whether a queue pair that fails has begun a message} */
    boolean isInMessage()
    {
        return endsMessages;
    }

    /** {@return whether an acknowledgement waits, and arrives by an action} */
    boolean isHeld(final Runnable arrival)
    {
        return holdsAcknowledgements && heldAcknowledgements.add(arrival);
    }

    /**
     * Cuts or mends the link of two devices; nothing passes a cut one.
     *
     * @param a     device.
     * @param b     device.
     * @param isCut whether it is cut from now on.
     */
    public synchronized void cut(final ModelDevice a, final ModelDevice b, final boolean isCut)
    {
        if (isCut)
        {
            cutLinks.add(Link.of(a, b));
        }
        else
        {
            cutLinks.remove(Link.of(a, b));
        }
    }

    /**
     * {@return what endpoints did that hangs, crashes or corrupts with rdma-core}
     */
    public synchronized List<String> violations()
    {
        return List.copyOf(violations);
    }

    /**
     * {@return how often a READ beyond what the devices allow blocked the requests behind it}
     */
    public synchronized long blockedReads()
    {
        return blockedReads;
    }

    void onBlockedRead()
    {
        blockedReads++;
    }

    /** Ends a call that hangs, crashes or corrupts with rdma-core. */
    IllegalStateException violation(final String what)
    {
        violations.add(what);
        return new IllegalStateException(what);
    }

    int add(final ModelDevice device, final InetAddress address)
    {
        devices.put(address, device);
        devicesMade++;
        return devicesMade;
    }

    /** {@return a device by its number; null for none} */
    ModelDevice device(final int number)
    {
        return devices.values().stream().filter((device) -> number == device.number()).findAny().orElse(null);
    }

    ModelDevice device(final InetAddress address)
    {
        return devices.get(address);
    }

    void remove(final ModelDevice device)
    {
        devices.values().remove(device);
    }

    boolean isCut(final ModelDevice a, final ModelDevice b)
    {
        return cutLinks.contains(Link.of(a, b)) || a.isRemoved() || b.isRemoved();
    }

    /** {@return whether a packet arrives} */
    boolean isDelivered(final ModelDevice from, final ModelDevice to)
    {
        return !isCut(from, to) && (0 == lostOneIn || 0 != random.nextInt(lostOneIn));
    }

    long nowNs()
    {
        return clock.nowNs();
    }

    /** {@return how long the next packet takes} */
    long delayNs()
    {
        return delayMinNs == delayMaxNs ? delayMinNs : random.nextLong(delayMinNs, delayMaxNs + 1);
    }

    long acknowledgeTimeoutNs()
    {
        return acknowledgeTimeoutNs;
    }

    long connectTimeoutNs()
    {
        return connectTimeoutNs;
    }

    void after(final long delayNs, final Runnable action)
    {
        at(nowNs() + delayNs, action);
    }

    void at(final long dueNs, final Runnable action)
    {
        clock.at(dueNs, () ->
        {
            synchronized (this)
            {
                try
                {
                    action.run();
                }
                catch (final RuntimeException e)
                {
                    violations.add(e.toString());
                }
            }
        });
    }
}
