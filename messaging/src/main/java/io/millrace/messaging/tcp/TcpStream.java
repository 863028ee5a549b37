package io.millrace.messaging.tcp;

import io.millrace.bindings.Errno;
import io.millrace.bindings.NativeMemory;
import io.millrace.bindings.linux.Epoll;
import io.millrace.bindings.linux.MessageHeader;
import io.millrace.bindings.linux.Sockets;
import io.millrace.messaging.transport.EndpointStatus;
import io.millrace.messaging.wire.BulkHeader;
import io.millrace.messaging.wire.FrameHeader;
import io.millrace.messaging.wire.Hello;
import io.millrace.reactor.Kernel;
import io.millrace.reactor.Reactor;
import io.millrace.reactor.ReactorConfig;
import java.lang.foreign.Arena;

/**
 * A socket, what is received from it and what waits to be sent on it. Frames are parsed where they were received; the
 * payload of bulk is received where it goes. One reactor's.
 */
final class TcpStream
{
    /** How the stream stands. */
    enum State
    {
        /** Waits for the connection. */
        CONNECTING,
        /** Waits for the hello of the peer. */
        HELLO,
        /** Carries frames and bulk. */
        OPEN,
        /** Sends what is queued, and takes what comes without looking at it. */
        DISCARDING,
        /** Has sent all, and takes what comes without looking at it, until the peer ends the stream. */
        ENDING,
        /** Closed, or failed; nothing is called any more. */
        CLOSED
    }

    /** What the payload that is received belongs to. */
    enum Payload
    {
        /** The peer's answer to a read of this side. */
        READ_DATA,
        /** A write of the peer's. */
        WRITE_DATA
    }

    /** Calls of a poll: others on the reactor wait no longer than for these. */
    private static final int RECEIVES_PER_POLL = 8;
    /** Payload that comes behind a header is copied: on a stream of bulk only so much. */
    private static final int BULK_BUFFER_BYTES = 4 << 10;
    private static final int FRAME_BUFFER_BYTES = 256 << 10;
    /** Both buffers of stream 0 before the proof of the peer: it may be anybody. */
    private static final int EARLY_BUFFER_BYTES = 4 << 10;
    /** Largest frame before that proof. */
    private static final int EARLY_FRAME_BYTES = Hello.SLOT_BYTES_MIN;
    /** The same of a reactor that never sleeps. */
    private static final long SPINNING_POLL_NS = 10_000_000;
    /** Time of polling after which epoll's work at each arrival is avoided. */
    private static final long BUSY_POLL_AFTER_NS = 1_000_000;
    private static final String LOST = "the connection broke: ";

    private final Reactor reactor;
    private final Kernel kernel;
    private final Arena arena = Arena.ofShared();
    private final int slotBytes;
    private int frameBytesMax = EARLY_FRAME_BYTES;
    /** After the last data the socket is polled so long before epoll has it: as long as the reactor spins. */
    private final long pollNs;
    private final long helloAddress = arena.allocate(Hello.SIZE_BYTES, Long.BYTES).address();
    private final long messageAddress = arena.allocate(MessageHeader.SIZE_BYTES, Long.BYTES).address();
    private final long iovecAddress = arena.allocate(2L * MessageHeader.IOVEC_SIZE_BYTES, Long.BYTES).address();
    private final int fd;
    private StreamHandler handler;
    private State state;
    private int number;
    private SendQueue queue;
    private RegionTable regions;
    private long bufferAddress;
    private int bufferBytes;
    private int helloBytes;
    private int start;
    private int end;
    private long payloadAddress;
    private long payloadKey;
    private Payload payload = Payload.READ_DATA;
    private long writeOperation;
    private int payloadLeft;
    private int watched;
    private boolean isReadable;
    private boolean isWritable;
    private boolean isPolled;
    private long pollingSinceNs;
    private long lastDataNs;
    /** Calls of this poll that brought data. */
    private int receives;

