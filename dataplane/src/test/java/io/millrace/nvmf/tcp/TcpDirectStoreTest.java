package io.millrace.nvmf.tcp;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.millrace.bindings.NativeMemory;
import io.millrace.block.BlockChannel;
import io.millrace.block.BlockDeviceException;
import io.millrace.block.BlockOperation;
import io.millrace.block.BlockRequest;
import io.millrace.block.BlockStatus;
import io.millrace.block.OpenListener;
import io.millrace.block.memory.MemoryDevice;
import io.millrace.nvme.IoOpcode;
import io.millrace.nvmf.tcp.pdu.FatalErrorStatus;
import io.millrace.nvmf.tcp.pdu.PduType;
import io.millrace.seed.TestSeeds;
import java.io.IOException;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.Arrays;
import java.util.Random;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * Payload of writes that is received into memory of the device: what others see of it while it comes.
 */
class TcpDirectStoreTest
{
    private static final int DATA_BYTES = 64 << 10;
    private static final int COMMAND = 7;
    private static final int HEADER_BYTES = 24;
    private static final int ROUNDS = 30;
    private static final byte OLD = 0x55;

    private final Arena arena = Arena.ofShared();
    private final MemorySegment seen = arena.allocate(DATA_BYTES);
    private BlockChannel beside;
    private int block;
    private ManualTarget target;
    private TestHost admin;
    private TestHost host;
    private TcpConnection connection;

    @AfterEach
    void close()
    {
        host.close();
        admin.close();
        connection.close("end of the test");
        target.turn();
        // Fails when a block is still held.
        target.close();
        arena.close();
    }

    private void open(final int blockBytes, final Digests digests) throws IOException
    {
        block = blockBytes;
        final MemoryDevice device = MemoryDevice.create("mem0", 1 << 20, blockBytes);
        device.open(null, new OpenListener()
        {
            @Override
            public void onOpened(final BlockChannel channel)
            {
                beside = channel;
            }

            @Override
            public void onOpenFailed(final BlockDeviceException reason)
            {
                throw reason;
            }
        });
        target = new ManualTarget(device, TcpTransportConfig.defaults(), 2L << 20);
        admin = TestHost.open(target.address());
        admin.manual(target, target.accept());
        admin.initialize(Digests.NONE, 0);
        admin.connectAdmin(TargetFixture.NQN);
        host = TestHost.open(target.address());
        connection = target.accept();
        host.manual(target, connection);
        host.initialize(digests, 0);
        host.connectIo(TargetFixture.NQN, admin.controllerId(), 1, 64);
        seen.fill(OLD);
        assertTrue(beside.submit(request(BlockOperation.WRITE)));
    }

    private BlockRequest request(final BlockOperation operation)
    {
        final BlockRequest request = new BlockRequest(this,
            completed -> assertEquals(BlockStatus.SUCCESS, completed.status()));
        request.reset(operation, 0, DATA_BYTES / block).addSegment(seen.address(), DATA_BYTES);
        return request;
    }

    private byte[] content()
    {
        assertTrue(beside.submit(request(BlockOperation.READ)));
        return seen.toArray(ValueLayout.JAVA_BYTE);
    }

    private byte[] begin(final Digests digests, final byte[] data) throws IOException
    {
        host.sendCapsule(WireCommand.write(COMMAND, 0, DATA_BYTES / block, DATA_BYTES), WirePdu.NOTHING);
        final WirePdu ready = host.expect(PduType.READY_TO_TRANSFER);
        return WirePdu.h2cData(digests, COMMAND, ready.transferTag(), data, 0, DATA_BYTES, true);
    }

    /** A host that stalls, having been refused memory, keeps readers out of no block. */
    @Test
    void shouldLeaveNoMarkWhereBlocksAreNotAvailable() throws IOException
    {
        open(4096, Digests.NONE);
        final BlockRequest loan = new BlockRequest(this, (completed) -> assertTrue(completed.lent()));
        loan.reset(BlockOperation.READ, 3, 1).lendable(true);
        assertTrue(beside.submit(loan));
        final byte[] pdu = begin(Digests.NONE, TcpIoTest.random(DATA_BYTES, 2));
        target.deliver(host, connection, pdu, 0, HEADER_BYTES + 100);
        target.deliver(host, connection, pdu, HEADER_BYTES + 100, HEADER_BYTES + 6 * block + 100);
        beside.releaseLoan(loan);
        assertTrue(beside.submit(request(BlockOperation.READ)));
    }

    /** How many blocks at the beginning are new; no others are, and each is new or old as a whole. */
    private int newBlocks(final byte[] data)
    {
        final byte[] content = content();
        int blocks = 0;
        while (blocks < DATA_BYTES / block && Arrays.equals(
            content, blocks * block, (blocks + 1) * block, data, blocks * block, (blocks + 1) * block))
        {
            blocks++;
        }
        for (int i = blocks * block; i < DATA_BYTES; i++)
        {
            assertEquals(OLD, content[i], "byte " + i + " behind " + blocks + " new blocks");
        }
        return blocks;
    }

