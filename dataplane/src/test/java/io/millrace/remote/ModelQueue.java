package io.millrace.remote;

import io.millrace.bindings.NativeMemory;
import io.millrace.memory.Segments;
import io.millrace.nvme.AdminOpcode;
import io.millrace.nvme.AnaGroupDescriptor;
import io.millrace.nvme.AnaLogHeader;
import io.millrace.nvme.AsyncEvent;
import io.millrace.nvme.ControllerCapabilities;
import io.millrace.nvme.ControllerProperty;
import io.millrace.nvme.FabricsType;
import io.millrace.nvme.IoOpcode;
import io.millrace.nvme.NvmeStatus;
import io.millrace.nvme.SubmissionQueueEntry;
import io.millrace.nvme.identify.IdentifyCns;
import io.millrace.nvme.identify.IdentifyController;
import io.millrace.nvme.identify.IdentifyControllerAdmin;
import io.millrace.nvme.identify.IdentifyControllerFabrics;
import io.millrace.nvme.identify.IdentifyControllerIo;
import io.millrace.nvme.identify.IdentifyNamespace;
import io.millrace.nvmf.initiator.CapsuleLimits;
import io.millrace.nvmf.initiator.CommandTable;
import io.millrace.nvmf.initiator.ConnectionConfig;
import io.millrace.nvmf.initiator.ConnectionListener;
import io.millrace.nvmf.initiator.HostConfig;
import io.millrace.nvmf.initiator.HostPollGroup;
import io.millrace.nvmf.initiator.HostQueueTransport;
import io.millrace.nvmf.initiator.HostRequest;
import java.nio.ByteOrder;
import java.util.ArrayList;
import java.util.List;
import org.agrona.concurrent.UnsafeBuffer;

/** A queue of a {@link ModelTarget}: both sides of its connection. On the host's reactor. */
final class ModelQueue implements HostQueueTransport
{
    private enum State
    {
        CLOSED, CONNECTING, READY, CLOSING
    }

    private static final int FORCE_UNIT_ACCESS = 1 << 30;
    private static final int NGUID_OFFSET = 104;
    private static final int NAMESPACES_MAX = 4;

    private static final ThreadLocal<Segments> SLICE = ThreadLocal.withInitial(Segments::new);

    private final ModelTarget target;
    private final HostPollGroup group;
    private final ConnectionListener listener;
    private final CommandTable commands;
    private final SubmissionQueueEntry entry = new SubmissionQueueEntry();
    private final List<HostRequest> waiting = new ArrayList<>();
    private final List<HostRequest> unanswered = new ArrayList<>();
    private volatile State state = State.CLOSED;
    private volatile int controllerId;
    private volatile int queueId;
    private volatile String reason;
    private volatile boolean isCut;
    private int entries;
    private boolean isEnabled;
    private long lastAdminNs = Long.MIN_VALUE / 2;

    ModelQueue(
        final ModelTarget target, final HostPollGroup group, final int slotMax, final ConnectionListener listener)
    {
        this.target = target;
        this.group = group;
        this.listener = listener;
        commands = new CommandTable(slotMax);
        entry.wrap(new UnsafeBuffer(new byte[SubmissionQueueEntry.SIZE_BYTES]), 0);
    }

    int queueId()
    {
        return queueId;
    }

    @Override
    public void open(
        final ConnectionConfig config,
        final HostConfig host,
        final int newQueueId,
        final int newControllerId,
        final int newEntries,
        final CapsuleLimits capsules)
    {
        state = State.CONNECTING;
        queueId = newQueueId;
        controllerId = 0 == newQueueId ? target.newController() : newControllerId;
        entries = newEntries;
        isCut = false;
        isEnabled = false;
        group.add(this);
        target.add(this);
    }

    @Override
    public boolean isReady()
    {
        return State.READY == state;
    }

    @Override
    public boolean isClosed()
    {
        return State.CLOSED == state;
    }

    @Override
    public int controllerId()
    {
        return controllerId;
    }

    @Override
    public int depth()
    {
        return commands.limit();
    }

    @Override
    public int inFlight()
    {
        return commands.inFlight();
    }

    @Override
    public boolean submit(final HostRequest request)
    {
        if (commands.isFull())
        {
            return false;
        }
        commands.add(request, group.nowNs());
        waiting.add(request);
        return true;
    }

    @Override
    public int flush()
    {
        return 0;
    }

    @Override
    public boolean wantsPoll()
    {
        return true;
    }

    @Override
    public int pollWithoutReceive()
    {
        return poll();
    }

    @Override
    public boolean arm()
    {
        return false;
    }

