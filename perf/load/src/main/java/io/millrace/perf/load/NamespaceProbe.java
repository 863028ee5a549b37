package io.millrace.perf.load;

import io.millrace.bindings.NativeMemory;
import io.millrace.nvme.NvmeStatus;
import io.millrace.nvme.identify.NamespaceInfo;
import io.millrace.nvmf.initiator.HostRequest;
import io.millrace.nvmf.initiator.RemoteQueuePair;
import java.util.Random;
import java.util.concurrent.CompletableFuture;
import java.util.function.LongFunction;

/**
 * Searches a range of a namespace for data: reads its first and last MiB, and one I/O at a random offset in each of
 * {@value #SAMPLES} equal parts of the part between. A block that is not zero is data. Data between the samples is
 * missed; boot records, partition tables and file systems are at the start, where everything is read. Blocks its
 * caller, any thread but a reactor's.
 */
final class NamespaceProbe
{
    private static final long EDGE_BYTES = 1 << 20;
    private static final int SAMPLES = 256;
    private static final long RETRY_NS = 1_000_000;

    private final RemoteQueuePair queue;
    private final NamespaceInfo namespace;
    private final long address;
    private final int readBytes;

    /**
     * Reads nothing yet.
     *
     * @param queue     to read on; nobody else uses it meanwhile.
     * @param namespace to look at.
     * @param address   of a buffer.
     * @param readBytes length of the buffer, a multiple of the block size.
     */
    NamespaceProbe(
        final RemoteQueuePair queue, final NamespaceInfo namespace, final long address, final int readBytes)
    {
        this.queue = queue;
        this.namespace = namespace;
        this.address = address;
        this.readBytes = readBytes;
    }

    /**
     * Searches the start of the namespace.
     *
     * @param lengthBytes of the range, from the first block on.
     * @return what was found, as a clause; null when every block that was read is zero.
     */
    String findData(final long lengthBytes)
    {
        return find(lengthBytes, this::describeData);
    }

    /**
     * Searches for blocks that a verified load wrote.
     *
     * @param lengthBytes of the range, from the first block on.
     * @return whether there is one among those that were read, or one that cannot be read.
     */
    boolean hasMarks(final long lengthBytes)
    {
        return null != find(lengthBytes, this::describeMark);
    }

    private String find(final long lengthBytes, final LongFunction<String> check)
    {
        final long reads = lengthBytes / readBytes;
        final long edge = Math.min((EDGE_BYTES + readBytes - 1) / readBytes, reads);
        for (long i = 0; i < edge; i++)
        {
            final String first = read(i, check);
            if (null != first)
            {
                return first;
            }
            final String last = read(reads - 1 - i, check);
            if (null != last)
            {
                return last;
            }
        }
        final long between = reads - 2 * edge;
        final Random random = new Random();
        for (long i = 0; i < Math.min(SAMPLES, between); i++)
        {
            final long start = edge + between * i / SAMPLES;
            final long end = edge + between * (i + 1) / SAMPLES;
            final String found = read(random.nextLong(start, Math.max(start + 1, end)), check);
            if (null != found)
            {
                return found;
            }
        }
        return null;
    }

    private String read(final long index, final LongFunction<String> check)
    {
        final int blocks = readBytes / namespace.blockSizeBytes();
        final long lba = index * blocks;
        final CompletableFuture<Integer> status = new CompletableFuture<>();
        final HostRequest request = new HostRequest(null, (done) -> status.complete(done.status()))
            .read(namespace.nsid(), lba, blocks, address, readBytes);
        queue.group().reactor().execute(() -> submit(request));
        final int result = status.join();
        if (0 != result)
        {
            return "block " + lba + " cannot be read: " + NvmeStatus.name(NvmeStatus.code(result));
        }
        return check.apply(lba);
    }

    private String describeData(final long lba)
    {
        for (int offset = 0; offset < readBytes; offset += Long.BYTES)
        {
            if (0 != NativeMemory.getLong(address + offset))
            {
                return "block " + (lba + offset / namespace.blockSizeBytes()) + " is not zero";
            }
        }
        return null;
    }

    private String describeMark(final long lba)
    {
        for (int offset = 0; offset < readBytes; offset += namespace.blockSizeBytes())
        {
            if (BlockPattern.isMarked(address + offset))
            {
                return "block " + (lba + offset / namespace.blockSizeBytes()) + " is marked";
            }
        }
        return null;
    }

    private void submit(final HostRequest request)
    {
        if (!queue.submit(request))
        {
            queue.group().reactor().schedule(queue.group().reactor().nowNs() + RETRY_NS, (nowNs) -> submit(request));
        }
        queue.flush();
    }
}
