package io.millrace.remote;

import io.millrace.nvme.AnaState;
import io.millrace.nvme.ControllerStatus;
import io.millrace.nvme.NvmeStatus;
import io.millrace.nvmf.initiator.HostPollGroup;
import io.millrace.nvmf.initiator.HostPollGroups;
import io.millrace.nvmf.initiator.HostTransport;
import io.millrace.seed.TestSeeds;
import java.util.ArrayList;
import java.util.Iterator;
import java.util.List;
import java.util.Random;
import java.util.function.Consumer;
import java.util.function.IntFunction;

/**
 * A target of a few blocks, each of which is a number, reached by a transport that is a method call. It does what the
 * specification allows a target to do: executes commands in any order, late, executes and does not answer, goes on with
 * commands of hosts that it has lost until its keep-alive timer has run out, and not after it has confirmed a reset.
 * Any thread.
 */
final class ModelTarget
{
    static final int BLOCKS = 64;
    static final int BLOCK_BYTES = 4096;
    static final int COMMAND_END_MARGIN_MS = 30;

    final HostPollGroups groups = new HostPollGroups(
        (reactor) -> new HostPollGroup(reactor, List.<HostTransport>of(new ModelTransport(this))));
    private final Random random;
    private final long[] content = new long[BLOCKS];
    private final List<ModelQueue> queues = new ArrayList<>();
    private final List<Late> late = new ArrayList<>();
    private int controllers;
    private int lateWrites;
    private int commands;
    private int forcedCommands;
    private int mostBlocks;
    private final List<String> executed = new ArrayList<>();
    private boolean losesConnectionAtFlush;
    private boolean isUp = true;
    /** Until when a controller that lost its host executes commands, after the loss. */
    private long commandEndNs;
    private int executePercent = 30;
    private boolean refusesReset;
    private Consumer<byte[]> controllerData = (data) ->
    {
    };
    private Consumer<byte[]> namespaceData = (data) ->
    {
    };
    private byte[] descriptors = {};
    private int descriptorsStatus = NvmeStatus.INVALID_FIELD | NvmeStatus.DO_NOT_RETRY;
    private final ModelRefusals descriptorRefusals = new ModelRefusals();
    private final ModelRefusals ioRefusals = new ModelRefusals();
    private int anaStateCode = AnaState.OPTIMIZED.code();

    private IntFunction<int[]> activeNamespaces = (after) -> 0 == after ? new int[] {1} : new int[0];
    private long adminIntervalNs;
    private boolean reportsEvents;
    private int namespaceIdentifies;
    private int logPages;
    private long rangeAddress;

    private record Late(int controllerId, long lba, long value, long dueNs)
    {
    }

    ModelTarget(final long seed, final int keepAliveMs)
    {
        random = TestSeeds.fixed(seed);
        commandEndNs = (2L * keepAliveMs - COMMAND_END_MARGIN_MS) * 1_000_000;
    }

    synchronized void controllerData(final Consumer<byte[]> change)
    {
        controllerData = change;
    }

    synchronized void namespaceData(final Consumer<byte[]> change)
    {
        namespaceData = change;
    }

    /** Sets the Namespace Identification Descriptors; before, the command is not supported. */
    synchronized void descriptors(final byte[] list)
    {
        descriptors = list;
        descriptorsStatus = NvmeStatus.SUCCESS;
    }

    synchronized byte[] descriptors()
    {
        return descriptors;
    }

    /** Refuses to read the descriptors that many times. */
    synchronized void refuseDescriptors(final int status, final int times)
    {
        descriptorRefusals.set(status, times);
    }

    synchronized int descriptorsStatus()
    {
        final int refusal = descriptorRefusals.take();
        return NvmeStatus.SUCCESS == refusal ? descriptorsStatus : refusal;
    }

    synchronized int descriptorRefusalsLeft()
    {
        return descriptorRefusals.left();
    }

    /** I/O commands that are refused, which are not executed. */
    ModelRefusals ioRefusals()
    {
        return ioRefusals;
    }

    /** Sets what the Active Namespace list has after an NSID: at most 1024, fewer at its end. */
    synchronized void activeNamespaces(final IntFunction<int[]> list)
    {
        activeNamespaces = list;
    }

    synchronized int[] activeNamespaces(final int after)
    {
        return activeNamespaces.apply(after);
    }

    /** Sets how long an admin queue waits after each command that it executes. */
    synchronized void adminIntervalNs(final long value)
    {
        adminIntervalNs = value;
    }

    synchronized long adminIntervalNs()
    {
        return adminIntervalNs;
    }

    /** Sets whether each Asynchronous Event Request is answered at once. */
    synchronized void reportsEvents(final boolean value)
    {
        reportsEvents = value;
    }

    synchronized boolean reportsEvents()
    {
        return reportsEvents;
    }

    synchronized void countNamespaceIdentify()
    {
        namespaceIdentifies++;
    }

    synchronized int namespaceIdentifies()
    {
        return namespaceIdentifies;
    }

    synchronized void countLogPage()
    {
        logPages++;
    }

    synchronized int logPages()
    {
        return logPages;
    }

