package io.millrace.nvmf.tcp;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.millrace.block.BlockDevice;
import io.millrace.block.memory.MemoryDevice;
import io.millrace.memory.BufferPool;
import io.millrace.nvme.NvmeStatus;
import io.millrace.nvmf.LaterDevice;
import io.millrace.nvmf.tcp.pdu.PduType;
import io.millrace.reactor.ReactorConfig;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * Many addresses keep all the buffers that they get, in the middle of writes and with answers that they do not take:
 * another one goes on, with large transfers in parts.
 */
@Timeout(value = 120, unit = TimeUnit.SECONDS)
class TcpFloorTest
{
    private static final int BLOCK = TargetFixture.BLOCK_BYTES;
    private static final int LARGE_BLOCKS = 256;
    private static final int PART_BYTES = 32 << 10;
    private static final int ADDRESSES = 20;
    private static final int DEPTH = 64;
    private static final String BYSTANDER = "127.0.0.200";

    private final LaterDevice device = new LaterDevice(BLOCK, TargetFixture.DEVICE_BYTES);
    private final List<TestHost> stopped = new ArrayList<>();
    private TargetFixture target = fixture(device);

    private static TargetFixture fixture(final BlockDevice served)
    {
        return new TargetFixture(
            1, TcpTransportConfig.defaults(), served, TargetFixture.POOL_BYTES, ReactorConfig.SPIN_NS_DEFAULT);
    }

    private TestHost host(final String source, final Digests digests) throws IOException
    {
        final TestHost admin = TestHost.openFrom(target.address(), source);
        stopped.add(admin);
        admin.initialize(digests, 0);
        admin.connectAdmin(TargetFixture.NQN);
        final TestHost host = TestHost.openFrom(target.address(), source);
        stopped.add(host);
        host.initialize(digests, 0);
        host.connectIo(TargetFixture.NQN, admin.controllerId(), 1, DEPTH);
        return host;
    }

    /** First in large pieces, then in the smallest ones. */
    private void stopMany() throws IOException
    {
        int commands = 0;
        for (int i = 0; i < ADDRESSES; i++)
        {
            final int blocks = i < ADDRESSES / 2 ? 16 : 1;
            final TestHost host = host("127.0.0." + (2 + i), Digests.NONE);
            for (int id = 0; id < DEPTH - 1; id++)
            {
                host.sendCapsule(WireCommand.write(id, 0, blocks, blocks * BLOCK), WirePdu.NOTHING);
            }
            commands += DEPTH - 1;
            target.awaitRequests(commands);
        }
        final BufferPool pool = target.pool(0);
        TargetFixture.await("no more to be had", () -> target.reactor(0)
            .call(() -> pool.canSleep() && 0 != pool.waiting() && pool.freeBytes() < 2 * BLOCK).join());
    }

    private void serve(final Digests digests) throws IOException
    {
        final TestHost bystander = host(BYSTANDER, digests);
        for (int turn = 0; turn < 20; turn++)
        {
            final byte[] small = TcpIoTest.random(BLOCK, turn);
            bystander.write(1, 1000 + turn, 1, small);
            assertArrayEquals(small, bystander.read(2, 1000 + turn, 1, BLOCK));
            // Not a multiple of a part.
            final int blocks = LARGE_BLOCKS - turn;
            final byte[] large = TcpIoTest.random(blocks * BLOCK, turn);
            final int parts = bystander.writeParts(3, 2000 + turn, blocks, large);
            assertEquals((large.length + PART_BYTES - 1) / PART_BYTES, parts);
            bystander.sendCapsule(WireCommand.read(4, 2000 + turn, blocks, large.length), WirePdu.NOTHING);
            assertArrayEquals(large, bystander.receiveParts(4));
        }
    }

    private void end()
    {
        stopped.forEach(TestHost::close);
        TargetFixture.await("buffers back", () -> 0 == target.pool(0).usedBytes() && 0 == target.pool(0).waiting());
        target.close();
    }

    @Test
    void shouldServeAHostThatHoldsNothingWhoeverHoldsTheRest() throws IOException
    {
        stopMany();
        serve(Digests.NONE);
        end();
    }

    @Test
    void shouldServeItWithDigestsToo() throws IOException
    {
        stopMany();
        serve(Digests.of(3));
        end();
    }

    /** Parts are received into the device's own memory, and are complete before anything is submitted. */
    @Test
    void shouldServeItFromADeviceThatLendsMemoryForWrites() throws IOException
    {
        target.close();
        target = fixture(MemoryDevice.create("mem0", TargetFixture.DEVICE_BYTES, BLOCK));
        stopMany();
        serve(Digests.NONE);
        end();
    }