    TcpStream(
        final Reactor reactor, final int fd, final State state, final int slotBytes, final StreamHandler handler)
    {
        this.reactor = reactor;
        kernel = reactor.kernel();
        this.fd = fd;
        this.state = state;
        this.slotBytes = slotBytes;
        this.handler = handler;
        pollNs = ReactorConfig.IdleMode.BUSY_SPIN == reactor.config().idle() ?
            SPINNING_POLL_NS : reactor.config().spinNs();
        watched = State.CONNECTING == state ? Epoll.EPOLLOUT : Epoll.EPOLLIN;
        isWritable = State.CONNECTING != state;
        reactor.register(fd, watched, this::onReady);
    }

    /** It is the first stream of a link, whose peer has not proved itself: buffers are small. */
    void assignFirst(final StreamHandler owner, final RegionTable table)
    {
        assign(owner, 0, EARLY_BUFFER_BYTES, EARLY_BUFFER_BYTES, table);
    }

    /** It is a further stream of a link. */
    void assignFurther(
        final StreamHandler owner, final int streamNumber, final int sendBytes, final RegionTable table)
    {
        frameBytesMax = slotBytes;
        assign(owner, streamNumber, sendBytes, Math.max(BULK_BUFFER_BYTES, 2 * slotBytes), table);
    }

    private void assign(
        final StreamHandler owner,
        final int streamNumber,
        final int sendBytes,
        final int receiveBytes,
        final RegionTable table)
    {
        handler = owner;
        number = streamNumber;
        regions = table;
        queue = new SendQueue(sendBytes, table);
        bufferBytes = receiveBytes;
        bufferAddress = arena.allocate(bufferBytes, 64).address();
    }

    /** The peer has proved itself: the buffers of stream 0 get their full size, also while a frame is handled. */
    void onAuthenticated(final int sendBytes)
    {
        queue.grow(sendBytes);
        frameBytesMax = slotBytes;
        bufferBytes = Math.max(FRAME_BUFFER_BYTES, 2 * slotBytes);
        final long buffer = arena.allocate(bufferBytes, 64).address();
        NativeMemory.copy(bufferAddress + start, buffer, end - start);
        bufferAddress = buffer;
        end -= start;
        start = 0;
    }

    int number()
    {
        return number;
    }

    State state()
    {
        return state;
    }

    SendQueue queue()
    {
        return queue;
    }

    /** Sends a few bytes before the stream is assigned; what the socket does not take is lost. */
    void sendAtOnce(final long address, final int bytes)
    {
        kernel.send(fd, address, bytes);
    }

    /** The next payload answers a read of this side. */
    void expectReadData()
    {
        payload = Payload.READ_DATA;
    }

    /** The next payload is a write of the peer's; the region is checked while it is received. */
    void expectWriteData(final long operation, final long key)
    {
        payload = Payload.WRITE_DATA;
        writeOperation = operation;
        payloadKey = key;
    }

    /** {@return what the payload that is there belongs to} */
    Payload payload()
    {
        return payload;
    }

    /** {@return the number of the peer's write whose payload is there} */
    long writeOperation()
    {
        return writeOperation;
    }

    private void onReady(final int events)
    {
        if (0 != (events & (Epoll.EPOLLIN | Epoll.EPOLLHUP | Epoll.EPOLLERR)))
        {
            isReadable = true;
        }
        if (0 != (events & (Epoll.EPOLLOUT | Epoll.EPOLLHUP | Epoll.EPOLLERR)))
        {
            isWritable = true;
        }
        watch();
    }

    boolean canSleep()
    {
        return State.CLOSED == state ||
            !isPolled && !isReadable && (null == queue || queue.isEmpty() || !isWritable);
    }

    int poll()
    {
        if (State.CLOSED == state)
        {
            return 0;
        }
        if (State.CONNECTING == state)
        {
            return isWritable ? finishConnect() : 0;
        }
        if (!isReadable && !isPolled)
        {
            return 0;
        }
        receives = 0;
        int calls = 0;
        while (calls < RECEIVES_PER_POLL && State.CLOSED != state && receive())
        {
            calls++;
        }
        if (0 == receives && isPolled && reactor.nowNs() - lastDataNs > pollNs)
        {
            isPolled = false;
            watch();
        }
        return receives;
    }

