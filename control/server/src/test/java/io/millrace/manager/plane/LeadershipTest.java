package io.millrace.manager.plane;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.millrace.control.codec.Code;
import io.millrace.control.message.Command;
import io.millrace.control.message.LeadershipInfo;
import io.millrace.control.message.StatePosition;
import io.millrace.control.message.Terms;
import io.millrace.control.service.Reply;
import io.millrace.manager.change.WorkThread;
import io.millrace.manager.store.FileDisk;
import io.millrace.manager.store.FullDisk;
import io.millrace.manager.store.StateStore;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.UUID;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Being in charge, with a disk that can be full, sessions that end at any time, and a data plane that refuses. */
class LeadershipTest
{
    private static final long WAIT_NS = TimeUnit.SECONDS.toNanos(20);
    private static final UUID ME = new UUID(0, 7);
    private static final UUID OTHER = new UUID(0, 8);

    @TempDir
    private Path directory;
    private final WorkThread work = new WorkThread("test");
    private final List<String> lines = new ArrayList<>();
    private final List<Long> asked = new ArrayList<>();
    private Consumer<Reply> answer;
    private FullDisk disk;
    private StateStore store;
    private Leadership leadership;
    private long nowNs;

    @BeforeEach
    void open() throws IOException
    {
        disk = new FullDisk(FileDisk.of(directory));
        store = StateStore.open(disk, 50, 0, "--use-version VERSION");
        leadership = leadership();
    }

    private Leadership leadership()
    {
        return new Leadership("dp0", new Command.TakeTerm(0, ME, "m", "there"), store, work, (command, then) ->
        {
            asked.add(((Command.TakeTerm)command).newTerm());
            answer = then;
        }, () -> nowNs, lines::add);
    }

    @AfterEach
    void close()
    {
        work.close();
    }

    private static LeadershipInfo held(final long term, final UUID by)
    {
        return new LeadershipInfo(term, by, 1, StatePosition.NONE, 0, 0, "x", "y");
    }

    /** Until what is being written is, well or not. */
    private void awaitDisk()
    {
        final long deadlineNs = System.nanoTime() + WAIT_NS;
        while (0 == work.poll())
        {
            assertTrue(System.nanoTime() - deadlineNs < 0, lines::toString);
            Thread.onSpinWait();
        }
    }

    private void write()
    {
        leadership.poll(nowNs);
        awaitDisk();
    }

    private void take()
    {
        write();
        assertFalse(leadership.isHeld(), "before the data plane says so");
        answer.accept(Reply.OK);
    }

    @Test
    void shouldTakeATermAboveItsOwnAndThatOfTheDataPlane() throws IOException
    {
        store.term(3);
        leadership.onObserved(held(7, OTHER), false);
        take();
        assertTrue(leadership.isHeld());
        assertEquals(8, leadership.term());
        assertEquals(8, StateStore.open(disk, 50, 0, "").term());

        leadership = leadership();
        leadership.onObserved(held(8, OTHER), false);
        take();
        assertEquals(List.of(8L, 9L), asked);
        assertEquals(List.of("active with term 8", "active with term 9"), lines);
    }

    /** A data plane that lost its terms takes no large step; one that has too high a term is not followed there. */
    @Test
    void shouldKeepToTheBoundsOfTerms() throws IOException
    {
        store.term(5_000_000);
        leadership.onObserved(held(2, OTHER), false);
        take();
        assertEquals(List.of(2 + Terms.STEP_MAX), asked);

        leadership = leadership();
        for (final long far : List.of(Terms.MAX, Long.MAX_VALUE))
        {
            leadership.onObserved(held(far, OTHER), true);
            leadership.poll(nowNs);
            assertFalse(leadership.isHeld());
            assertTrue(leadership.lastError().contains("above " + Terms.MAX + ": restart it"), leadership.lastError());
        }
        assertTrue(store.term() < Terms.MAX);
    }

    /** It lost its terms while one that it would not take any more was on disk. */
    @Test
    void shouldTakeASmallStepInPlaceOfATermThatIsOnDisk()
    {
        final long far = 5_000_000;
        leadership.onObserved(held(far, OTHER), false);
        write();
        leadership.onDisconnected();
        leadership.onObserved(held(2, OTHER), false);
        take();
        assertEquals(List.of(far + 1, 2 + Terms.STEP_MAX), asked);
    }

    @Test
    void shouldTryAgainASecondAfterTheDiskWasFull()
    {
        leadership.onObserved(held(0, OTHER), false);
        disk.isFull(true);
        write();
        assertEquals(List.of(), asked);
        assertEquals("term cannot be saved, no commands are sent: IOException: No space left on device",
            lines.removeFirst());
        disk.isFull(false);
        nowNs += TimeUnit.SECONDS.toNanos(1) - 1;
        leadership.poll(nowNs);
        assertEquals(0, store.term());
        nowNs++;
        take();
        assertTrue(leadership.isHeld());
        assertEquals(List.of("active with term 1"), lines);
    }