    @Override
    public void onTick(final long nowNs)
    {
        // Nothing has a deadline.
    }

    /** Any thread. */
    @Override
    public void close(final String newReason)
    {
        reason = newReason;
        isCut = true;
    }

    @Override
    public void free()
    {
        // Maps nothing.
    }

    @Override
    public int poll()
    {
        target.runLate(group.nowNs());
        if (State.CLOSED == state)
        {
            return 0;
        }
        if (isCut || !target.isUp())
        {
            reason = isCut ? reason : "is down";
            tearDown();
            return 1;
        }
        if (State.CONNECTING == state)
        {
            commands.reset(entries - 1);
            state = State.READY;
            listener.onReady();
            return 1;
        }
        answerSome();
        executeSome();
        return 1;
    }

    private void executeSome()
    {
        for (final HostRequest request : List.copyOf(waiting))
        {
            if (0 == queueId)
            {
                request.writeEntry(entry);
                final boolean isDue = group.nowNs() - lastAdminNs >= target.adminIntervalNs();
                if (isDue && (AdminOpcode.ASYNC_EVENT_REQUEST != request.opcode() || target.reportsEvents()))
                {
                    lastAdminNs = group.nowNs();
                    waiting.remove(request);
                    answer(request, admin(request));
                }
            }
            else if (IoOpcode.FLUSH == request.opcode() && target.takeConnectionLoss())
            {
                target.cutAll();
                return;
            }
            else if (target.executesNow())
            {
                waiting.remove(request);
                final int refusal = target.ioRefusals().take();
                if (NvmeStatus.SUCCESS != refusal)
                {
                    answer(request, refusal);
                    continue;
                }
                execute(request);
                // Executed is not answered: the connection may be lost in between.
                unanswered.add(request);
            }
        }
    }

    private void answerSome()
    {
        for (final HostRequest request : List.copyOf(unanswered))
        {
            if (target.executesNow())
            {
                unanswered.remove(request);
                answer(request, 0);
            }
        }
    }

    private void answer(final HostRequest request, final int status)
    {
        commands.remove(request);
        request.complete(status, group.nowNs());
    }

    private void execute(final HostRequest request)
    {
        request.writeEntry(entry);
        target.executed(IoOpcode.name(request.opcode()));
        if (IoOpcode.FLUSH == request.opcode())
        {
            return;
        }
        if (IoOpcode.DATASET_MANAGEMENT == request.opcode())
        {
            deallocate(request.payload().address(0));
            return;
        }
        final int blocks = (entry.cdw12() & 0xFFFF) + 1;
        target.count(blocks);
        if (0 != (entry.cdw12() & FORCE_UNIT_ACCESS))
        {
            target.countForced();
        }
        for (int i = 0; i < blocks; i++)
        {
            final long lba = request.lba() + i;
            switch (request.opcode())
            {
                case IoOpcode.READ -> NativeMemory.putLong(address(request, i), target.read(lba));
                case IoOpcode.WRITE -> target.write(lba, NativeMemory.getLong(address(request, i)));
                case IoOpcode.WRITE_ZEROES -> target.write(lba, 0);
                default -> throw new AssertionError("opcode " + request.opcode());
            }
        }
    }

    /** One range. */
    private void deallocate(final long range)
    {
        target.rangeAddress(range);
        final long lba = NativeMemory.getLong(range + Long.BYTES);
        for (int i = 0; i < NativeMemory.getInt(range + Integer.BYTES); i++)
        {
            target.write(lba + i, 0);
        }
    }

    /** Address of the first bytes of a block, which one segment holds. */
    private static long address(final HostRequest request, final int block)
    {
        request.payload().slice(block * ModelTarget.BLOCK_BYTES, Long.BYTES, SLICE.get());
        return SLICE.get().address(0);
    }

    private void tearDown()
    {
        group.remove(this);
        target.remove(this);
        for (final HostRequest request : waiting)
        {
            if (IoOpcode.WRITE == request.opcode() && 0 != queueId)
            {
                target.lose(controllerId, request.lba(), NativeMemory.getLong(request.payload().address(0)),
                    System.nanoTime());
            }
        }
        waiting.clear();
        unanswered.clear();
        state = State.CLOSED;
        HostRequest lost = commands.removeAll();
        while (null != lost)
        {
            final HostRequest next = lost.takeNext();
            listener.onLost(lost);
            lost = next;
        }
        listener.onClosed(reason);
    }