    @Test
    void shouldFailACommandOnceWhenAPartOfItFails() throws IOException
    {
        stopMany();
        final TestHost bystander = host(BYSTANDER, Digests.NONE);
        final byte[] large = TcpIoTest.random(LARGE_BLOCKS * BLOCK, 1);
        device.failFrom(PART_BYTES / BLOCK + 1);
        bystander.sendCapsule(WireCommand.write(1, 0, LARGE_BLOCKS, large.length), WirePdu.NOTHING);
        for (int offset = 0; offset < 2 * PART_BYTES; offset += PART_BYTES)
        {
            final WirePdu ready = bystander.expect(PduType.READY_TO_TRANSFER);
            bystander.send(
                WirePdu.h2cData(Digests.NONE, 1, ready.transferTag(), large, offset, PART_BYTES, true));
        }
        assertEquals(NvmeStatus.WRITE_FAULT, NvmeStatus.code(bystander.expect(PduType.CAPSULE_RESPONSE).status()));
        bystander.sendCapsule(WireCommand.read(2, 0, LARGE_BLOCKS, large.length), WirePdu.NOTHING);
        assertEquals(PART_BYTES, bystander.expect(PduType.C2H_DATA).data().length);
        final WirePdu failed = bystander.expect(PduType.CAPSULE_RESPONSE);
        assertEquals(2, failed.commandId());
        assertTrue(0 != failed.status(), failed.toString());
        device.failFrom(Long.MAX_VALUE);
        final byte[] small = TcpIoTest.random(BLOCK, 2);
        bystander.write(3, 1, 1, small);
        assertArrayEquals(small, bystander.read(4, 1, 1, BLOCK));
        end();
    }

    /** Each part is a request of its own, and the answer says that all of it is on stable storage. */
    @Test
    void shouldForceEveryPartOfAWriteThatIsToBeForced() throws IOException
    {
        stopMany();
        final TestHost bystander = host(BYSTANDER, Digests.NONE);
        final byte[] large = TcpIoTest.random(LARGE_BLOCKS * BLOCK, 1);
        final int parts = bystander.writeParts(1, 0, LARGE_BLOCKS, large);
        assertEquals(LARGE_BLOCKS * BLOCK / PART_BYTES, parts);
        assertEquals(0, device.forced());
        bystander.sendCapsule(WireCommand.forced(WireCommand.write(2, 0, LARGE_BLOCKS, large.length)), WirePdu.NOTHING);
        assertEquals(0, bystander.sendParts(2, large).getLast().status());
        assertEquals(parts, device.forced());
        end();
    }

    @Test
    void shouldCompareEveryPart() throws IOException
    {
        stopMany();
        final TestHost bystander = host(BYSTANDER, Digests.NONE);
        final byte[] large = TcpIoTest.random(LARGE_BLOCKS * BLOCK, 1);
        final int parts = bystander.writeParts(1, 0, LARGE_BLOCKS, large);
        bystander.sendCapsule(WireCommand.compare(2, 0, LARGE_BLOCKS, large.length), WirePdu.NOTHING);
        final List<WirePdu> same = bystander.sendParts(2, large);
        assertEquals(0, same.getLast().status(), same.toString());
        assertEquals(parts + 1, same.size());
        for (int part = 0; part < parts; part++)
        {
            final byte[] other = large.clone();
            other[(part + 1) * PART_BYTES - 1] ^= 1;
            bystander.sendCapsule(WireCommand.compare(3, 0, LARGE_BLOCKS, large.length), WirePdu.NOTHING);
            final List<WirePdu> received = bystander.sendParts(3, other);
            assertEquals(NvmeStatus.COMPARE_FAILURE, NvmeStatus.code(received.getLast().status()), "part " + part);
            assertEquals(part + 1, received.size() - 1, "asked for");
        }
        end();
    }

