package io.millrace.nvmf;

import io.millrace.nvmf.config.ControllerIds;
import io.millrace.nvmf.queue.QueuePair;
import io.millrace.nvmf.queue.QueuePairSnapshot;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.stream.Stream;

/**
 * Controllers that hosts have on a subsystem, by their ids. Any thread; controllers are added under the lock of the
 * subsystem.
 */
public final class SubsystemControllers
{
    private final ConcurrentHashMap<Integer, Controller> controllers = new ConcurrentHashMap<>();
    /** Controllers that are gone while I/O queues of theirs are not. */
    private final Set<Controller> ending = ConcurrentHashMap.newKeySet();
    private int lastId;

    /**
     * Has no controllers.
     */
    SubsystemControllers()
    {
    }

    /**
     * {@return how many there are}
     */
    public int count()
    {
        return controllers.size();
    }

    /**
     * {@return the controllers in order of their ids; reactors are not interrupted}
     */
    public List<ControllerSnapshot> snapshots()
    {
        return controllers.values().stream().map(Controller::snapshot)
            .sorted(Comparator.comparingInt(ControllerSnapshot::controllerId)).toList();
    }

    /**
     * {@return the queue pairs of the controllers, in order of their ids; reactors are not interrupted}
     */
    public List<QueuePairSnapshot> queuePairSnapshots()
    {
        return controllers.values().stream().sorted(Comparator.comparingInt(Controller::id))
            .flatMap((each) -> each.queuePairSnapshots().stream()).toList();
    }

    /**
     * {@return a queue pair of a controller; null when it is not there}
     *
     * @param controllerId of the controller.
     * @param queueId      of the queue; 0 for the admin queue.
     */
    public QueuePair queuePair(final int controllerId, final int queueId)
    {
        final Controller controller = controllers.get(controllerId);
        if (null == controller)
        {
            return null;
        }
        return 0 == queueId ? controller.adminQueuePair() : controller.ioQueuePair(queueId);
    }

    /**
     * Ends a controller; its host may connect again.
     *
     * @param controllerId controller id.
     * @param reason       that events carry.
     * @return done when it is gone; null when there is no such controller.
     */
    public CompletableFuture<Void> disconnect(final int controllerId, final String reason)
    {
        final Controller controller = controllers.get(controllerId);
        return null == controller ? null : controller.end(reason);
    }

    /**
     * Adds a controller under an id that is free. Ids wrap around, so that a host that uses an old id does not reach
     * another host's controller.
     *
     * @param controller without an id, which it gets.
     * @param ids        that it may get one of.
     * @return false when none is free.
     */
    boolean add(final Controller controller, final ControllerIds ids)
    {
        int id = ids.after(lastId);
        for (int tried = 1; controllers.containsKey(id); tried++)
        {
            if (tried >= ids.count())
            {
                return false;
            }
            id = ids.after(id);
        }
        lastId = id;
        controller.id(id);
        controllers.put(id, controller);
        return true;
    }

    /**
     * A controller is gone. I/O queues of it may not be.
     *
     * @param controller that was added.
     */
    void remove(final Controller controller)
    {
        ending.add(controller);
        controllers.remove(controller.id(), controller);
        if (0 == controller.ioQueueCount())
        {
            ending.remove(controller);
        }
    }

    /**
     * The last I/O queue of a controller is gone.
     *
     * @param controller that it was of.
     */
    void onQueuesLeft(final Controller controller)
    {
        ending.remove(controller);
    }

    /**
     * {@return whether a device may carry out a write that came from the same host by another controller which is going
     * or gone}
     *
     * @param controller of the host.
     */
    boolean isAnyEnding(final Controller controller)
    {
        return Stream.concat(controllers.values().stream(), ending.stream())
            .anyMatch((each) -> each != controller && each.isEnding() && each.isOfSameHost(controller));
    }

    /**
     * {@return a controller; null when it is not there}
     *
     * @param controllerId of the controller.
     */
    Controller get(final int controllerId)
    {
        return controllers.get(controllerId);
    }

    /**
     * {@return the controllers}
     */
    List<Controller> list()
    {
        return new ArrayList<>(controllers.values());
    }

    /**
     * {@return controllers that are gone while I/O queues of theirs are not}
     */
    List<Controller> ending()
    {
        return new ArrayList<>(ending);
    }
}
