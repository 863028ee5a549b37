package io.millrace.nvmf.initiator.rdma;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.millrace.bindings.NativeMemory;
import io.millrace.memory.Segments;
import io.millrace.nvme.identify.IdentifyControllerIo;
import io.millrace.nvmf.initiator.CapsuleLimits;
import io.millrace.nvmf.initiator.HostRequest;
import io.millrace.nvmf.initiator.Waits;
import io.millrace.seed.TestSeeds;
import java.lang.foreign.Arena;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.function.UnaryOperator;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * Random writes and reads of random sizes and pieces on a network that delays, loses and is cut, to a controller that
 * is reset: each command ends once, data is what was written, and no memory of a command is touched after its end. What
 * a connection lost is sent again on the next one, as the owner of the queue does.
 */
class RdmaHostPropertyTest
{
    private static final int WORKERS = 12;
    private static final int ROUNDS = 30;
    private static final int BYTES_MAX = 96 << 10;
    /** The controller's place of a worker's data; workers times this fits its memory. */
    private static final int PLACE_BYTES = 96 << 10;
    private static final int PIECES_MAX = 6;
    private static final int PIECE_GAP_BYTES = 64;
    private static final int AREA_BYTES = BYTES_MAX + PIECES_MAX * PIECE_GAP_BYTES;
    private static final byte CANARY = 0x5C;
    private static final long ACKNOWLEDGE_TIMEOUT_NS = 2_000_000L;
    /** Many times what a device takes to give up a send that is not acknowledged. */
    private static final long KEEP_ALIVE_NS = 200 * ACKNOWLEDGE_TIMEOUT_NS;
    private static final int KEYED = IdentifyControllerIo.SGL_ANY_ALIGNMENT | IdentifyControllerIo.SGL_KEYED;
    private static final CapsuleLimits[] LIMITS = {
        new CapsuleLimits(0, KEYED, 1),
        new CapsuleLimits(8192, KEYED | IdentifyControllerIo.SGL_OFFSET, 1),
        new CapsuleLimits(256, KEYED | IdentifyControllerIo.SGL_OFFSET, 4)};

    /** What one worker does next: writes, reads back, compares; on its memory nobody else works. */
    private static final class Worker
    {
        final Random random;
        final int place;
        final long area;
        final HostRequest request;
        byte[] expected;
        Segments payload;
        boolean isWrite;
        boolean isOutstanding;
        int rounds;
        int ends;
        String violation;

        Worker(final int place, final long area, final Random random, final Runnable onEnd)
        {
            this.place = place;
            this.area = area;
            this.random = random;
            NativeMemory.fill(area, AREA_BYTES, CANARY);
            request = new HostRequest(null, (each) -> end(onEnd));
        }

        /** Fills the request with the next command. */
        void next()
        {
            checkCanaries();
            if (!isWrite)
            {
                expected = new byte[512 * (1 + random.nextInt(random.nextBoolean() ? 16 : BYTES_MAX / 512))];
                random.nextBytes(expected);
            }
            isWrite = !isWrite;
            payload = new Segments();
            final int pieces = 1 + random.nextInt(PIECES_MAX);
            int at = 0;
            for (int i = 0; i < pieces; i++)
            {
                final int rest = expected.length - at;
                final int bytes = i == pieces - 1 ? rest : Math.min(rest, rest / pieces);
                if (0 != bytes)
                {
                    payload.add(area + at + (long)i * PIECE_GAP_BYTES, bytes);
                }
                at += bytes;
            }
            if (isWrite)
            {
                copy(true);
                request.write(1, place, 1, payload);
            }
            else
            {
                request.read(1, place, 1, payload);
            }
            isOutstanding = true;
        }

        private boolean copy(final boolean isOut)
        {
            boolean same = true;
            int at = 0;
            for (int i = 0; i < payload.count(); i++)
            {
                for (int j = 0; j < payload.lengthBytes(i); j++)
                {
                    if (isOut)
                    {
                        NativeMemory.putByte(payload.address(i) + j, expected[at]);
                    }
                    same &= NativeMemory.getByte(payload.address(i) + j) == expected[at];
                    at++;
                }
            }
            return same;
        }

        private void end(final Runnable onEnd)
        {
            ends++;
            if (!isOutstanding)
            {
                violate("a command ended twice");
            }
            isOutstanding = false;
            if (!request.isSuccess())
            {
                violate("status 0x" + Integer.toHexString(request.status()));
            }
            if (!copy(false))
            {
                violate((isWrite ? "a write changed its payload" : "a read has other data") + " " + payload);
            }
            rounds += isWrite ? 0 : 1;
            // From now on it has another use.
            for (int i = 0; i < payload.count(); i++)
            {
                NativeMemory.fill(payload.address(i), payload.lengthBytes(i), CANARY);
            }
            onEnd.run();
        }

        void checkCanaries()
        {
            for (int i = 0; i < AREA_BYTES; i++)
            {
                if (CANARY != NativeMemory.getByte(area + i))
                {
                    violate("byte " + i + " was touched after the end of a command");
                    NativeMemory.fill(area, AREA_BYTES, CANARY);
                }
            }
        }

        private void violate(final String what)
        {
            violation = null == violation ? "worker " + place + ", round " + rounds + ": " + what : violation;
        }
    }

    private final List<Worker> workers = new ArrayList<>();
    /** Filled and not submitted: the connection was lost, or is not there. */
    private final List<Worker> waiting = new ArrayList<>();
    private RdmaHostFixture fixture;

