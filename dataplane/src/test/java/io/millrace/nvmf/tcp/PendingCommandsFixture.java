package io.millrace.nvmf.tcp;

import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.millrace.block.BlockDevice;
import io.millrace.block.memory.MemoryDevice;
import io.millrace.nvmf.tcp.pdu.PduType;
import io.millrace.reactor.ReactorConfig;
import java.io.IOException;
import java.util.concurrent.CompletableFuture;
import java.util.function.IntConsumer;
import java.util.function.Supplier;
import org.junit.jupiter.api.AfterEach;

/**
 * A target whose namespace is changed while commands to it are pending: hosts that owe data or take no answers, beside
 * one that does nothing wrong.
 */
abstract class PendingCommandsFixture
{
    static final int BLOCK = TargetFixture.BLOCK_BYTES;
    static final int BLOCKS = 32;
    static final int BYTES = BLOCKS * BLOCK;
    static final int DEPTH = 128;
    static final int WRITES = 100;

    TargetFixture target;
    TestHost bystander;
    private TestHost admin;

    final MemoryDevice startOnMemory() throws IOException
    {
        final MemoryDevice device = MemoryDevice.create("mem0", TargetFixture.DEVICE_BYTES, BLOCK);
        start(device);
        return device;
    }

    void start(final BlockDevice device) throws IOException
    {
        target = new TargetFixture(
            1, TargetFixture.smallSendBuffers(), device, TargetFixture.POOL_BYTES, ReactorConfig.SPIN_NS_DEFAULT);
        addNamespaces();
        admin = TestHost.admin(target.address(), TargetFixture.NQN, Digests.NONE);
        bystander = TestHost.io(target.address(), TargetFixture.NQN, admin, 9, 32, Digests.NONE);
    }

    /** Adds to the first namespace what hosts see as soon as they connect. */
    void addNamespaces()
    {
    }

    @AfterEach
    void stop()
    {
        bystander.close();
        admin.close();
        target.close();
    }

    final TestHost io() throws IOException
    {
        return io(1, DEPTH);
    }

    final TestHost io(final int queueId, final int depth) throws IOException
    {
        return TestHost.io(target.address(), TargetFixture.NQN, admin, queueId, depth, Digests.NONE);
    }

    /** A host whose socket takes little of what is sent to it. */
    final TestHost narrow() throws IOException
    {
        return narrow(1, DEPTH, Digests.NONE);
    }

    final TestHost narrow(final int queueId, final int depth, final Digests digests) throws IOException
    {
        final TestHost host = TestHost.open(target.address(), 2048);
        host.initialize(digests, 0);
        host.connectIo(TargetFixture.NQN, admin.controllerId(), queueId, depth);
        return host;
    }

    static void sendReads(final TestHost host, final int count) throws IOException
    {
        for (int id = 0; id < count; id++)
        {
            host.sendCapsule(WireCommand.read(id, 0, BLOCKS, BYTES), WirePdu.NOTHING);
        }
    }

    /** Sends more writes than there are buffers, and receives the first R2T. */
    final WirePdu sendWrites(final TestHost host) throws IOException
    {
        for (int id = 0; id < WRITES; id++)
        {
            host.sendCapsule(WireCommand.write(id, 0, BLOCKS, BYTES), WirePdu.NOTHING);
        }
        final WirePdu ready = host.expect(PduType.READY_TO_TRANSFER);
        TargetFixture.await("some to wait for buffers", () -> 0 != target.pool(0).waiting());
        return ready;
    }

    /** Some of the writes are answered, each as checked, before the connection ends. */
    static void expectSomeAnswers(final TestHost host, final IntConsumer checkStatus)
    {
        int answered = 0;
        try
        {
            while (true)
            {
                final WirePdu received = host.receive();
                if (PduType.CAPSULE_RESPONSE == received.type())
                {
                    checkStatus.accept(received.status());
                    answered++;
                }
            }
        }
        catch (final IOException e)
        {
            assertTrue(answered > 0 && answered < WRITES, "answered: " + answered);
        }
    }

    /** Completes a write whose data is partly sent when a change begins; the change waits for it. */
    static <T extends CompletableFuture<?>> T writeAcross(
        final TestHost host, final byte[] data, final Supplier<T> begin) throws IOException
    {
        host.sendCapsule(WireCommand.write(1, 0, BLOCKS, BYTES), WirePdu.NOTHING);
        final int tag = host.expect(PduType.READY_TO_TRANSFER).transferTag();
        final byte[] pdu = WirePdu.h2cData(Digests.NONE, 1, tag, data, 0, BYTES, true);
        host.sendRaw(pdu, 0, 5000);
        final T change = begin.get();
        assertFalse(change.isDone());
        host.sendRaw(pdu, 5000, pdu.length);
        host.expectSuccess(1);
        return change;
    }
}