    private int finishConnect()
    {
        NativeMemory.putInt(messageAddress, 0);
        NativeMemory.putInt(iovecAddress, Integer.BYTES);
        final int errno = SocketOptions.error(kernel, fd, messageAddress, iovecAddress);
        if (0 != errno)
        {
            fail(EndpointStatus.UNREACHABLE, "no TCP connection: " + Errno.describe(errno));
            return 1;
        }
        state = State.HELLO;
        watch();
        handler.onConnected(this);
        return 1;
    }

    /** {@return whether there may be more} */
    private boolean receive()
    {
        final long received;
        final long wanted;
        if (State.HELLO == state)
        {
            return receiveHello();
        }
        if (payloadLeft > 0)
        {
            if (0 != payloadKey && !regions.isValid(payloadKey))
            {
                fail(EndpointStatus.ACCESS_DENIED, "a region was revoked while the peer wrote to it");
                return false;
            }
            final int room = Math.min(BULK_BUFFER_BYTES, bufferBytes);
            MessageHeader.setIovec(iovecAddress, payloadAddress, payloadLeft);
            MessageHeader.setIovec(iovecAddress + MessageHeader.IOVEC_SIZE_BYTES, bufferAddress, room);
            MessageHeader.set(messageAddress, iovecAddress, 2);
            wanted = payloadLeft + (long)room;
            received = kernel.receiveMessage(fd, messageAddress);
        }
        else
        {
            wanted = bufferBytes - end;
            received = kernel.receive(fd, bufferAddress + end, wanted);
        }
        if (received <= 0)
        {
            onNothing(received);
            return false;
        }
        onData();
        if (State.DISCARDING == state || State.ENDING == state)
        {
            return received == wanted;
        }
        if (payloadLeft > 0)
        {
            final int taken = (int)Math.min(payloadLeft, received);
            end = (int)(received - taken);
            onPayload(taken);
        }
        else
        {
            end += (int)received;
        }
        parse();
        return received == wanted;
    }

    private boolean receiveHello()
    {
        final long received = kernel.receive(fd, helloAddress + helloBytes, Hello.SIZE_BYTES - helloBytes);
        if (received <= 0)
        {
            onNothing(received);
            return false;
        }
        onData();
        helloBytes += (int)received;
        if (Hello.SIZE_BYTES == helloBytes)
        {
            state = State.OPEN;
            handler.onHello(this, helloAddress);
            return State.OPEN == state;
        }
        return false;
    }

    private void onData()
    {
        receives++;
        lastDataNs = reactor.nowNs();
        if (!isPolled)
        {
            isPolled = true;
            pollingSinceNs = lastDataNs;
        }
        else if (0 != (watched & Epoll.EPOLLIN) && lastDataNs - pollingSinceNs > BUSY_POLL_AFTER_NS)
        {
            watch();
        }
    }

    private void onNothing(final long result)
    {
        isReadable = false;
        if (-Errno.EAGAIN == result || -Errno.EINTR == result)
        {
            return;
        }
        if (0 == result)
        {
            fail(EndpointStatus.CONNECTION_LOST, "the peer ended the connection without a goodbye");
        }
        else
        {
            fail(EndpointStatus.CONNECTION_LOST, LOST + Errno.describe((int)-result));
        }
    }

    private void onPayload(final int bytes)
    {
        payloadAddress += bytes;
        payloadLeft -= bytes;
        if (0 == payloadLeft)
        {
            payloadKey = 0;
            handler.onPayload(this);
        }
    }

    private void parse()
    {
        while (State.OPEN == state && 0 == payloadLeft && parseOne())
        {
        }
        if (start == end)
        {
            start = 0;
            end = 0;
        }
        else if (bufferBytes - end < frameBytesMax)
        {
            NativeMemory.copy(bufferAddress + start, bufferAddress, end - start);
            end -= start;
            start = 0;
        }
    }

