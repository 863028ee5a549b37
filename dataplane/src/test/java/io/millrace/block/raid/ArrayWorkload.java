package io.millrace.block.raid;

import io.millrace.block.BlockOperation;
import io.millrace.block.BlockRequest;
import io.millrace.block.BlockStatus;
import io.millrace.block.Initiator;
import java.util.Random;
import java.util.concurrent.CompletableFuture;

/**
 * Writes, zeroes, deallocations, reads and flushes of an array at random, some in flight at a time, checked by an
 * {@link ArrayOracle}. Each request follows the completion of another one on the reactor, so that a seed repeats all of
 * them.
 */
public final class ArrayWorkload
{
    private static final int DEPTH = 6;
    private static final int BLOCKS_MAX = 8;
    private static final int ATTEMPTS = 8;
    private static final int ZEROES = 4;
    private static final int DEALLOCATION = 5;
    private static final int SHORT_ZEROES = 6;

    private final Initiator initiator;
    private final ArrayOracle oracle;
    private final PowerSupply supply;
    private final Random random;
    private final long arenaAddress;
    private final boolean allowsErrors;
    private final CompletableFuture<Void> ended = new CompletableFuture<>();
    private AssertionError failure;
    private int left;
    private int running;
    /** Behind the last write, where others follow. */
    private int streamEnd;

    /**
     * A workload, which runs once.
     *
     * @param initiator    with a channel to the array.
     * @param oracle       of its content.
     * @param supply       whose cut ends the workload.
     * @param random       to draw from, on the reactor.
     * @param arenaAddress of {@link #arenaBytes} for payload.
     * @param allowsErrors whether requests may fail while the power is on.
     */
    public ArrayWorkload(
        final Initiator initiator,
        final ArrayOracle oracle,
        final PowerSupply supply,
        final Random random,
        final long arenaAddress,
        final boolean allowsErrors)
    {
        this.initiator = initiator;
        this.oracle = oracle;
        this.supply = supply;
        this.random = random;
        this.arenaAddress = arenaAddress;
        this.allowsErrors = allowsErrors;
    }

    /** {@return bytes of the payload of a workload} */
    public static int arenaBytes(final int blockBytes)
    {
        return DEPTH * BLOCKS_MAX * blockBytes;
    }

    /**
     * Runs until so many requests have ended, or the power was cut and those in flight have.
     *
     * @param requests to do.
     * @throws AssertionError when a read is wrong, or a request has failed that must not.
     */
    public void run(final int requests)
    {
        await(requests, this::begin);
    }

    /**
     * Reads every block first, which is stable then.
     *
     * @param requests to do afterwards.
     * @throws AssertionError when a read is wrong, or a request has failed that must not.
     */
    public void runAfterCut(final int requests)
    {
        await(requests, () -> checkFrom(0));
    }

    private void await(final int requests, final Runnable beginning)
    {
        initiator.call(() ->
        {
            left = requests;
            beginning.run();
            return null;
        });
        initiator.get(ended);
        if (null != failure)
        {
            throw failure;
        }
    }

    private void begin()
    {
        running = DEPTH;
        for (int slot = 0; slot < DEPTH; slot++)
        {
            next(slot);
        }
    }

    private void checkFrom(final int lba)
    {
        if (oracle.blockCount() == lba)
        {
            begin();
            return;
        }
        final Initiator.Io io = initiator.io();
        Initiator.fill(io.request(), BlockOperation.READ, lba, 1, false, arenaAddress, oracle.blockBytes());
        io.then((done) ->
        {
            check(io.request(), () ->
            {
                if (BlockStatus.SUCCESS == io.request().status())
                {
                    oracle.settle(lba, 1, arenaAddress);
                }
            });
            if (null != failure || supply.isCut())
            {
                ended.complete(null);
            }
            else
            {
                checkFrom(lba + 1);
            }
        });
        initiator.resend(io);
    }

    private void next(final int slot)
    {
        if (0 == left || supply.isCut() || null != failure)
        {
            running--;
            if (0 == running)
            {
                ended.complete(null);
            }
            return;
        }
        left--;
        send(slot);
    }

