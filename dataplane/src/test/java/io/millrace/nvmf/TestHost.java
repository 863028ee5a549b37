package io.millrace.nvmf;

import io.millrace.bindings.NativeMemory;
import io.millrace.memory.RandomSegments;
import io.millrace.nvme.AdminOpcode;
import io.millrace.nvme.CompletionQueueEntry;
import io.millrace.nvme.ConnectCommand;
import io.millrace.nvme.ConnectData;
import io.millrace.nvme.ControllerConfiguration;
import io.millrace.nvme.ControllerProperty;
import io.millrace.nvme.FabricsType;
import io.millrace.nvme.PropertyCommand;
import io.millrace.nvme.SglDescriptor;
import io.millrace.nvme.SubmissionQueueEntry;
import io.millrace.nvmf.queue.QueuePair;
import io.millrace.nvmf.request.QueuePairTransport;
import io.millrace.nvmf.request.Request;
import io.millrace.nvmf.request.RequestPhase;
import io.millrace.nvmf.transport.DataPointer;
import io.millrace.nvmf.transport.DataPointerFormat;
import io.millrace.nvmf.transport.TransportAddress;
import java.lang.foreign.Arena;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.EnumSet;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.function.Consumer;
import org.agrona.concurrent.UnsafeBuffer;

/**
 * The host's end of one connection, with a transport that lives in memory: what a command carries is handed over as it
 * would come from the wire, what is answered is taken normally be sent. Used from the test's thread.
 */
final class TestHost implements AutoCloseable
{
    static final String HOST_NQN = "nqn.2014-08.org.nvmexpress:uuid:0f3ec3a5-9f7c-4d5e-8d3b-1c2a3b4c5d6e";
    static final byte[] HOST_ID = "0123456789abcdef".getBytes();
    static final String REMOTE = "tcp://192.0.2.1:49152";
    static final int IN_CAPSULE_BYTES = 8192;

    private static final int READY_CONFIGURATION = ControllerConfiguration.ENABLE |
        ControllerConfiguration.SUBMISSION_ENTRY_64 | ControllerConfiguration.COMPLETION_ENTRY_16;

    private final TestReactor reactor;
    private final Arena arena = Arena.ofShared();
    private final long capsuleAddress = arena.allocate(IN_CAPSULE_BYTES, 4096).address();
    private final UnsafeBuffer entryBuffer = new UnsafeBuffer(new byte[SubmissionQueueEntry.SIZE_BYTES]);
    private final SubmissionQueueEntry entry = new SubmissionQueueEntry();
    private final Map<Integer, byte[]> payloads = new HashMap<>();
    private final Map<Integer, CompletableFuture<Completion>> answers = new HashMap<>();
    private final List<Request> unsent = new ArrayList<>();
    private final List<Request> wanted = new ArrayList<>();
    private final Link link = new Link();
    private final QueuePair queuePair;
    private DataPointerFormat dataPointers = new DataPointerFormat(
        EnumSet.of(DataPointer.Kind.IN_CAPSULE, DataPointer.Kind.TRANSPORT), IN_CAPSULE_BYTES);
    private int nextCommandId = 1;
    private boolean holdsSends;
    private boolean holdsData;
    private boolean closed;
    private volatile boolean isCrowded;
    private volatile String disconnectReason;

    TestHost(final TestReactor reactor, final TransportAddress local)
    {
        this.reactor = reactor;
        queuePair = reactor.call(() -> reactor.pollGroup().newQueuePair(link, local));
        entry.wrap(entryBuffer, 0);
    }

    TestReactor reactor()
    {
        return reactor;
    }

    QueuePair queuePair()
    {
        return queuePair;
    }

    String disconnectReason()
    {
        return disconnectReason;
    }

    /** Leaves answers with the transport until {@link #sendHeld}. */
    void holdSends(final boolean holds)
    {
        reactor.run(() -> holdsSends = holds);
    }

    void sendHeld()
    {
        reactor.run(this::sendHere);
    }

