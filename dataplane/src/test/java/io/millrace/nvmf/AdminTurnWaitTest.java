package io.millrace.nvmf;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.millrace.memory.BufferGroup;
import io.millrace.memory.BufferPool;
import io.millrace.memory.BufferShare;
import io.millrace.nvme.AdminOpcode;
import io.millrace.nvme.LogPageId;
import io.millrace.nvme.NvmeStatus;
import io.millrace.nvme.identify.IdentifyCns;
import io.millrace.nvmf.request.PayloadBuffers;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** Admin commands that have begun and go on later wait for their turn as those do that begin. */
class AdminTurnWaitTest
{
    private static final int PAGE_BYTES = 3 * PayloadBuffers.ZEROES_BYTES;

    private static final int NONE_WAITS = -1;

    private final TestTarget target = new TestTarget(1);
    private final TestHost host = target.admin();
    private final PollGroup pollGroup = target.reactor(0).pollGroup();

    @AfterEach
    void close()
    {
        target.close();
    }

    private CompletableFuture<Completion> identify()
    {
        return host.submit((entry) ->
            entry.opcode(AdminOpcode.IDENTIFY).cdw10(IdentifyCns.CONTROLLER).sglLength(IdentifyCns.DATA_BYTES));
    }

    private CompletableFuture<Completion> logPage()
    {
        return host.submit((entry) -> entry.opcode(AdminOpcode.GET_LOG_PAGE).namespaceId(-1)
            .cdw10(LogPageId.dword10(LogPageId.ANA, false, PAGE_BYTES)).cdw11(LogPageId.dword11(PAGE_BYTES))
            .sglLength(PAGE_BYTES));
    }

    @Test
    void shouldNotSendTheNextPartInACycleWhoseTimeIsSpent()
    {
        host.holdSends(true);
        final CompletableFuture<Completion> page = logPage();
        int parts = 0;
        while (!page.isDone())
        {
            TestTarget.await("a part", () -> page.isDone() || 0 != host.heldCount());
            assertEquals(0, host.sendHeldWithoutTurn(), "sent in the same cycle");
            parts++;
        }
        assertTrue(parts > 2, "parts: " + parts);
        assertEquals(NvmeStatus.SUCCESS, page.join().status());
        assertEquals(PAGE_BYTES, page.join().data().length);
    }

    @Test
    void shouldNotGoOnWithABufferInACycleWhoseTimeIsSpent()
    {
        host.holdSends(true);
        final BufferPool reserve = pollGroup.resources().payloads().reserve();
        final List<Runnable> taken = new ArrayList<>();
        target.reactor(0).run(() -> takeAll(reserve, taken));
        final List<CompletableFuture<Completion>> asked = new ArrayList<>();
        int held = NONE_WAITS;
        while (NONE_WAITS == held)
        {
            assertTrue(asked.size() < 20, "none waits");
            asked.add(identify());
            held = goOnWithoutTurn(reserve, taken);
        }
        final int before = held;
        TestTarget.await("the answer", () -> before < host.heldCount());
        host.holdSends(false);
        host.sendHeld();
        asked.forEach((each) -> assertEquals(NvmeStatus.SUCCESS, TestHost.await(each).status()));
    }

    /** Whether one waits is looked at in the same cycle: the floors of the reserve may serve it in the next. */
    private int goOnWithoutTurn(final BufferPool reserve, final List<Runnable> taken)
    {
        return target.reactor(0).call(() ->
        {
            if (0 == reserve.waiting())
            {
                return NONE_WAITS;
            }
            final int before = host.heldHere();
            AdminTurns.spend(pollGroup);
            taken.forEach(Runnable::run);
            reserve.poll();
            assertEquals(0, reserve.waiting());
            assertEquals(before, host.heldHere(), "answered in the same cycle");
            return before;
        });
    }

    /** As many hosts do that have what they may have. */
    private static void takeAll(final BufferPool reserve, final List<Runnable> giveBack)
    {
        int before;
        do
        {
            before = giveBack.size();
            final BufferShare share = reserve.newShare(new BufferGroup());
            for (long next = reserve.acquire(share, IdentifyCns.DATA_BYTES); 0 != next;
                next = reserve.acquire(share, IdentifyCns.DATA_BYTES))
            {
                final long address = next;
                giveBack.add(() -> reserve.release(share, address, IdentifyCns.DATA_BYTES));
            }
        }
        while (before != giveBack.size());
    }

    @Test
    void shouldEndWithItsConnectionWhileItWaitsForItsTurn()
    {
        host.holdSends(true);
        final CompletableFuture<Completion> page = logPage();
        TestTarget.await("a part", () -> 0 != host.heldCount());
        target.reactor(0).run(() ->
        {
            AdminTurns.spend(pollGroup);
            host.sendHere();
            assertEquals(1, pollGroup.requestsInUse());
            host.closeHere();
            assertEquals(0, pollGroup.requestsInUse());
        });
        assertTrue(page.isCompletedExceptionally());
        assertFalse(target.reactor(0).call(() -> pollGroup.resources().adminTimeBudget().isAnyWaiting()));
    }
}