    synchronized void anaState(final int code)
    {
        anaStateCode = code;
    }

    synchronized int anaState()
    {
        return anaStateCode;
    }

    synchronized void change(final byte[] controller, final byte[] namespace)
    {
        if (null != controller)
        {
            controllerData.accept(controller);
        }
        if (null != namespace)
        {
            namespaceData.accept(namespace);
        }
    }

    synchronized void executePercent(final int value)
    {
        executePercent = value;
    }

    synchronized void refusesReset(final boolean value)
    {
        refusesReset = value;
    }

    synchronized void up(final boolean value)
    {
        isUp = value;
    }

    synchronized boolean isUp()
    {
        return isUp;
    }

    synchronized int newController()
    {
        return ++controllers;
    }

    /** {@return how often a host has begun to connect to a controller} */
    synchronized int controllers()
    {
        return controllers;
    }

    synchronized void add(final ModelQueue queue)
    {
        queues.add(queue);
    }

    synchronized void remove(final ModelQueue queue)
    {
        queues.remove(queue);
    }

    /** Ends connections: all of a random controller, or one I/O queue of it, so that its admin queue can reset it. */
    synchronized void cut(final boolean isAdminCutToo)
    {
        if (queues.isEmpty())
        {
            return;
        }
        final int controllerId = queues.get(random.nextInt(queues.size())).controllerId();
        for (final ModelQueue queue : queues)
        {
            if (controllerId == queue.controllerId() && (isAdminCutToo || 0 != queue.queueId()))
            {
                queue.close("cut");
            }
        }
    }

    /** Ends all connections. */
    synchronized void cutAll()
    {
        queues.forEach((queue) -> queue.close("cut"));
    }

    synchronized boolean isChosen(final int percent)
    {
        return random.nextInt(100) < percent;
    }

    synchronized boolean executesNow()
    {
        return random.nextInt(100) < executePercent;
    }

    synchronized void count(final int blocks)
    {
        commands++;
        mostBlocks = Math.max(mostBlocks, blocks);
    }

    /** With FUA. */
    synchronized void countForced()
    {
        forcedCommands++;
    }

    synchronized int forcedCommands()
    {
        return forcedCommands;
    }

    synchronized void executed(final String name)
    {
        executed.add(name);
    }

    /** {@return names of the I/O commands that were executed since the counts were reset} */
    synchronized List<String> executed()
    {
        return List.copyOf(executed);
    }

    /** The next Flush is not executed: its connections are lost in its place. */
    synchronized void loseConnectionAtFlush()
    {
        losesConnectionAtFlush = true;
    }

    synchronized boolean takeConnectionLoss()
    {
        final boolean isLost = losesConnectionAtFlush;
        losesConnectionAtFlush = false;
        return isLost;
    }

    synchronized void rangeAddress(final long address)
    {
        rangeAddress = address;
    }

    /** {@return where the range of the last Dataset Management command was} */
    synchronized long rangeAddress()
    {
        return rangeAddress;
    }

    synchronized void resetCounts()
    {
        executed.clear();
        commands = 0;
        forcedCommands = 0;
        mostBlocks = 0;
    }

    synchronized int commands()
    {
        return commands;
    }

    synchronized int mostBlocks()
    {
        return mostBlocks;
    }

    synchronized long read(final long lba)
    {
        return content[(int)lba];
    }

    synchronized void write(final long lba, final long value)
    {
        content[(int)lba] = value;
    }

    /** A write was not executed when its connection was lost: it may be, later. */
    synchronized void lose(final int controllerId, final long lba, final long value, final long nowNs)
    {
        if (random.nextInt(4) > 0)
        {
            late.add(new Late(controllerId, lba, value, nowNs + (long)(random.nextDouble() * commandEndNs)));
        }
    }

    /** Executes late writes whose time has come. */
    synchronized void runLate(final long nowNs)
    {
        for (final Iterator<Late> each = late.iterator(); each.hasNext();)
        {
            final Late write = each.next();
            if (nowNs - write.dueNs >= 0)
            {
                content[(int)write.lba] = write.value;
                lateWrites++;
                each.remove();
            }
        }
    }

    /** A controller was reset, unless that is refused: its late writes are executed now or never. */
    synchronized int reset(final int controllerId)
    {
        if (refusesReset)
        {
            return NvmeStatus.INTERNAL_ERROR;
        }
        for (final Iterator<Late> each = late.iterator(); each.hasNext();)
        {
            final Late write = each.next();
            if (controllerId == write.controllerId)
            {
                if (random.nextBoolean())
                {
                    content[(int)write.lba] = write.value;
                }
                each.remove();
            }
        }
        return 0;
    }

    synchronized int lateWrites()
    {
        return lateWrites;
    }

    /** {@return how many writes are executed after a time still} */
    synchronized long lateAfter(final long nowNs)
    {
        return late.stream().filter((write) -> write.dueNs - nowNs > 0).count();
    }

    synchronized int lateCount()
    {
        return late.size();
    }

    static int status(final boolean isEnabled)
    {
        return isEnabled ? ControllerStatus.READY : 0;
    }
}