    @ParameterizedTest
    @ValueSource(ints = {512, 4096})
    void shouldStoreEachBlockWholeAsItArrives(final int blockBytes) throws IOException
    {
        open(blockBytes, Digests.NONE);
        for (int round = 0; round < ROUNDS; round++)
        {
            final Random random = TestSeeds.random(round);
            final byte[] data = TcpIoTest.random(DATA_BYTES, round);
            final byte[] pdu = begin(Digests.NONE, data);
            int from = 0;
            while (from < pdu.length)
            {
                final int to = Math.min(pdu.length, from + 1 + random.nextInt(random.nextBoolean() ? 100 : 20_000));
                target.deliver(host, connection, pdu, from, to);
                if (to > HEADER_BYTES && to < pdu.length)
                {
                    assertEquals((to - HEADER_BYTES) / block, newBlocks(data), "blocks of " + to + " bytes");
                }
                from = to;
            }
            host.expectSuccess(COMMAND);
            assertArrayEquals(data, content());
            seen.fill(OLD);
            assertTrue(beside.submit(request(BlockOperation.WRITE)));
        }
    }

    @Test
    void shouldLeaveWholeBlocksWhenTheHostGoes() throws IOException
    {
        open(4096, Digests.NONE);
        final byte[] data = TcpIoTest.random(DATA_BYTES, 1);
        final byte[] pdu = begin(Digests.NONE, data);
        target.deliver(host, connection, pdu, 0, HEADER_BYTES + 1000);
        target.deliver(host, connection, pdu, HEADER_BYTES + 1000, HEADER_BYTES + 5 * block + 77);
        host.close();
        TargetFixture.await("the connection to close", () ->
        {
            connection.receive();
            target.turn();
            return ConnectionState.CLOSED == connection.state();
        });
        assertEquals(5, newBlocks(data));
        assertEquals(0, target.pool().usedBytes());
    }

    @Test
    void shouldNotTouchBlocksThatAreLent() throws IOException
    {
        open(4096, Digests.NONE);
        final BlockRequest loan = new BlockRequest(this, completed -> assertTrue(completed.lent()));
        loan.reset(BlockOperation.READ, 3, 1).lendable(true);
        assertTrue(beside.submit(loan));
        final byte[] data = TcpIoTest.random(DATA_BYTES, 2);
        final byte[] pdu = begin(Digests.NONE, data);
        target.deliver(host, connection, pdu, 0, HEADER_BYTES + 100);
        target.deliver(host, connection, pdu, HEADER_BYTES + 100, HEADER_BYTES + 2 * block + 100);
        target.deliver(host, connection, pdu, HEADER_BYTES + 2 * block + 100, pdu.length);
        target.turn();
        assertEquals(0, host.available(), "answered while a block is lent");
        // The refused write keeps readers out, so what is there is seen through the loan.
        for (int i = 0; i < block; i += Integer.BYTES)
        {
            assertEquals(0x55555555, NativeMemory.getInt(loan.segments().address(0) + i));
        }
        beside.releaseLoan(loan);
        // The device takes the write in one cycle, its answer leaves in the next.
        target.turn();
        target.turn();
        host.expectSuccess(COMMAND);
        assertArrayEquals(data, content());
    }

    @Test
    void shouldStoreNothingBeforeItsDigest() throws IOException
    {
        open(4096, Digests.DATA);
        final byte[] data = TcpIoTest.random(DATA_BYTES, 3);
        final byte[] pdu = begin(Digests.DATA, data);
        target.deliver(host, connection, pdu, 0, 100);
        target.deliver(host, connection, pdu, 100, pdu.length - 1);
        assertEquals(0, newBlocks(data));
        pdu[pdu.length - 1] ^= 1;
        target.deliver(host, connection, pdu, pdu.length - 1, pdu.length);
        assertFalse(0 == host.expect(PduType.CAPSULE_RESPONSE).status());
        assertEquals(0, newBlocks(data));
    }

    @ParameterizedTest
    @ValueSource(ints = {-1, Integer.MAX_VALUE, 0})
    void shouldNotBelieveALengthBeforeItsDigest(final int length) throws IOException
    {
        open(4096, Digests.HEADER);
        begin(Digests.HEADER, new byte[DATA_BYTES]);
        final byte[] capsule = WirePdu.capsule(
            Digests.HEADER, WireCommand.read(COMMAND + 1, 0, 1, block), WirePdu.NOTHING);
        for (int i = 0; i < Integer.BYTES; i++)
        {
            capsule[4 + i] = (byte)(length >> 8 * i);
        }
        target.deliver(host, connection, capsule, 0, 8);
        target.deliver(host, connection, capsule, 8, capsule.length);
        target.turn();
        assertEquals(FatalErrorStatus.HEADER_DIGEST_ERROR, host.expect(PduType.C2H_TERM_REQ).fatalStatus());
    }

    @Test
    void shouldCompareWithoutStoring() throws IOException
    {
        open(4096, Digests.NONE);
        final byte[] data = TcpIoTest.random(DATA_BYTES, 4);
        final byte[] compare = WireCommand.write(COMMAND, 0, DATA_BYTES / block, DATA_BYTES);
        compare[0] = IoOpcode.COMPARE;
        host.sendCapsule(compare, WirePdu.NOTHING);
        final WirePdu ready = host.expect(PduType.READY_TO_TRANSFER);
        final byte[] pdu = WirePdu.h2cData(
            Digests.NONE, COMMAND, ready.transferTag(), data, 0, DATA_BYTES, true);
        target.deliver(host, connection, pdu, 0, 100);
        target.deliver(host, connection, pdu, 100, pdu.length);
        assertFalse(0 == host.expect(PduType.CAPSULE_RESPONSE).status());
        assertEquals(0, newBlocks(data));
    }
}
