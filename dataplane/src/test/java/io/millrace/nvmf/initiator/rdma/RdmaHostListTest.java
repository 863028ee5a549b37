package io.millrace.nvmf.initiator.rdma;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.millrace.bindings.NativeMemory;
import io.millrace.nvme.identify.IdentifyControllerIo;
import io.millrace.nvmf.initiator.CapsuleLimits;
import io.millrace.nvmf.initiator.Waits;
import io.millrace.rdma.model.ModelRdmaCore;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.UnaryOperator;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** Which commands leave in one list of requests. */
class RdmaHostListTest
{
    private static final CapsuleLimits LIMITS =
        new CapsuleLimits(0, IdentifyControllerIo.SGL_ANY_ALIGNMENT | IdentifyControllerIo.SGL_KEYED, 1);
    private static final int COMMANDS = 8;
    private static final int SGL_OFFSET = 24;
    private static final int KEY_SHIFT = 24;

    private RdmaHostFixture fixture = new RdmaHostFixture();
    private final List<CompletableFuture<Integer>> all = new ArrayList<>();

    @AfterEach
    void shouldLeaveNothing()
    {
        fixture.close();
    }

    private ModelRdmaCore.Posted posted()
    {
        return fixture.model.hostCore().posted();
    }

    private CompletableFuture<Integer> read()
    {
        return fixture.submitHere((request) -> request.read(1, 0, 1, fixture.memory.address(), 4096));
    }

    private void awaitAll()
    {
        all.forEach((each) -> assertEquals(0, Waits.get(each)));
    }

    /** A reader of the host's memory is behind all that was sent: its end says that answers have come. */
    private static void answersHaveCome(
        final ScriptedController controller, final long capsule, final Runnable then)
    {
        controller.read(controller.dataAddress(), Long.BYTES, NativeMemory.getLong(capsule + SGL_OFFSET),
            (int)(NativeMemory.getLong(capsule + SGL_OFFSET + Long.BYTES) >>> KEY_SHIFT), then);
    }

    @Test
    void shouldSendCommandsOfOneTurnAsOneList()
    {
        fixture.openReady(LIMITS, UnaryOperator.identity());
        final ModelRdmaCore.Posted before = fixture.call(() ->
        {
            final ModelRdmaCore.Posted then = posted();
            for (int i = 0; i < COMMANDS; i++)
            {
                all.add(read());
            }
            assertEquals(0, posted().since(then).sends());
            return then;
        });
        awaitAll();
        assertEquals(1, posted().since(before).sendLists());
        assertEquals(COMMANDS, posted().since(before).sends());
    }

    @Test
    void shouldSendWhatWasSubmittedWhenItIsFlushed()
    {
        fixture.openReady(LIMITS, UnaryOperator.identity());
        fixture.call(() ->
        {
            final ModelRdmaCore.Posted before = posted();
            assertEquals(0, fixture.queue().flush());
            all.add(read());
            all.add(read());
            assertEquals(1, fixture.queue().flush());
            assertEquals(List.of(1, 2), List.of(posted().since(before).sendLists(), posted().since(before).sends()));
            assertEquals(0, fixture.queue().flush());
            return null;
        });
        awaitAll();
        fixture.call(() ->
        {
            fixture.queue().close("the test ends it");
            assertEquals(0, fixture.queue().flush());
            return null;
        });
    }

    /** Receive requests of all answers are one list too. */
    @Test
    void shouldSendCommandsThatAnswersCauseAsOneList() throws InterruptedException
    {
        final CountDownLatch answered = new CountDownLatch(1);
        final List<Integer> held = new ArrayList<>();
        fixture.controller.script((controller, entry, capsule) ->
        {
            held.add(entry.commandId());
            if (COMMANDS == held.size())
            {
                held.forEach((id) -> controller.answer(id, 0));
                answersHaveCome(controller, capsule, answered::countDown);
            }
        });
        fixture.openReady(LIMITS, UnaryOperator.identity());
        final ModelRdmaCore.Posted before = fixture.call(() ->
        {
            for (int i = 0; i < COMMANDS; i++)
            {
                read().thenAccept((_) -> all.add(read()));
            }
            fixture.queue().flush();
            assertTrue(answered.await(20, TimeUnit.SECONDS));
            return posted();
        });
        Waits.until("the commands", () -> COMMANDS == posted().since(before).sends());
        assertEquals(new ModelRdmaCore.Posted(1, COMMANDS, 1, COMMANDS), posted().since(before));
        fixture.call(() ->
        {
            assertEquals(COMMANDS, all.size());
            return null;
        });
    }

    /** Its capsule may still be in memory that another command would take. */
    @Test
    void shouldEndAConnectionWhoseControllerAnswersACommandThatHasNotLeft() throws InterruptedException
    {
        final List<Integer> ids = new ArrayList<>();
        fixture.controller.script((controller, entry, capsule) ->
        {
            ids.add(entry.commandId());
            controller.answer(entry.commandId(), 0);
        });
        fixture.openReady(LIMITS, UnaryOperator.identity());
        Waits.get(fixture.call(this::read));
        Waits.get(fixture.call(this::read));
        fixture.close();

        fixture = new RdmaHostFixture();
        final CountDownLatch answered = new CountDownLatch(1);
        fixture.controller.script((controller, entry, capsule) ->
        {
            // The second leaves when the connection is closed, at the latest.
            if (ids.get(0) == entry.commandId())
            {
                controller.answer(ids.get(0), 0);
                controller.answer(ids.get(1), 0);
                answersHaveCome(controller, capsule, answered::countDown);
            }
        });
        fixture.openReady(LIMITS, UnaryOperator.identity());
        final AtomicReference<CompletableFuture<Integer>> second = new AtomicReference<>();
        fixture.call(() ->
        {
            read().thenAccept((_) -> second.set(read()));
            fixture.queue().flush();
            assertTrue(answered.await(20, TimeUnit.SECONDS));
            return null;
        });
        final String reason = Waits.get(fixture.closed);
        assertTrue(reason.contains("which has not been sent"), reason);
        assertFalse(second.get().isDone());
        assertEquals(1, fixture.lost.size());
    }
}
