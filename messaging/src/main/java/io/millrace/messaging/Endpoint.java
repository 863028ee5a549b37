package io.millrace.messaging;

import io.millrace.bindings.NativeMemory;
import io.millrace.messaging.transport.EndpointStatus;
import io.millrace.messaging.transport.ExportAccess;
import io.millrace.messaging.transport.MessageMemory;
import io.millrace.messaging.transport.TransportKind;
import io.millrace.messaging.transport.TransportReason;
import java.lang.foreign.Arena;
import java.net.InetSocketAddress;
import org.agrona.DirectBuffer;
import org.agrona.concurrent.UnsafeBuffer;

/**
 * One side of a conversation with a peer. One that connects lives on when its connection is lost, and connects again;
 * one that was accepted ends with its connection. The reactor's.
 */
public final class Endpoint
{
    private final Messaging messaging;
    private final InetSocketAddress peer;
    private final Reconnection reconnection;
    /** Where it was accepted; null of one that connects or has ended: users may keep it, its buffers are free then. */
    private Messaging.AcceptedEndpoint accepted;
    private EndpointHandler handler;
    private EndpointState state = EndpointState.CONNECTING;
    private Connection connection;
    private TransportChoice transport;
    private long sessions;

    /** One that connects, or, without reconnection, one that a peer asked for. */
    Endpoint(
        final Messaging messaging,
        final InetSocketAddress peer,
        final EndpointHandler handler,
        final Reconnection reconnection,
        final Messaging.AcceptedEndpoint accepted)
    {
        this.messaging = messaging;
        this.peer = peer;
        this.handler = handler;
        this.reconnection = reconnection;
        this.accepted = accepted;
    }

    /**
     * {@return the address of the peer}
     */
    public InetSocketAddress peer()
    {
        return peer;
    }

    /**
     * {@return its state}
     */
    public EndpointState state()
    {
        return state;
    }

    /**
     * {@return the transport of the present or last connection and why it was chosen; null before the first}
     */
    public TransportChoice transport()
    {
        return transport;
    }

    /**
     * {@return how often it has been connected}
     */
    public long sessions()
    {
        return sessions;
    }

    /**
     * Sends a message.
     *
     * @param id     that its completion has; it need not be unique.
     * @param buffer that has the message. A message of up to the peer's receive slot less 32 bytes, or a quarter of
     *               this side's send buffer less 32 bytes where that is smaller, is copied, and so is one in a heap
     *               array. A larger one in native memory stays unchanged until its completion; of memory that is no
     *               {@link java.nio.ByteBuffer}'s the caller sees to it that it is not freed before.
     * @param offset of the message in bytes.
     * @param length of the message in bytes, 0 and above.
     * @return whether it was accepted.
     * @throws IndexOutOfBoundsException when it is not in the buffer.
     */
    public SubmitResult send(final long id, final DirectBuffer buffer, final int offset, final int length)
    {
        buffer.boundsCheck(offset, length);
        return EndpointState.CONNECTED == state ? connection.send(id, buffer, offset, length) : notConnected();
    }

    private SubmitResult notConnected()
    {
        return EndpointState.CLOSED == state ? SubmitResult.CLOSED : SubmitResult.NOT_CONNECTED;
    }

    /**
     * Reads memory of the peer, without its handler.
     *
     * @param id           that its completion has.
     * @param remote       region.
     * @param remoteOffset in the region.
     * @param memory       where to; the transport writes there until the completion.
     * @param offset       in the memory.
     * @param length       in bytes, 1 and above.
     * @return whether it was accepted.
     * @throws IndexOutOfBoundsException when it is not in the memory, or begins before the region.
     */
    public SubmitResult read(
        final long id,
        final RemoteRegion remote,
        final long remoteOffset,
        final MessageMemory memory,
        final long offset,
        final long length)
    {
        return access(false, id, remote, remoteOffset, memory, offset, length);
    }