    /** {@return whether something whole was there} */
    private boolean parseOne()
    {
        final int available = end - start;
        final long at = bufferAddress + start;
        if (available < FrameHeader.SIZE_BYTES)
        {
            return false;
        }
        if (FrameHeader.kind(at) >= BulkHeader.KIND_MIN)
        {
            return parseBulk(at, available);
        }
        final int payloadBytes = FrameHeader.payloadBytes(at);
        if (payloadBytes < 0 || payloadBytes > frameBytesMax - FrameHeader.SIZE_BYTES)
        {
            fail(EndpointStatus.PROTOCOL_ERROR, "a frame of the peer has a payload of " +
                Integer.toUnsignedString(payloadBytes) + " bytes: at most " +
                (frameBytesMax - FrameHeader.SIZE_BYTES) +
                (slotBytes == frameBytesMax ? " fit a receive slot" : " are valid before its proof"));
            return false;
        }
        if (available < FrameHeader.SIZE_BYTES + payloadBytes)
        {
            return false;
        }
        start += FrameHeader.SIZE_BYTES + payloadBytes;
        handler.onFrame(this, at, payloadBytes);
        return true;
    }

    private boolean parseBulk(final long at, final int available)
    {
        if (available < BulkHeader.SIZE_BYTES)
        {
            return false;
        }
        start += BulkHeader.SIZE_BYTES;
        final int payloadBytes = BulkHeader.payloadBytes(at);
        final long target = handler.onBulk(this, at);
        if (0 == target || State.OPEN != state)
        {
            return State.OPEN == state;
        }
        payloadAddress = target;
        payloadLeft = payloadBytes;
        final int here = Math.min(payloadLeft, end - start);
        if (here > 0)
        {
            NativeMemory.copy(bufferAddress + start, payloadAddress, here);
            start += here;
            onPayload(here);
        }
        return true;
    }

    /** Sends what is queued, as far as the socket takes it. */
    int flush()
    {
        if (null == queue || queue.isEmpty() || !isWritable || State.CONNECTING == state || State.CLOSED == state)
        {
            return 0;
        }
        final long sent = queue.flush(kernel, fd);
        if (sent < 0)
        {
            if (-Errno.EACCES == sent)
            {
                fail(EndpointStatus.ACCESS_DENIED, "a region was revoked while the peer read it");
            }
            else
            {
                fail(EndpointStatus.CONNECTION_LOST, LOST + Errno.describe((int)-sent));
            }
            return 1;
        }
        if (!queue.isEmpty() && 0 == sent)
        {
            isWritable = false;
            watch();
        }
        return sent > 0 ? 1 : 0;
    }

    private void watch()
    {
        if (State.CLOSED == state)
        {
            return;
        }
        final boolean isBusy = isPolled && reactor.nowNs() - pollingSinceNs > BUSY_POLL_AFTER_NS;
        final int wanted =
            (State.CONNECTING == state || isBusy ? 0 : Epoll.EPOLLIN) | (isWritable ? 0 : Epoll.EPOLLOUT);
        if (wanted != watched)
        {
            watched = wanted;
            reactor.modify(fd, wanted);
        }
    }

    /** What comes is not looked at any more. */
    void discard()
    {
        if (State.OPEN == state)
        {
            state = State.DISCARDING;
            payloadLeft = 0;
            start = 0;
            end = 0;
            isReadable = true;
        }
    }

    /** Tells the peer that nothing more comes. */
    void endSending()
    {
        if (State.DISCARDING == state)
        {
            state = State.ENDING;
            kernel.shutdown(fd, Sockets.SHUT_WR);
        }
    }

    void fail(final EndpointStatus status, final String reason)
    {
        if (State.CLOSED != state)
        {
            handler.onFailed(this, status, reason);
        }
    }

    /** Closes the socket; nothing of it is called any more. Its memory goes with {@link #free}. */
    void close()
    {
        if (State.CLOSED != state)
        {
            state = State.CLOSED;
            payloadLeft = 0;
            reactor.deregister(fd);
            kernel.close(fd);
        }
    }

    /** Frees its memory: never while it is polled. */
    void free()
    {
        if (null != queue)
        {
            queue.close();
        }
        arena.close();
    }
}