    private void send(final int slot)
    {
        final long address = arenaAddress + (long)slot * BLOCKS_MAX * oracle.blockBytes();
        final int choice = random.nextInt(12);
        final boolean isForced = 0 == random.nextInt(4);
        int blocks = 1 + random.nextInt(BLOCKS_MAX);
        int lba = random.nextInt(oracle.blockCount() - blocks + 1);
        for (int i = 0; i < ATTEMPTS && oracle.isBusy(lba, blocks); i++)
        {
            blocks = 1 + random.nextInt(BLOCKS_MAX);
            lba = random.nextInt(oracle.blockCount() - blocks + 1);
        }
        if (choice > SHORT_ZEROES && random.nextBoolean() && streamEnd + blocks <= oracle.blockCount() &&
            !oracle.isBusy(streamEnd, blocks))
        {
            lba = streamEnd;
        }
        if ((ZEROES == choice || DEALLOCATION == choice) && oracle.blockCount() >= 2 * BLOCKS_MAX)
        {
            // As long as stripes, which the array passes on to its members.
            blocks = BLOCKS_MAX;
            lba = random.nextInt(oracle.blockCount() / BLOCKS_MAX) * BLOCKS_MAX;
        }
        final Initiator.Io io = initiator.io();
        if (choice < 2 || oracle.isBusy(lba, blocks))
        {
            final long begin = oracle.beginFlush();
            io.request().reset(BlockOperation.FLUSH, 0, 0);
            io.then((done) -> end(slot, io, () -> oracle.endFlush(begin, io.request().status())));
        }
        else if (choice < 4)
        {
            final int first = lba;
            final int count = blocks;
            oracle.beginRead(lba, blocks);
            Initiator.fill(
                io.request(), BlockOperation.READ, lba, blocks, false, address, (long)blocks * oracle.blockBytes());
            io.then((done) -> end(slot, io, () -> oracle.endRead(first, count, io.request().status(), address)));
        }
        else
        {
            change(slot, io, operation(choice), lba, blocks, isForced);
        }
        initiator.resend(io);
    }

    private BlockOperation operation(final int choice)
    {
        return switch (choice)
        {
            case ZEROES, SHORT_ZEROES -> BlockOperation.WRITE_ZEROES;
            case DEALLOCATION -> initiator.geometry().supportsDeallocate() ? BlockOperation.DEALLOCATE :
                BlockOperation.WRITE_ZEROES;
            default -> BlockOperation.WRITE;
        };
    }

    private void change(
        final int slot,
        final Initiator.Io io,
        final BlockOperation operation,
        final int lba,
        final int blocks,
        final boolean isForced)
    {
        if (BlockOperation.WRITE == operation)
        {
            final long address = arenaAddress + (long)slot * BLOCKS_MAX * oracle.blockBytes();
            streamEnd = lba + blocks;
            final ArrayOracle.Write write = oracle.beginWrite(lba, blocks, address);
            Initiator.fill(
                io.request(), operation, lba, blocks, isForced, address, (long)blocks * oracle.blockBytes());
            io.then((done) -> end(slot, io, () -> oracle.endWrite(write, io.request().status(), isForced)));
            return;
        }
        final ArrayOracle.Write write = oracle.beginZeroes(lba, blocks);
        // Each block is zero or stays as it is where the device does not say more.
        final boolean isZero =
            BlockOperation.WRITE_ZEROES == operation || initiator.geometry().deallocatedReadsZero();
        final boolean isStable = isForced && BlockOperation.WRITE_ZEROES == operation;
        Initiator.fill(io.request(), operation, lba, blocks, isStable);
        io.then((done) -> end(slot, io, () ->
        {
            final BlockStatus status = io.request().status();
            oracle.endWrite(
                write, isZero || BlockStatus.SUCCESS != status ? status : BlockStatus.COMPARE_FAILURE, isStable);
        }));
    }

    private void end(final int slot, final Initiator.Io io, final Runnable check)
    {
        check(io.request(), check);
        next(slot);
    }

    private void check(final BlockRequest request, final Runnable check)
    {
        try
        {
            check.run();
            if (BlockStatus.SUCCESS != request.status() && !allowsErrors && !supply.isCut() &&
                !oracle.allows(request))
            {
                throw new AssertionError(request + " ended with " + request.status() + " while power was on");
            }
        }
        catch (final AssertionError e)
        {
            failure = null == failure ? e : failure;
        }
    }
}
