package io.millrace.nvmf;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.millrace.block.BlockDevice;
import io.millrace.nvme.NvmeStatus;
import io.millrace.nvme.SubmissionQueueEntry;
import io.millrace.rdma.model.ModelRdmaCore;
import io.millrace.rdma.model.RdmaModel;
import io.millrace.reactor.HeldClock;
import java.util.Arrays;
import java.util.List;
import org.agrona.concurrent.UnsafeBuffer;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/**
 * What capsules that come together are answered with leaves in one list of requests of their connection, and a list
 * that does not leave, or not as a whole, ends with its connection.
 */
class RdmaListTest
{
    private static final int BLOCK = TransportContractFixture.BLOCK_BYTES;
    private static final int CAPSULES = 8;
    private static final long DEVICE_BYTES = 8L << 20;
    private static final long LITTLE_NS = 10_000;
    private static final long LIMIT_NS = 900_000_000L;
    private static final long RETRY_NS = 500_000_000L;
    private static final int CAPSULE_BYTES = SubmissionQueueEntry.SIZE_BYTES + BLOCK;
    private static final int READ_OFFSET = 1 << 20;

    private final RdmaTargetFixture rdma = new RdmaTargetFixture();
    private final RdmaModel model = rdma.model();
    private final HeldClock clock = rdma.clock();
    private final ScriptedRdmaHost scripted = rdma.scripted();
    private TransportContractFixture fixture;
    private ScriptedRdmaHost.Queue queue;
    private int key;

    private void serve()
    {
        serve(RdmaTargetFixture.lendingDevice(DEVICE_BYTES));
    }

    private void serve(final BlockDevice device)
    {
        fixture = rdma.serve(device);
        queue = rdma.openController();
        key = queue.key();
        fixture.await("the target to have nothing of the connections", () -> 0 == fixture.requestsInUse());
    }

    @AfterEach
    void shouldLeaveNothing()
    {
        rdma.close();
    }

    /** Has capsules come between two polls of the target. */
    private ModelRdmaCore.Posted together(final byte[]... capsules) throws InterruptedException
    {
        return together(() ->
        {
            for (final byte[] capsule : capsules)
            {
                queue.send(capsule);
            }
            fixture.await("the capsules to be in the target's memory", queue::hasDelivered);
        });
    }

    private ModelRdmaCore.Posted together(final Runnable sending) throws InterruptedException
    {
        final Runnable release = rdma.block();
        sending.run();
        final ModelRdmaCore.Posted before = model.targetCore().posted();
        release.run();
        return before;
    }

    /** With less time than that of any limit: all that the device has comes back. */
    private void awaitEnd()
    {
        final long limitNs = clock.advance(0) + LIMIT_NS;
        fixture.await("the connection to end", () ->
        {
            // It looks at descriptors by the clock.
            assertTrue(clock.advance(LITTLE_NS) < limitNs, "it ends by a timer");
            TransportContractFixture.get(fixture.group(0).reactor().call(() -> null));
            return fixture.transport().connectionCount() < 2;
        });
        clock.release();
    }

    private byte[][] commands(final boolean isWrite)
    {
        final byte[][] capsules = new byte[CAPSULES][];
        for (int i = 0; i < CAPSULES; i++)
        {
            capsules[i] = ScriptedRdmaHost.command(isWrite, i, i, 1, scripted.dataAddress() + (long)i * BLOCK, BLOCK,
                key);
        }
        return capsules;
    }

    private void takeAnswers(final int count)
    {
        for (int i = 0; i < count; i++)
        {
            assertEquals(NvmeStatus.SUCCESS, queue.answer().status());
        }
    }

    @Test
    void shouldAnswerCapsulesThatCameTogetherWithOneList() throws InterruptedException
    {
        serve();
        final ModelRdmaCore.Posted before = together(commands(false));
        takeAnswers(CAPSULES);
        assertEquals(new ModelRdmaCore.Posted(1, 2 * CAPSULES, 1, CAPSULES),
            model.targetCore().posted().since(before), "a WRITE and a SEND each, and the receive buffers");
    }

    /** An answer alone leaves in the poll that its capsule came with. */
    @Test
    void shouldAnswerACapsuleAloneWithOneList() throws InterruptedException
    {
        serve();
        for (int i = 0; i < 3; i++)
        {
            final ModelRdmaCore.Posted before = together(commands(false)[i]);
            takeAnswers(1);
            assertEquals(new ModelRdmaCore.Posted(1, 2, 1, 1), model.targetCore().posted().since(before));
        }
    }