    /**
     * Writes memory of the peer, without its handler. What is written is there at the completion, and perhaps before.
     *
     * @param id           that its completion has.
     * @param remote       region.
     * @param remoteOffset in the region.
     * @param memory       that has the bytes; it stays unchanged until the completion.
     * @param offset       in the memory.
     * @param length       in bytes, 1 and above.
     * @return whether it was accepted.
     * @throws IndexOutOfBoundsException when it is not in the memory, or begins before the region.
     */
    public SubmitResult write(
        final long id,
        final RemoteRegion remote,
        final long remoteOffset,
        final MessageMemory memory,
        final long offset,
        final long length)
    {
        return access(true, id, remote, remoteOffset, memory, offset, length);
    }

    private SubmitResult access(
        final boolean isWrite,
        final long id,
        final RemoteRegion remote,
        final long remoteOffset,
        final MessageMemory memory,
        final long offset,
        final long length)
    {
        memory.check(offset, length);
        if (length < 1 || remoteOffset < 0)
        {
            throw new IndexOutOfBoundsException(
                "length " + length + ", offset in the region " + remoteOffset + ": at least 1 and 0");
        }
        return EndpointState.CONNECTED == state ?
            connection.access(isWrite, id, remote, remoteOffset, memory, offset, length) : notConnected();
    }

    /**
     * Lets the peer of this endpoint reach memory, until it is revoked or the connection ends. Takes time over RDMA,
     * where the memory is registered: at set-up only.
     *
     * @param memory that stays open as long.
     * @param offset of the region in it.
     * @param length of the region in bytes, 1 and above.
     * @param access that is allowed.
     * @return the region.
     * @throws IndexOutOfBoundsException when it is not in the memory.
     * @throws IllegalStateException     when there is no connection, or there are too many regions.
     */
    public ExportedRegion export(
        final MessageMemory memory, final long offset, final long length, final ExportAccess access)
    {
        memory.check(offset, length);
        if (length < 1)
        {
            throw new IndexOutOfBoundsException("a region of " + length + " bytes: at least 1");
        }
        if (EndpointState.CONNECTED != state)
        {
            throw new IllegalStateException("the endpoint is " + state + ": export when it is connected");
        }
        try (Arena arena = Arena.ofConfined())
        {
            final long at = arena.allocate(RemoteRegion.DESCRIPTOR_BYTES, Long.BYTES).address();
            final long key = connection.export(memory, offset, length, access, at);
            if (0 == key)
            {
                throw new IllegalStateException("there are too many regions, or the connection is ending");
            }
            final byte[] descriptor = new byte[RemoteRegion.DESCRIPTOR_BYTES];
            for (int i = 0; i < descriptor.length; i++)
            {
                descriptor[i] = NativeMemory.getByte(at + i);
            }
            return new ExportedRegion(connection, memory, access, key, descriptor);
        }
    }

    /**
     * Ends it: what is outstanding completes with {@link EndpointStatus#CLOSED}, then follows
     * {@link EndpointHandler#onClosed}, both after this has returned. A second call does nothing.
     */
    public void close()
    {
        if (EndpointState.CLOSED == state)
        {
            return;
        }
        if (null != reconnection)
        {
            reconnection.stop();
        }
        if (null != connection)
        {
            connection.close(EndpointStatus.CLOSED, EndpointStatus.CLOSED.text());
        }
        else
        {
            state = EndpointState.CLOSED;
            messaging.execute(() -> end(EndpointStatus.CLOSED, EndpointStatus.CLOSED.text()));
        }
    }

    Messaging.AcceptedEndpoint accepted()
    {
        return accepted;
    }

    void connecting(final Connection by, final TransportChoice choice)
    {
        state = EndpointState.CONNECTING;
        connection = by;
        transport = choice;
    }