    /** As {@link #sendHeld}, on the reactor. */
    void sendHere()
    {
        final List<Request> held = new ArrayList<>(unsent);
        unsent.clear();
        held.forEach(link::send);
    }

    /**
     * As {@link #sendHeld}, in a cycle whose time for admin commands is spent. {@return how many are held again then}
     */
    int sendHeldWithoutTurn()
    {
        return reactor.call(() ->
        {
            AdminTurns.spend(reactor.pollGroup());
            sendHere();
            return unsent.size();
        });
    }

    /** {@return answers, or parts of them, that are held} */
    int heldCount()
    {
        return reactor.call(this::heldHere);
    }

    /** As {@link #heldCount}, on the reactor. */
    int heldHere()
    {
        return unsent.size();
    }

    /** As {@link #close}, on the reactor. */
    void closeHere()
    {
        link.close();
    }

    boolean copyHeldLoans()
    {
        return reactor.call(() -> unsent.stream().allMatch(Request::copyLoan));
    }

    /** Leaves wanted data with the host until {@link #deliverHeld}. */
    void holdData(final boolean holds)
    {
        reactor.run(() -> holdsData = holds);
    }

    int wantedCount()
    {
        return reactor.call(wanted::size);
    }

    void deliverHeld()
    {
        reactor.run(() ->
        {
            final List<Request> held = new ArrayList<>(wanted);
            wanted.clear();
            held.forEach(link::deliver);
        });
    }

    void spoilHeld(final int status)
    {
        reactor.run(() ->
        {
            final List<Request> held = new ArrayList<>(wanted);
            wanted.clear();
            held.forEach((request) -> queuePair.dispatcher().onDataError(request, status));
        });
    }

    /** Whether places for discovery controllers are scarce. */
    void crowded(final boolean crowded)
    {
        isCrowded = crowded;
    }

    int nextCommandId()
    {
        return nextCommandId;
    }

    /** Its transport takes other data pointers from now on. */
    void dataPointers(final DataPointerFormat format)
    {
        reactor.run(() -> dataPointers = format);
    }

    /** Sends a command without data, or one whose data goes to the host. */
    CompletableFuture<Completion> submit(final Consumer<SubmissionQueueEntry> command)
    {
        return submit(command, null, false);
    }

    CompletableFuture<Completion> submit(
        final Consumer<SubmissionQueueEntry> command, final byte[] payload, final boolean inCapsule)
    {
        final CompletableFuture<Completion> answer = new CompletableFuture<>();
        reactor.run(() ->
        {
            entryBuffer.setMemory(0, SubmissionQueueEntry.SIZE_BYTES, (byte)0);
            entry.commandId(nextCommandId++ & 0xFFFF).flags(SglDescriptor.FLAGS_PSDT_SGL)
                .sglType(SglDescriptor.TRANSPORT_DATA_BLOCK);
            if (null != payload)
            {
                entry.sglLength(payload.length);
                if (inCapsule)
                {
                    entry.sglType(SglDescriptor.DATA_BLOCK_OFFSET);
                }
            }
            command.accept(entry);
            start(answer, payload, inCapsule);
        });
        return answer;
    }

    private void start(final CompletableFuture<Completion> answer, final byte[] payload, final boolean inCapsule)
    {
        final Request request = queuePair.dispatcher().begin(entryBuffer, 0);
        if (null == request)
        {
            answer.completeExceptionally(new IllegalStateException("too many outstanding"));
            link.disconnect("too many outstanding");
            return;
        }
        final int commandId = request.entry().commandId();
        if (null != payload)
        {
            payloads.put(commandId, payload);
        }
        final CompletableFuture<Completion> before = answers.put(commandId, answer);
        if (null != before)
        {
            // The answer to a duplicate comes first; the next one is the original's.
            answer.whenComplete((completion, failure) -> answers.put(commandId, before));
        }
        if (inCapsule)
        {
            for (int i = 0; i < payload.length; i++)
            {
                NativeMemory.putByte(capsuleAddress + i, payload[i]);
            }
        }
        final int inCapsuleLength = inCapsule ? payload.length : 0;
        request.dataPointer(dataPointers, 0 == inCapsuleLength ? 0 : capsuleAddress, inCapsuleLength);
        offer(request, inCapsuleLength);
    }