    /** The host's device answers no READ meanwhile. */
    @Test
    void shouldReadDataOfWritesThatCameTogetherWithOneList() throws InterruptedException
    {
        serve();
        final byte[][] writes = commands(true);
        final ModelRdmaCore.Posted before = together(() ->
        {
            for (final byte[] capsule : writes)
            {
                queue.send(capsule);
            }
            fixture.await("the capsules to be in the target's memory", queue::hasDelivered);
            model.network().timeouts(RETRY_NS, RETRY_NS);
            model.network().cut(rdma.scriptedDevice(), model.targetDevice(), true);
        });
        fixture.await("the READs", () -> 0 != model.targetCore().posted().since(before).sends());
        assertEquals(new ModelRdmaCore.Posted(1, CAPSULES, 1, CAPSULES), model.targetCore().posted().since(before));
        model.network().cut(rdma.scriptedDevice(), model.targetDevice(), false);
        takeAnswers(CAPSULES);
    }

    /** The device's poller ends four requests at a time. */
    @Test
    void shouldSendAnswersOfADeviceThatEndsRequestsLaterInLists() throws InterruptedException
    {
        final LaterDevice device = new LaterDevice(BLOCK, DEVICE_BYTES);
        serve(device);
        device.hold(true);
        final ModelRdmaCore.Posted before = together(commands(false));
        fixture.await("the device to have all", () -> CAPSULES == device.held());
        assertEquals(0, model.targetCore().posted().since(before).sendLists());
        device.hold(false);
        takeAnswers(CAPSULES);
        final ModelRdmaCore.Posted answers = model.targetCore().posted().since(before);
        assertEquals(List.of(2, 2 * CAPSULES), List.of(answers.sendLists(), answers.sends()));
    }

    @Test
    void shouldEndAConnectionThatClosesBeforeItsListHasLeft() throws InterruptedException
    {
        serve();
        final byte[][] reads = commands(false);
        clock.hold();
        together(reads[0], reads[1], reads[2], new byte[1]);
        awaitEnd();
        assertEquals(0, fixture.buffersInUseBytes());
        ScriptedRdmaHost.await(queue.closed);
    }

    /** What is refused, and what follows it in its list, never comes to the device. */
    @Test
    void shouldEndAConnectionWhoseListIsRefusedInItsMiddle() throws InterruptedException
    {
        serve();
        clock.hold();
        model.targetCore().refuseSendAfter(5);
        together(commands(false));
        awaitEnd();
        ScriptedRdmaHost.await(queue.closed);
        assertTrue(queue.answers.size() <= 2, () -> "answers " + queue.answers);
    }

    /** A block is lent to an answer that has not left when a write to it is executed. */
    @Test
    void shouldKeepALentBlockAsItIsUntilItsListHasLeft() throws InterruptedException
    {
        serve();
        final ScriptedRdmaHost.Queue writer = rdma.openQueue(2);
        final byte[] write = Arrays.copyOf(ScriptedRdmaHost.inCapsule(1, 0, BLOCK), CAPSULE_BYTES);
        Arrays.fill(write, SubmissionQueueEntry.SIZE_BYTES, CAPSULE_BYTES, (byte)1);
        writer.send(write);
        assertEquals(NvmeStatus.SUCCESS, writer.answer().status());
        Arrays.fill(write, SubmissionQueueEntry.SIZE_BYTES, CAPSULE_BYTES, (byte)2);
        final ModelRdmaCore.Posted before = together(() ->
        {
            queue.send(ScriptedRdmaHost.command(false, 1, scripted.dataAddress() + READ_OFFSET, BLOCK, key));
            fixture.await("the read to be in the target's memory", queue::hasDelivered);
            writer.send(write);
            fixture.await("the write to be in the target's memory", writer::hasDelivered);
        });
        takeAnswers(1);
        assertEquals(NvmeStatus.SUCCESS, writer.answer().status());
        final UnsafeBuffer read = scripted.data(READ_OFFSET + BLOCK);
        for (int i = READ_OFFSET; i < read.capacity(); i++)
        {
            assertEquals(1, read.getByte(i), "what the block had");
        }
        assertEquals(List.of(2, 3), List.of(model.targetCore().posted().since(before).sendLists(),
            model.targetCore().posted().since(before).sends()), "a list of each queue pair, the write's when it could");
    }
}