    @Test
    void shouldAskAgainForTheSameTermWhenItIsRefused()
    {
        leadership.onObserved(held(0, OTHER), false);
        write();
        answer.accept(Reply.refused(Code.NOT_PERMITTED, "no manager's key"));
        assertEquals("the data plane does not take term 1: no manager's key", leadership.lastError());
        nowNs += TimeUnit.SECONDS.toNanos(1);
        leadership.poll(nowNs);
        answer.accept(Reply.OK);
        assertEquals(List.of(1L, 1L), asked);
        assertEquals("", leadership.lastError());
    }

    @Test
    void shouldLookAgainWhenAnotherWasQuicker()
    {
        leadership.onObserved(held(0, OTHER), false);
        write();
        answer.accept(Reply.refused(Code.STALE_TERM, "term 1 is not above term 1"));
        nowNs += TimeUnit.SECONDS.toNanos(1);
        assertTrue(leadership.needsRecheck(nowNs));
        leadership.onObserved(held(1, OTHER), false);
        assertFalse(leadership.hasLostTerm(), "it never was in charge");
        take();
        assertEquals(2, leadership.term());
    }

    @Test
    void shouldTakeAnotherWhenItsSessionEndedBeforeItWasOnDisk()
    {
        leadership.onObserved(held(0, OTHER), false);
        leadership.poll(nowNs);
        leadership.onDisconnected();
        leadership.onObserved(held(5, OTHER), false);
        // One at a time.
        awaitDisk();
        assertEquals(1, store.term());
        assertEquals(List.of(), asked);
        awaitDisk();
        answer.accept(Reply.OK);
        assertEquals(6, leadership.term());
    }

    @Test
    void shouldTakeNoAnswerOfAnotherSession()
    {
        leadership.onObserved(held(0, OTHER), false);
        write();
        final Consumer<Reply> former = answer;
        leadership.onDisconnected();
        former.accept(Reply.OK);
        assertFalse(leadership.isHeld());
        leadership.onObserved(held(0, OTHER), false);
        leadership.poll(nowNs);
        assertEquals(List.of(1L, 1L), asked);
        former.accept(Reply.OK);
        assertFalse(leadership.isHeld(), "the question of this session is not answered");
        answer.accept(Reply.OK);
        assertTrue(leadership.isHeld());
    }

    @Test
    void shouldBeOverForGoodWhenAnotherManagerIsInCharge()
    {
        leadership.onObserved(held(0, OTHER), false);
        take();
        leadership.onDisconnected();
        leadership.onObserved(held(1, ME), false);
        assertTrue(leadership.isHeld() && !leadership.hasLostTerm());
        leadership.onObserved(held(1, OTHER), false);
        assertTrue(leadership.hasLostTerm(), "of the same term");
        leadership.onObserved(held(2, OTHER), false);
        assertTrue(leadership.hasLostTerm());
        assertTrue(leadership.lose());
        assertFalse(leadership.lose());
        assertTrue(leadership.isLost() && leadership.hasLostTerm() && !leadership.isHeld());
        assertEquals(Code.STALE_TERM, leadership.refusal().code());
        leadership.onObserved(held(0, OTHER), false);
        leadership.poll(nowNs);
        assertTrue(leadership.isLost() && leadership.hasLostTerm());
        assertEquals(1, leadership.term());
    }

    @Test
    void shouldTakeATermAgainFromADataPlaneThatLostIt()
    {
        leadership.onObserved(held(0, OTHER), false);
        take();
        leadership.onDisconnected();
        leadership.onObserved(held(0, OTHER), false);
        assertFalse(leadership.isHeld());
        take();
        assertEquals(List.of(1L, 2L), asked);
    }

    /** So that what was sent in the session before is refused when it comes late. */
    @Test
    void shouldTakeAnotherTermInEachSession()
    {
        leadership.onObserved(held(0, OTHER), false);
        take();
        leadership.onDisconnected();
        leadership.onObserved(held(1, ME), false);
        leadership.renew();
        assertFalse(leadership.isHeld() || leadership.hasLostTerm());
        take();
        assertEquals(List.of(1L, 2L), asked);
        assertEquals(2, leadership.term());
        // The answer to the next is lost: it was taken by nobody else.
        leadership.onDisconnected();
        leadership.onObserved(held(2, ME), false);
        leadership.renew();
        write();
        leadership.onDisconnected();
        leadership.onObserved(held(3, ME), false);
        assertFalse(leadership.hasLostTerm());
        take();
        assertEquals(List.of(1L, 2L, 3L, 4L), asked);
        // Another manager was quicker than the renewal: that one is in charge.
        leadership.onDisconnected();
        leadership.onObserved(held(4, ME), false);
        leadership.renew();
        write();
        answer.accept(Reply.refused(Code.STALE_TERM, "term 5 is not above term 5"));
        leadership.onObserved(held(5, OTHER), false);
        assertTrue(leadership.hasLostTerm());
    }
}