    private void offer(final Request request, final int inCapsuleLength)
    {
        if (inCapsuleLength > 0)
        {
            request.inCapsuleData(capsuleAddress);
        }
        if (!queuePair.dispatcher().onCommand(request))
        {
            if (RequestPhase.AWAITING_TIME_BUDGET == request.phase())
            {
                // Others may come meanwhile, which wait as well.
                reactor.reactor().execute(() -> offerAgain(request, inCapsuleLength));
                return;
            }
            link.paused = request;
            link.pausedLength = inCapsuleLength;
        }
        else if (link.paused == request)
        {
            link.paused = null;
        }
    }

    private void offerAgain(final Request request, final int inCapsuleLength)
    {
        if (!closed)
        {
            offer(request, inCapsuleLength);
        }
    }

    /** Offers a capsule again that was not taken. */
    boolean retryCapsule()
    {
        return reactor.call(() ->
        {
            if (null != link.paused)
            {
                offer(link.paused, link.pausedLength);
            }
            return null == link.paused;
        });
    }

    boolean isPaused()
    {
        return reactor.call(() -> null != link.paused);
    }

    Completion execute(final Consumer<SubmissionQueueEntry> command)
    {
        return await(submit(command));
    }

    Completion execute(final Consumer<SubmissionQueueEntry> command, final byte[] payload, final boolean inCapsule)
    {
        return await(submit(command, payload, inCapsule));
    }

    static Completion await(final CompletableFuture<Completion> answer)
    {
        try
        {
            return answer.get(10, TimeUnit.SECONDS);
        }
        catch (final InterruptedException | ExecutionException | TimeoutException e)
        {
            throw new AssertionError("no answer", e);
        }
    }

    Completion connect(final String subsystemNqn, final int queueId, final int controllerId)
    {
        return connect(subsystemNqn, queueId, controllerId, (command, data) ->
        {
        });
    }

    /** Changes a right Connect command into what a test wants. */
    interface ConnectChange
    {
        void apply(ConnectCommand command, ConnectData data);
    }

    Completion connect(
        final String subsystemNqn, final int queueId, final int controllerId, final ConnectChange change)
    {
        final byte[] bytes = new byte[ConnectData.SIZE_BYTES];
        final ConnectData data = new ConnectData();
        data.wrap(new UnsafeBuffer(bytes), 0);
        data.setHostId(HOST_ID).controllerId(controllerId).subsystemNqn(subsystemNqn).hostNqn(HOST_NQN);
        return execute((command) ->
        {
            final ConnectCommand connect = new ConnectCommand();
            connect.wrap(command.buffer(), command.offset());
            command.opcode(AdminOpcode.FABRICS);
            connect.fabricsType(FabricsType.CONNECT).queueId(queueId).queueSize(31).keepAliveTimeoutMs(0)
                .attributes(ConnectCommand.ATTRIBUTE_NO_FLOW_CONTROL);
            change.apply(connect, data);
        }, bytes, true);
    }

    Completion propertyGet(final int offset, final int size)
    {
        return execute((command) ->
        {
            final PropertyCommand property = new PropertyCommand();
            property.wrap(command.buffer(), command.offset());
            command.opcode(AdminOpcode.FABRICS);
            property.fabricsType(FabricsType.PROPERTY_GET).attributes(size).propertyOffset(offset);
        });
    }

    Completion propertySet(final int offset, final int size, final long value)
    {
        return execute((command) ->
        {
            final PropertyCommand property = new PropertyCommand();
            property.wrap(command.buffer(), command.offset());
            command.opcode(AdminOpcode.FABRICS);
            property.fabricsType(FabricsType.PROPERTY_SET).attributes(size).propertyOffset(offset).value(value);
        });
    }

