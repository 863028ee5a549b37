package io.millrace.nvmf.initiator.tcp;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.millrace.nvmf.initiator.HostRequest;
import io.millrace.nvmf.initiator.Waits;
import io.millrace.seed.TestSeeds;
import java.io.IOException;
import java.lang.foreign.MemorySegment;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.UnaryOperator;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;

/**
 * A target that answers at random: each well-formed PDU names an outstanding, an answered, a stale or no command.
 * Whatever comes, every command is completed once or lost once, never both, and the reactor goes on.
 */
class AnswerSequencePropertyTest
{
    private static final int COMMANDS = 6;
    private static final int PDUS_MAX = 40;
    private static final int READ_BYTES = 8192;
    private static final int WRITE_BYTES = 8 << 20;
    private static final int INTERNAL_ERROR = 0x006;

    @Property(tries = 120)
    void shouldCompleteOrLoseEveryCommandOnceWhateverATargetAnswers(@ForAll final long seed) throws Exception
    {
        final CompletableFuture<Void> submitted = new CompletableFuture<>();
        try (ConnectionFixture fixture = new ConnectionFixture((peer) ->
        {
            peer.accept(0, WRITE_BYTES);
            Waits.get(submitted);
            final int[] ids = new int[COMMANDS];
            for (int i = 0; i < COMMANDS; i++)
            {
                ids[i] = peer.read().commandId();
            }
            answer(peer, ids, TestSeeds.fixed(seed));
            peer.close();
        }).openReady(UnaryOperator.identity()))
        {
            final MemorySegment memory = fixture.host.memory(WRITE_BYTES);
            final List<AtomicInteger> completions = new ArrayList<>();
            final List<HostRequest> requests = new ArrayList<>();
            for (int i = 0; i < COMMANDS; i++)
            {
                final AtomicInteger count = new AtomicInteger();
                completions.add(count);
                final HostRequest request = new HostRequest(null, (done) -> count.incrementAndGet());
                requests.add(0 == i % 2 ? request.read(1, i, 1, memory.address(), READ_BYTES) :
                    request.write(1, i, 1, memory.address(), WRITE_BYTES));
            }
            fixture.host.call(() ->
            {
                requests.forEach((request) -> assertTrue(fixture.connection().submit(request)));
                return null;
            });
            submitted.complete(null);
            fixture.closeReason();
            assertEquals(0, fixture.host.call(() -> fixture.connection().inFlight()));
            for (int i = 0; i < COMMANDS; i++)
            {
                final HostRequest request = requests.get(i);
                final long lost = fixture.lost.stream().filter((each) -> each == request).count();
                assertEquals(1, completions.get(i).get() + lost, "command " + i + ", lost " + lost);
                assertEquals(0 == lost, request.isIdle());
            }
        }
    }

    private static void answer(final ScriptedPeer peer, final int[] ids, final Random random)
    {
        final int[] sent = new int[COMMANDS];
        try
        {
            for (int i = 0; i < PDUS_MAX; i++)
            {
                final int index = random.nextInt(COMMANDS);
                final int id = switch (random.nextInt(24))
                {
                    case 0 -> ids[index] ^ 0x8000;
                    case 1 -> ids[index] & 0xF000 | 0xFFF;
                    case 2 -> random.nextInt(0x1_0000);
                    default -> ids[index];
                };
                switch (random.nextInt(8))
                {
                    case 0 -> peer.write(peer.response(id, 0, 0));
                    case 1, 2 -> peer.write(peer.response(id, INTERNAL_ERROR, 0));
                    case 3 -> peer.write(peer.data(id, sent[index], new byte[READ_BYTES - sent[index]],
                        ScriptedPeer.LAST | ScriptedPeer.SUCCESS));
                    case 4, 5 ->
                    {
                        peer.write(peer.data(id, sent[index], new byte[512], 0));
                        sent[index] = Math.min(READ_BYTES - 512, sent[index] + 512);
                    }
                    default -> peer.write(peer.readyToTransfer(id, i, 0,
                        random.nextBoolean() ? WRITE_BYTES : WRITE_BYTES / 2));
                }
            }
        }
        catch (final IOException e)
        {
            // The host has ended the connection because of what was sent before.
            return;
        }
    }
}