    /** Data that did not come as it was sent does not reach the device, and neither does what is behind it. */
    @Test
    void shouldEndAWriteWithThePartWhoseDigestIsWrong() throws IOException
    {
        final Digests digests = Digests.of(3);
        stopMany();
        final TestHost bystander = host(BYSTANDER, digests);
        final byte[] before = TcpIoTest.random(LARGE_BLOCKS * BLOCK, 1);
        final byte[] after = TcpIoTest.random(LARGE_BLOCKS * BLOCK, 2);
        bystander.writeParts(1, 0, LARGE_BLOCKS, before);
        final int requests = device.submitted();
        bystander.sendCapsule(WireCommand.write(2, 0, LARGE_BLOCKS, after.length), WirePdu.NOTHING);
        for (int offset = 0; offset < 2 * PART_BYTES; offset += PART_BYTES)
        {
            final WirePdu ready = bystander.expect(PduType.READY_TO_TRANSFER);
            final byte[] pdu = WirePdu.h2cData(digests, 2, ready.transferTag(), after, offset, PART_BYTES, true);
            pdu[pdu.length - 1] ^= (byte)(0 == offset ? 0 : 1);
            bystander.send(pdu);
        }
        final WirePdu failed = bystander.expect(PduType.CAPSULE_RESPONSE);
        assertEquals(NvmeStatus.TRANSIENT_TRANSPORT_ERROR, NvmeStatus.code(failed.status()), failed.toString());
        assertEquals(requests + 1, device.submitted());
        final byte[] expected = before.clone();
        System.arraycopy(after, 0, expected, 0, PART_BYTES);
        bystander.sendCapsule(WireCommand.read(3, 0, LARGE_BLOCKS, before.length), WirePdu.NOTHING);
        assertArrayEquals(expected, bystander.receiveParts(3));
        end();
    }

    /** No part is asked for that nobody sends; what the command has is given back when the device is done with it. */
    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    void shouldEndATransferInPartsWithItsConnectionWhileAPartIsAtTheDevice(final boolean isWrite) throws IOException
    {
        stopMany();
        final byte[] large = TcpIoTest.random(LARGE_BLOCKS * BLOCK, 1);
        final TestHost bystander = host(BYSTANDER, Digests.NONE);
        device.hold(true);
        if (isWrite)
        {
            bystander.sendCapsule(WireCommand.write(1, 0, LARGE_BLOCKS, large.length), WirePdu.NOTHING);
            final WirePdu ready = bystander.expect(PduType.READY_TO_TRANSFER);
            bystander.send(WirePdu.h2cData(Digests.NONE, 1, ready.transferTag(), large, 0, PART_BYTES, true));
        }
        else
        {
            bystander.sendCapsule(WireCommand.read(1, 0, LARGE_BLOCKS, large.length), WirePdu.NOTHING);
        }
        TargetFixture.await("a part at the device", () -> 1 == device.held());
        final int requests = device.submitted();
        final int slots = target.requestsInUse();
        final int connections = target.blocksInUse();
        bystander.close();
        TargetFixture.await("its end", () -> target.blocksInUse() < connections);
        assertEquals(slots, target.requestsInUse(), "the device has it");
        device.hold(false);
        TargetFixture.await("its slot back", () -> target.requestsInUse() == slots - 1);
        assertEquals(requests, device.submitted());
        end();
    }

    @Test
    void shouldEndATransferInPartsWithItsNamespace() throws IOException
    {
        stopMany();
        final TestHost bystander = host(BYSTANDER, Digests.NONE);
        final byte[] large = TcpIoTest.random(LARGE_BLOCKS * BLOCK, 1);
        bystander.sendCapsule(WireCommand.write(1, 0, LARGE_BLOCKS, large.length), WirePdu.NOTHING);
        final WirePdu first = bystander.expect(PduType.READY_TO_TRANSFER);
        bystander.send(WirePdu.h2cData(Digests.NONE, 1, first.transferTag(), large, 0, PART_BYTES, true));
        bystander.expect(PduType.READY_TO_TRANSFER);
        target.subsystem().removeNamespace(1).join();
        bystander.expectEnd();
        end();
    }

    /** The longest answer that can be asked for costs no more memory than what there is to say. */
    @Test
    void shouldHoldForAnAdminAnswerWhatItSaysAndSendAllThatWasAskedFor() throws IOException
    {
        final TestHost admin = TestHost.openFrom(target.address(), BYSTANDER);
        stopped.add(admin);
        admin.initialize(Digests.of(3), 0);
        admin.connectAdmin(TargetFixture.NQN);
        final int askedBytes = LARGE_BLOCKS * BLOCK;
        for (final int page : new int[]{1, 2, 5, 0x0C})
        {
            admin.sendCapsule(WireCommand.getLogPage(9, page, 64), WirePdu.NOTHING);
            final byte[] beginning = admin.receiveParts(9);
            admin.sendCapsule(WireCommand.getLogPage(9, page, askedBytes), WirePdu.NOTHING);
            final byte[] whole = admin.receiveParts(9);
            assertEquals(askedBytes, whole.length);
            for (int i = 0; i < 16; i++)
            {
                assertEquals(beginning[i], whole[i], "byte " + i + " of page " + page);
            }
            for (int i = 8192; i < whole.length; i++)
            {
                assertEquals(0, whole[i], "behind the end of page " + page);
            }
        }
        end();
    }
}