    Completion configure(final int configuration)
    {
        return propertySet(ControllerProperty.CONFIGURATION, PropertyCommand.SIZE_4, configuration);
    }

    Completion enable()
    {
        return configure(READY_CONFIGURATION);
    }

    int status()
    {
        return propertyGet(ControllerProperty.STATUS, PropertyCommand.SIZE_4).result0();
    }

    /** Runs something on the connection's reactor. */
    void run(final Runnable task)
    {
        reactor.run(task);
    }

    /** Ends the connection as a transport does when the peer is gone. */
    @Override
    public void close()
    {
        reactor.run(() -> link.close());
    }

    void freeMemory()
    {
        arena.close();
    }

    /** The transport's side. */
    private final class Link implements QueuePairTransport
    {
        private final CompletionQueueEntry completion = new CompletionQueueEntry();
        private final Map<Integer, byte[]> parts = new HashMap<>();
        private Request paused;
        private int pausedLength;

        @Override
        public void receiveData(final Request request)
        {
            wanted.add(request);
            if (!holdsData)
            {
                wanted.remove(request);
                deliver(request);
            }
        }

        void deliver(final Request request)
        {
            final byte[] payload = payloads.get(request.entry().commandId());
            final int offset = request.partOffset();
            final byte[] part = new byte[request.dataLength()];
            if (null != payload && offset < payload.length)
            {
                System.arraycopy(payload, offset, part, 0, Math.min(part.length, payload.length - offset));
            }
            RandomSegments.put(request.data(), part);
            queuePair.dispatcher().onDataReceived(request);
        }

        @Override
        public void respond(final Request request)
        {
            if (holdsSends)
            {
                unsent.add(request);
            }
            else
            {
                send(request);
            }
        }

        void send(final Request request)
        {
            final byte[] part = request.sendsData() ? RandomSegments.bytes(request.data()) : new byte[0];
            final byte[] before = parts.getOrDefault(request.entry().commandId(), new byte[0]);
            if (request.sendsData() && before.length != request.partOffset())
            {
                throw new AssertionError("part at " + request.partOffset() + " after " + before.length + " bytes");
            }
            final byte[] data = Arrays.copyOf(before, before.length + part.length);
            System.arraycopy(part, 0, data, before.length, part.length);
            if (!request.isLastPart())
            {
                parts.put(request.entry().commandId(), data);
                queuePair.dispatcher().onPartSent(request);
                return;
            }
            parts.remove(request.entry().commandId());
            completion.wrap(new UnsafeBuffer(new byte[CompletionQueueEntry.SIZE_BYTES]), 0);
            queuePair.writeCompletion(request, completion);
            queuePair.onSent(request, reactor.reactor().clockNs());
            queuePair.onFlushed();
            final CompletableFuture<Completion> answer = answers.remove(completion.commandId());
            final Completion got = new Completion(completion.commandId(), completion.statusField() >>> 1,
                completion.result0(), completion.result1(), completion.sqHead(), completion.sqId(), data);
            if (null == answer || !answer.complete(got))
            {
                throw new AssertionError("answered twice: " + got);
            }
        }

        @Override
        public void disconnect(final String reason)
        {
            disconnectReason = reason;
            reactor.reactor().execute(this::close);
        }

        void close()
        {
            if (!closed)
            {
                closed = true;
                unsent.clear();
                wanted.clear();
                paused = null;
                queuePair.onDisconnected(disconnectReason);
                for (final CompletableFuture<Completion> answer : new ArrayList<>(answers.values()))
                {
                    answer.completeExceptionally(new IllegalStateException("disconnected: " + disconnectReason));
                }
            }
        }

        @Override
        public String remote()
        {
            return REMOTE;
        }

        @Override
        public boolean isDiscoveryCrowded()
        {
            return isCrowded;
        }

        @Override
        public DataPointerFormat dataPointers()
        {
            return dataPointers;
        }
    }
}