    void onOpen(final Connection by)
    {
        if (null == handler)
        {
            try
            {
                handler = accepted.at().owner().onEndpoint(this);
            }
            catch (final Throwable e)
            {
                onHandlerError(e);
                return;
            }
            if (null == handler)
            {
                by.close(EndpointStatus.REJECTED, EndpointStatus.REJECTED.text());
                return;
            }
        }
        state = EndpointState.CONNECTED;
        sessions++;
        messaging.onConnected(this);
        if (null != reconnection)
        {
            reconnection.onConnected();
        }
        try
        {
            handler.onConnected(this);
        }
        catch (final Throwable e)
        {
            onHandlerError(e);
        }
    }

    void onMessage(final UnsafeBuffer buffer, final int length)
    {
        try
        {
            handler.onMessage(this, buffer, 0, length);
        }
        catch (final Throwable e)
        {
            onHandlerError(e);
        }
    }

    void onCompletion(final long id, final EndpointStatus status)
    {
        try
        {
            handler.onCompletion(this, id, status);
        }
        catch (final Throwable e)
        {
            onHandlerError(e);
        }
    }

    void onWritable()
    {
        try
        {
            handler.onWritable(this);
        }
        catch (final Throwable e)
        {
            onHandlerError(e);
        }
    }

    private void onHandlerError(final Throwable error)
    {
        if (error instanceof final VirtualMachineError broken)
        {
            throw broken;
        }
        messaging.counters().add(MessagingCounter.HANDLER_ERRORS, 1);
        messaging.listener().onHandlerError(this, error);
        if (null != connection)
        {
            connection.close(EndpointStatus.HANDLER_FAILED, "the handler threw " + error);
        }
    }

    void onConnectionClosed(final Connection by, final EndpointStatus status, final String reason)
    {
        final boolean wasConnected = EndpointState.CONNECTED == state;
        connection = null;
        if (wasConnected && null != reconnection)
        {
            reconnection.onDisconnected();
        }
        messaging.onDisconnected(by, status, reason, wasConnected);
        if (null != reconnection && !reconnection.isStopped() && !wasConnected &&
            TransportKind.RDMA == by.link().kind())
        {
            // The peer has none, or it fails: TCP at once.
            reconnection.connectByTcp(status, reason);
            return;
        }
        final String why = wasConnected ? reason : withRdmaFailure(reason);
        if (null == reconnection || !reconnection.isWanted(status))
        {
            end(status, why);
            return;
        }
        state = EndpointState.DISCONNECTED;
        try
        {
            handler.onDisconnected(this, status, why);
        }
        catch (final Throwable e)
        {
            onHandlerError(e);
        }
        reconnection.later();
    }

    /** {@return why there is no connection by TCP, and by RDMA when that was tried before and failed} */
    private String withRdmaFailure(final String reason)
    {
        return null != transport && TransportKind.TCP == transport.kind() &&
            TransportReason.RDMA_FAILED == transport.reason() ? reason + "; by RDMA: " + transport.text() : reason;
    }

    /** An attempt to connect by TCP could not even begin. */
    void onConnectFailed(final EndpointStatus status, final String failure)
    {
        final String reason = withRdmaFailure(failure);
        messaging.counters().add(MessagingCounter.CONNECTS_FAILED, 1);
        connection = null;
        if (!reconnection.isWanted(status))
        {
            end(status, reason);
            return;
        }
        state = EndpointState.DISCONNECTED;
        try
        {
            handler.onDisconnected(this, status, reason);
        }
        catch (final Throwable e)
        {
            onHandlerError(e);
        }
        reconnection.later();
    }

    private void end(final EndpointStatus status, final String reason)
    {
        state = EndpointState.CLOSED;
        accepted = null;
        messaging.onEnded(this);
        if (null == handler)
        {
            return;
        }
        try
        {
            handler.onClosed(this, status, reason);
        }
        catch (final Throwable e)
        {
            onHandlerError(e);
        }
    }
}
