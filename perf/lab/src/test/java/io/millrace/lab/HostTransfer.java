package io.millrace.lab;

import io.millrace.nvme.identify.NamespaceInfo;
import io.millrace.nvmf.initiator.HostRequest;
import io.millrace.nvmf.initiator.RemoteQueuePair;
import java.lang.foreign.MemorySegment;
import java.util.List;
import java.util.concurrent.CompletableFuture;

/**
 * Moves the whole of a namespace between a target and memory with our initiator, over one or more queue
 * pairs. Lives on the reactor of its queue pair.
 */
public final class HostTransfer
{
    private static final long RETRY_NS = 1_000_000;

    private final RemoteQueuePair queuePair;
    private final NamespaceInfo namespace;
    private final MemorySegment image;
    private final int transferBytes;
    private final int stride;
    private final boolean write;
    private final CompletableFuture<Void> done = new CompletableFuture<>();
    private long nextOffset;
    private int outstanding;

    private HostTransfer(
        final RemoteQueuePair queuePair,
        final NamespaceInfo namespace,
        final MemorySegment image,
        final int transferBytes,
        final int first,
        final int stride,
        final boolean write)
    {
        this.queuePair = queuePair;
        this.namespace = namespace;
        this.image = image;
        this.transferBytes = transferBytes;
        this.stride = stride;
        this.write = write;
        nextOffset = (long)first * transferBytes;
    }

    /** Writes an image to a namespace, the queue pairs taking turns. */
    public static CompletableFuture<Void> write(
        final List<RemoteQueuePair> queuePairs,
        final NamespaceInfo namespace,
        final MemorySegment image,
        final int transferBytes,
        final int depth)
    {
        return transfer(queuePairs, namespace, image, transferBytes, depth, true);
    }

    /** Reads a namespace into an image, the queue pairs taking turns. */
    public static CompletableFuture<Void> read(
        final List<RemoteQueuePair> queuePairs,
        final NamespaceInfo namespace,
        final MemorySegment image,
        final int transferBytes,
        final int depth)
    {
        return transfer(queuePairs, namespace, image, transferBytes, depth, false);
    }

    private static CompletableFuture<Void> transfer(
        final List<RemoteQueuePair> queuePairs,
        final NamespaceInfo namespace,
        final MemorySegment image,
        final int transferBytes,
        final int depth,
        final boolean write)
    {
        final CompletableFuture<?>[] parts = new CompletableFuture<?>[queuePairs.size()];
        for (int i = 0; i < parts.length; i++)
        {
            final HostTransfer part = new HostTransfer(
                queuePairs.get(i), namespace, image, transferBytes, i, parts.length, write);
            parts[i] = part.done;
            queuePairs.get(i).group().reactor().execute(() -> part.begin(depth));
        }
        return CompletableFuture.allOf(parts);
    }

    private void begin(final int depth)
    {
        for (int i = 0; i < depth; i++)
        {
            proceed(new HostRequest(null, this::onComplete));
        }
        finishWhenIdle();
    }

    private void proceed(final HostRequest request)
    {
        if (nextOffset >= image.byteSize() || done.isDone())
        {
            return;
        }
        final long offset = nextOffset;
        final int bytes = (int)Math.min(transferBytes, image.byteSize() - offset);
        final long lba = offset / namespace.blockSizeBytes();
        final int blocks = bytes / namespace.blockSizeBytes();
        final long address = image.address() + offset;
        nextOffset += (long)stride * transferBytes;
        outstanding++;
        submit(write ? request.write(namespace.nsid(), lba, blocks, address, bytes) :
            request.read(namespace.nsid(), lba, blocks, address, bytes));
    }

    /** The queue is full or not connected now: again a little later. */
    private void submit(final HostRequest request)
    {
        if (!queuePair.submit(request))
        {
            queuePair.group().reactor().schedule(
                queuePair.group().reactor().nowNs() + RETRY_NS, (nowNs) -> submit(request));
        }
    }

    private void onComplete(final HostRequest request)
    {
        outstanding--;
        if (!request.isSuccess())
        {
            done.completeExceptionally(new AssertionError("failed: " + request));
            return;
        }
        proceed(request);
        finishWhenIdle();
    }

    private void finishWhenIdle()
    {
        if (0 == outstanding && nextOffset >= image.byteSize())
        {
            done.complete(null);
        }
    }
}