    /** On the reactor. */
    private void proceed(final Worker worker)
    {
        if (worker.rounds < ROUNDS && null == worker.violation)
        {
            worker.next();
            submit(worker);
        }
    }

    private void submit(final Worker worker)
    {
        if (!fixture.queue().isReady() || !fixture.queue().submit(worker.request))
        {
            waiting.add(worker);
        }
    }

    private void submitWaiting()
    {
        final List<Worker> again = List.copyOf(waiting);
        waiting.clear();
        again.forEach(this::submit);
    }

    private boolean isOver()
    {
        return workers.stream().allMatch((worker) ->
            !worker.isOutstanding && (ROUNDS == worker.rounds || null != worker.violation));
    }

    @ParameterizedTest
    @ValueSource(ints = {0, 1, 2, 3, 4, 5})
    void shouldEndEachCommandOnceWithItsData(final int part)
    {
        final Random random = TestSeeds.random(part);
        try (Arena arena = Arena.ofShared(); RdmaHostFixture opened = new RdmaHostFixture())
        {
            fixture = opened;
            final CapsuleLimits limits = LIMITS[part % LIMITS.length];
            fixture.controller.script(RdmaHostQueueTest::execute);
            fixture.model.network().timeouts(ACKNOWLEDGE_TIMEOUT_NS, 200_000_000L);
            for (int i = 0; i < WORKERS; i++)
            {
                final long area = random.nextBoolean() ? fixture.memory.address() + (long)i * AREA_BYTES :
                    arena.allocate(AREA_BYTES, 4096).address();
                final Worker[] self = new Worker[1];
                self[0] = new Worker(i * PLACE_BYTES, area, TestSeeds.fixed(random.nextLong()), () -> proceed(self[0]));
                workers.add(self[0]);
            }
            fixture.openReady(limits, UnaryOperator.identity());
            fixture.call(() ->
            {
                workers.forEach(this::proceed);
                return null;
            });
            disturb(random, limits);
            assertEquals(List.of(), fixture.call(() ->
            {
                workers.forEach(Worker::checkCanaries);
                return workers.stream().filter((worker) -> null != worker.violation).map((worker) -> worker.violation)
                    .toList();
            }));
            assertTrue(workers.stream().allMatch((worker) -> 2 * ROUNDS == worker.ends));
            assertEquals(0, fixture.call(() -> fixture.queue().inFlight()));
            assertEquals(0, fixture.call(() -> fixture.queue().exchange().bounce().takenBytes()));
        }
    }

    private void disturb(final Random random, final CapsuleLimits limits)
    {
        fixture.model.network().delay(0, random.nextInt(300_000));
        fixture.model.network().loss(random.nextBoolean() ? 0 : 16 + random.nextInt(50));
        int losses = 1 + random.nextInt(4);
        while (!fixture.call(this::isOver))
        {
            final int before = fixture.call(() -> workers.stream().mapToInt((worker) -> worker.ends).sum());
            // Somewhat later, as far as the commands are concerned.
            final int more = random.nextInt(60);
            Waits.until("progress", () -> fixture.closed.isDone() || fixture.call(() -> isOver() ||
                workers.stream().mapToInt((worker) -> worker.ends).sum() > before + more));
            if (losses > 0 && !fixture.closed.isDone() && fixture.call(() -> !isOver()))
            {
                losses--;
                lose(random.nextInt(4));
            }
            if (fixture.closed.isDone())
            {
                reopen(limits);
            }
        }
        fixture.model.network().loss(0);
    }

    private void lose(final int kind)
    {
        switch (kind)
        {
            case 0 -> fixture.call(() ->
            {
                fixture.queue().close("the test resets the controller");
                return null;
            });
            case 1 -> fixture.controller.run(fixture.controller::disconnect);
            case 2 -> fixture.model.hostDevice().failQueuePairs();
            default ->
            {
                fixture.model.network().cut(fixture.model.hostDevice(), fixture.model.targetDevice(), true);
                // All that the host had to send may have arrived just before: then the target alone notices, and cannot
                // say so. The keep alive of the association closes such a queue.
                final long keptAliveUntilNs = System.nanoTime() + KEEP_ALIVE_NS;
                Waits.until("the end of the connection or of its keep alive", () ->
                    fixture.closed.isDone() || System.nanoTime() - keptAliveUntilNs > 0);
                fixture.call(() ->
                {
                    if (!fixture.closed.isDone() && !isOver())
                    {
                        fixture.queue().close("the keep alive is not answered");
                    }
                    return null;
                });
                fixture.model.network().cut(fixture.model.hostDevice(), fixture.model.targetDevice(), false);
                return;
            }
        }
        Waits.get(fixture.closed);
    }

    private void reopen(final CapsuleLimits limits)
    {
        // What was lost is given back before the queue says that it is closed: nothing of it is touched from now on.
        final List<HostRequest> lost = new ArrayList<>();
        fixture.lost.drainTo(lost);
        do
        {
            fixture.open(limits, UnaryOperator.identity());
            Waits.until("a connection or its refusal", () -> fixture.ready.isDone() || fixture.closed.isDone());
        }
        while (!fixture.ready.isDone());
        fixture.call(() ->
        {
            for (final HostRequest each : lost)
            {
                waiting.add(workers.stream().filter((worker) -> worker.request == each).findFirst().orElseThrow());
            }
            submitWaiting();
            return null;
        });
    }
}
