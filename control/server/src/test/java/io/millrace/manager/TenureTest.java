package io.millrace.manager;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.millrace.control.codec.Code;
import io.millrace.manager.store.FileDisk;
import io.millrace.manager.store.StateStore;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Being in charge, with a disk that can be full and sessions that end at any time. */
class TenureTest
{
    private static final long WAIT_NS = TimeUnit.SECONDS.toNanos(20);

    @TempDir
    private Path directory;
    private final WorkThread work = new WorkThread();
    private final List<String> lines = new ArrayList<>();
    private FullDisk disk;
    private StateStore store;
    private Tenure tenure;
    private long nowNs;

    @BeforeEach
    void open() throws IOException
    {
        disk = new FullDisk(FileDisk.of(directory));
        store = StateStore.open(disk, 50, 0, "--use-version VERSION");
        tenure = new Tenure("dp0", store, work, () -> nowNs, lines::add);
    }

    @AfterEach
    void close()
    {
        work.close();
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

    private void take()
    {
        tenure.poll(nowNs);
        assertFalse(tenure.isHeld(), "before it is on disk");
        awaitDisk();
    }

    @Test
    void shouldTakeATermAboveItsOwnAndThatOfTheDataPlane() throws IOException
    {
        store.term(3);
        tenure.onConnected(7);
        take();
        assertTrue(tenure.isHeld());
        assertEquals(8, tenure.term());
        assertEquals(8, store.term());
        assertEquals(8, StateStore.open(disk, 50, 0, "").term());

        final Tenure next = new Tenure("dp0", store, work, () -> nowNs, lines::add);
        next.onConnected(2);
        next.poll(nowNs);
        awaitDisk();
        assertEquals(9, next.term());
        assertEquals(List.of("in charge with term 8", "in charge with term 9"), lines);
    }

    @Test
    void shouldTryAgainASecondAfterTheDiskWasFull()
    {
        tenure.onConnected(0);
        disk.isFull(true);
        take();
        assertFalse(tenure.isHeld());
        assertEquals(0, tenure.term());
        assertEquals("term cannot be kept, nothing is commanded: IOException: No space left on device",
            lines.removeFirst());
        disk.isFull(false);
        nowNs += TimeUnit.SECONDS.toNanos(1) - 1;
        tenure.poll(nowNs);
        assertEquals(0, store.term());
        nowNs++;
        take();
        assertTrue(tenure.isHeld());
        assertEquals(List.of("in charge with term 1"), lines);
    }

    @Test
    void shouldTakeAnotherWhenItsSessionEndedBeforeItWasOnDisk()
    {
        tenure.onConnected(0);
        tenure.poll(nowNs);
        tenure.onDisconnected();
        tenure.onConnected(5);
        // One at a time.
        take();
        assertFalse(tenure.isHeld());
        assertEquals(0, tenure.term());
        assertEquals(1, store.term());
        take();
        assertEquals(6, tenure.term());
        assertEquals(List.of("in charge with term 6"), lines);
    }

    @Test
    void shouldBeOverForGoodWhenAnotherManagerHasALaterTerm()
    {
        tenure.onConnected(0);
        take();
        tenure.onDisconnected();
        tenure.onConnected(1);
        assertTrue(tenure.isHeld() && !tenure.isOver());
        tenure.onDisconnected();
        tenure.onConnected(2);
        assertTrue(tenure.isOver());
        assertTrue(tenure.lose());
        assertFalse(tenure.lose());
        assertTrue(tenure.isLost() && tenure.isOver() && !tenure.isHeld());
        assertEquals(Code.STALE_TERM, tenure.refusal().code());
        tenure.onConnected(0);
        tenure.poll(nowNs);
        assertTrue(tenure.isLost() && tenure.isOver());
        assertEquals(1, tenure.term());
    }
}