    private int admin(final HostRequest request)
    {
        request.result(0, 0);
        return switch (request.opcode())
        {
            case AdminOpcode.FABRICS -> property(request);
            case AdminOpcode.IDENTIFY -> identify(request);
            case AdminOpcode.GET_LOG_PAGE -> log(request);
            case AdminOpcode.SET_FEATURES ->
            {
                request.result(0x001F_001F, 0);
                yield 0;
            }
            case AdminOpcode.KEEP_ALIVE -> 0;
            case AdminOpcode.ASYNC_EVENT_REQUEST ->
            {
                request.result(AsyncEvent.NAMESPACE_CHANGED, 0);
                yield 0;
            }
            default -> NvmeStatus.INVALID_OPCODE;
        };
    }

    private int property(final HostRequest request)
    {
        final int property = entry.cdw11();
        if (FabricsType.PROPERTY_SET == entry.namespaceId())
        {
            isEnabled = 0 != (entry.cdw12() & 1);
            return isEnabled ? 0 : target.reset(controllerId);
        }
        if (ControllerProperty.CAPABILITIES == property)
        {
            final long capabilities = 127L | ControllerCapabilities.ofTimeoutMs(1_000);
            request.result((int)capabilities, (int)(capabilities >>> 32));
        }
        else
        {
            request.result(ModelTarget.status(isEnabled), 0);
        }
        return 0;
    }

    private int identify(final HostRequest request)
    {
        final byte[] data = new byte[IdentifyCns.DATA_BYTES];
        final UnsafeBuffer buffer = new UnsafeBuffer(data);
        switch (entry.cdw10() & 0xFF)
        {
            case IdentifyCns.CONTROLLER ->
            {
                final IdentifyController controller = new IdentifyController();
                controller.wrap(buffer, 0);
                controller.controllerId(controllerId).multiPathCapabilities(IdentifyController.MULTI_PATH_ANA);
                final IdentifyControllerAdmin admin = new IdentifyControllerAdmin();
                admin.wrap(buffer, 0);
                admin.anaCapabilities(0x1F).anaTransitionTime(1).anaGroupIdMax(1).anaGroups(1).keepAliveSupport(1);
                final IdentifyControllerIo io = new IdentifyControllerIo();
                io.wrap(buffer, 0);
                io.namespaces(NAMESPACES_MAX).optionalNvmCommands(IdentifyControllerIo.NVM_WRITE_ZEROES);
                final IdentifyControllerFabrics fabrics = new IdentifyControllerFabrics();
                fabrics.wrap(buffer, 0);
                fabrics.ioCommandCapsuleSize(4);
                target.change(data, null);
            }
            case IdentifyCns.ACTIVE_NAMESPACES ->
            {
                final int[] list = target.activeNamespaces(entry.namespaceId());
                for (int i = 0; i < list.length; i++)
                {
                    buffer.putInt(i * Integer.BYTES, list[i], ByteOrder.LITTLE_ENDIAN);
                }
            }
            case IdentifyCns.NAMESPACE ->
            {
                target.countNamespaceIdentify();
                final IdentifyNamespace namespace = new IdentifyNamespace();
                namespace.wrap(buffer, 0);
                namespace.size(ModelTarget.BLOCKS).capacity(ModelTarget.BLOCKS).anaGroupId(1);
                buffer.setMemory(NGUID_OFFSET, 16, (byte)7);
                buffer.putInt(128, 12 << 16, ByteOrder.LITTLE_ENDIAN);
                target.change(null, data);
            }
            case IdentifyCns.NAMESPACE_DESCRIPTORS ->
            {
                final int status = target.descriptorsStatus();
                if (NvmeStatus.SUCCESS != status)
                {
                    return status;
                }
                buffer.putBytes(0, target.descriptors());
            }
            default ->
            {
                return NvmeStatus.INVALID_FIELD | NvmeStatus.DO_NOT_RETRY;
            }
        }
        return send(request, data);
    }

    private int log(final HostRequest request)
    {
        target.countLogPage();
        final byte[] data = new byte[request.payload().totalBytes()];
        final UnsafeBuffer buffer = new UnsafeBuffer(data);
        final AnaLogHeader header = new AnaLogHeader();
        header.wrap(buffer, 0);
        header.groups(1);
        final AnaGroupDescriptor descriptor = new AnaGroupDescriptor();
        descriptor.wrap(buffer, AnaLogHeader.SIZE_BYTES);
        descriptor.groupId(1).state(target.anaState());
        return send(request, data);
    }

    private static int send(final HostRequest request, final byte[] data)
    {
        for (int i = 0; i < data.length; i++)
        {
            NativeMemory.putByte(request.payload().address(0) + i, data[i]);
        }
        return 0;
    }
}
