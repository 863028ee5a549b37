package io.millrace.nvmf.tcp;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.millrace.bindings.linux.Epoll;
import io.millrace.block.BlockDevice;
import io.millrace.block.BlockRequest;
import io.millrace.block.StripedDevice;
import io.millrace.block.memory.MemoryDevice;
import io.millrace.memory.DmaMemory;
import io.millrace.memory.Segments;
import io.millrace.nvmf.config.TargetConfig;
import io.millrace.nvmf.request.Request;
import io.millrace.nvmf.tcp.pdu.CommonHeader;
import io.millrace.nvmf.tcp.pdu.FatalErrorStatus;
import io.millrace.nvmf.tcp.pdu.ICPdu;
import io.millrace.nvmf.tcp.pdu.PduType;
import io.millrace.nvmf.tcp.pdu.TerminationRequest;
import io.millrace.reactor.Kernel;
import java.io.IOException;
import java.util.Arrays;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Wherever a socket has had enough, be it in a header, a digest, padding, payload or an answer: the rest follows. */
class PduSenderCutTest
{
    private static final int BLOCK = 512;
    private static final int READ_BLOCKS = 4;
    private static final int DEPTH = 64;
    private static final int ALIGNMENT_MAX = 31;

    private CuttingBuffer sending;
    private ManualTarget target;
    private TestHost admin;
    private int nextQueue = 1;

    /** Takes as many bytes as a test says, and then as many as there are, or none but those. */
    private static final class CuttingBuffer extends GatherBuffer
    {
        private long room = Long.MAX_VALUE;
        private long roomAfter = Long.MAX_VALUE;
        private long asked;
        /** Bytes that the first send since {@link #cutAt} was to take. */
        private long whole;
        private int sends;

        private CuttingBuffer(final Kernel kernel, final DmaMemory memory)
        {
            super(kernel, memory);
        }

        /** The next send takes so many bytes, and none after it. */
        private void stopAt(final long bytes)
        {
            cutAt(bytes);
            roomAfter = 0;
        }

        /** The next send takes so many bytes, each one after it as many as there are. */
        private void cutAt(final long bytes)
        {
            room = bytes;
            roomAfter = Long.MAX_VALUE;
            whole = 0;
        }

        private void always(final long bytes)
        {
            room = bytes;
            roomAfter = bytes;
        }

        @Override
        void clear()
        {
            super.clear();
            asked = 0;
        }

        @Override
        void add(final long address, final int lengthBytes)
        {
            super.add(address, (int)Math.min(lengthBytes, Math.max(0, room - asked)));
            asked += lengthBytes;
        }

        @Override
        long bytes()
        {
            return asked;
        }

        @Override
        long send(final int fd)
        {
            sends++;
            room = roomAfter;
            whole = 0 == whole ? asked : whole;
            return super.send(fd);
        }
    }

    private void open(final boolean c2hSuccess) throws IOException
    {
        open(MemoryDevice.create("mem0", 1 << 20, BLOCK), c2hSuccess);
    }

    /** Reads of {@link #READ_BLOCKS} are lent in as many segments. */
    private StripedDevice openStriped(final boolean c2hSuccess) throws IOException
    {
        final StripedDevice device = new StripedDevice(3 << 18, BLOCK, 1, 3);
        open(device, c2hSuccess);
        return device;
    }

    private void open(final BlockDevice device, final boolean c2hSuccess) throws IOException
    {
        final TcpTransportConfig defaults = TcpTransportConfig.defaults();
        target = new ManualTarget(device, new TcpTransportConfig(
            defaults.inCapsuleDataBytes(), defaults.maxH2cDataBytes(), defaults.receiveBufferBytes(), c2hSuccess,
            defaults.connectTimeoutNs(), defaults.connectionsMax(), 0, 0), 2L << 20,
            TargetConfig.defaults().capacity(), (kernel, memory) -> sending = new CuttingBuffer(kernel, memory));
        admin = TestHost.open(target.address());
        admin.manual(target, target.accept());
        admin.initialize(Digests.NONE, 0);
        admin.connectAdmin(TargetFixture.NQN);
    }

    @AfterEach
    void close()
    {
        admin.close();
        target.close();
    }

    /** The socket has room again, until everything has gone; answers how often it had too little. */
    private int flush(final TcpConnection connection)
    {
        int blocked = 0;
        while (SendState.IDLE != connection.sendState())
        {
            if (SendState.BLOCKED == connection.sendState())
            {
                blocked++;
                connection.onReady(Epoll.EPOLLOUT);
            }
            else
            {
                target.turn();
            }
        }
        return blocked;
    }

    /** An R2T, data with what follows it, and an answer without data, which leave together; in two pieces. */
    private void cutEverywhere(final Digests digests, final int dataAlignment) throws IOException
    {
        try (TestHost host = TestHost.open(target.address()))
        {
            final TcpConnection connection = target.accept();
            host.manual(target, connection);
            host.initialize(digests, dataAlignment);
            host.connectIo(TargetFixture.NQN, admin.controllerId(), nextQueue++, DEPTH);
            byte[] data = TcpIoTest.random(READ_BLOCKS * BLOCK, 1);
            host.write(1, 0, READ_BLOCKS, data);
            int cut = 0;
            do
            {
                sending.cutAt(cut);
                host.send(concat(
                    WirePdu.capsule(digests, WireCommand.write(1, READ_BLOCKS, 1, BLOCK), WirePdu.NOTHING),
                    WirePdu.capsule(digests, WireCommand.read(2, 0, READ_BLOCKS, READ_BLOCKS * BLOCK), WirePdu.NOTHING),
                    WirePdu.capsule(digests, WireCommand.flush(3), WirePdu.NOTHING)));
                assertEquals(1, flush(connection), digests + " cut at " + cut);
                final WirePdu ready = host.expect(PduType.READY_TO_TRANSFER);
                assertEquals(1, ready.commandId());
                assertArrayEquals(data, host.receiveRead(2), digests + " cut at " + cut);
                host.expectSuccess(3);
                assertEquals(0, host.available(), digests + " cut at " + cut);
                final byte[] block = TcpIoTest.random(BLOCK, cut);
                host.send(WirePdu.h2cData(digests, 1, ready.transferTag(), block, 0, BLOCK, true));
                host.expectSuccess(1);
                assertArrayEquals(block, host.read(4, READ_BLOCKS, 1, BLOCK));
                cut++;
            }
            while (cut < sending.whole);
            assertTrue(cut > READ_BLOCKS * BLOCK, "cut at " + cut + " bytes only");
            data = TcpIoTest.random(READ_BLOCKS * BLOCK, cut);
            host.write(1, 0, READ_BLOCKS, data);
            assertArrayEquals(data, host.read(2, 0, READ_BLOCKS, data.length));
        }
    }

    private static byte[] concat(final byte[]... parts)
    {
        byte[] all = {};
        for (final byte[] part : parts)
        {
            final int before = all.length;
            all = Arrays.copyOf(all, before + part.length);
            System.arraycopy(part, 0, all, before, part.length);
        }
        return all;
    }

    @Test
    void shouldSendTheRestWhereverItWasCut() throws IOException
    {
        open(false);
        for (final Digests digests : Digests.values())
        {
            cutEverywhere(digests, 0);
        }
    }

    @Test
    void shouldSendTheRestOfPaddedDataThatSaysSuccessItself() throws IOException
    {
        open(true);
        cutEverywhere(Digests.HEADER_AND_DATA, ALIGNMENT_MAX);
    }

    @Test
    void shouldSendTheRestOfSegmentsWhereverTheyWereCut() throws IOException
    {
        openStriped(false);
        for (final Digests digests : Digests.values())
        {
            cutEverywhere(digests, 0);
        }
    }

    @Test
    void shouldSendTheRestOfPaddedSegmentsThatSaySuccessThemselves() throws IOException
    {
        openStriped(true);
        cutEverywhere(Digests.HEADER_AND_DATA, ALIGNMENT_MAX);
    }

    /** What is left of segments that were sent up to any byte is copied, and their blocks are written meanwhile. */
    @Test
    void shouldSendTheRestOfSegmentsThatWereCopied() throws IOException
    {
        final StripedDevice device = openStriped(true);
        for (final Digests digests : Digests.values())
        {
            try (TestHost host = TestHost.open(target.address()))
            {
                final TcpConnection connection = target.accept();
                host.manual(target, connection);
                host.initialize(digests, 0);
                host.connectIo(TargetFixture.NQN, admin.controllerId(), nextQueue++, DEPTH);
                int cut = 0;
                do
                {
                    final byte[] old = TcpIoTest.random(READ_BLOCKS * BLOCK, 2 * cut);
                    final byte[] fresh = TcpIoTest.random(READ_BLOCKS * BLOCK, 2 * cut + 1);
                    host.write(1, 0, READ_BLOCKS, old);
                    sending.stopAt(cut);
                    host.sendCapsule(WireCommand.read(2, 0, READ_BLOCKS, READ_BLOCKS * BLOCK), WirePdu.NOTHING);
                    final BlockRequest lent = device.lastLent();
                    assertEquals(READ_BLOCKS, lent.segments().count());
                    host.sendCapsule(
                        WireCommand.writeInCapsule(3, 0, READ_BLOCKS, READ_BLOCKS * BLOCK), fresh);
                    target.turn();
                    final Request request = (Request)lent.owner();
                    assertTrue(request.isLoanWanted(), digests + " cut at " + cut);
                    assertTrue(request.copyLoan());
                    assertFalse(lent.lent());
                    target.turn();
                    sending.always(Long.MAX_VALUE);
                    flush(connection);
                    assertArrayEquals(old, host.receiveRead(2), digests + " cut at " + cut);
                    host.expectSuccess(3);
                    assertArrayEquals(fresh, host.read(4, 0, READ_BLOCKS, READ_BLOCKS * BLOCK));
                    cut++;
                }
                while (cut < sending.whole);
                assertTrue(cut > READ_BLOCKS * BLOCK, "cut at " + cut + " bytes only");
            }
        }
    }

    /** Answers with as many segments as a payload has, of which one call of the kernel's does not carry all. */
    @ParameterizedTest
    @EnumSource(value = Digests.class, names = {"NONE", "HEADER_AND_DATA"})
    void shouldSendMoreSegmentsThanOneCallCarries(final Digests digests) throws IOException
    {
        openStriped(false);
        try (TestHost host = TestHost.open(target.address()))
        {
            final TcpConnection connection = target.accept();
            host.manual(target, connection);
            host.initialize(digests, 0);
            host.connectIo(TargetFixture.NQN, admin.controllerId(), nextQueue++, 2 * DEPTH);
            final int blocks = Segments.COUNT_MAX;
            final byte[] data = TcpIoTest.random(blocks * BLOCK, 1);
            host.write(1, 0, blocks, data);
            final byte[][] reads = new byte[2 * DEPTH - 1][];
            for (int i = 0; i < reads.length; i++)
            {
                reads[i] = WirePdu.capsule(
                    digests, WireCommand.read(i, 0, blocks, blocks * BLOCK), WirePdu.NOTHING);
            }
            sending.sends = 0;
            host.send(concat(reads));
            flush(connection);
            for (int i = 0; i < reads.length; i++)
            {
                assertArrayEquals(data, host.receiveRead(i), "read " + i);
            }
            assertTrue(sending.sends > 1, "all went in one call");
        }
    }

    /** Each piece in turn is what is left of the one before. */
    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    void shouldSendByteByByte(final boolean isStriped) throws IOException
    {
        if (isStriped)
        {
            openStriped(false);
        }
        else
        {
            open(false);
        }
        for (final Digests digests : Digests.values())
        {
            try (TestHost host = TestHost.open(target.address()))
            {
                final TcpConnection connection = target.accept();
                host.manual(target, connection);
                host.initialize(digests, 0);
                host.connectIo(TargetFixture.NQN, admin.controllerId(), nextQueue++, DEPTH);
                final byte[] data = TcpIoTest.random(2 * BLOCK, 1);
                host.write(1, 0, 2, data);
                for (int bytes = 1; bytes < 8; bytes++)
                {
                    sending.always(bytes);
                    host.send(concat(
                        WirePdu.capsule(digests, WireCommand.read(1, 0, 2, 2 * BLOCK), WirePdu.NOTHING),
                        WirePdu.capsule(digests, WireCommand.flush(2), WirePdu.NOTHING),
                        WirePdu.capsule(digests, WireCommand.read(3, 1, 1, BLOCK), WirePdu.NOTHING)));
                    assertTrue(flush(connection) > 3 * BLOCK / bytes);
                    sending.always(Long.MAX_VALUE);
                    assertArrayEquals(data, host.receiveRead(1), digests + " by " + bytes);
                    host.expectSuccess(2);
                    assertArrayEquals(Arrays.copyOfRange(data, BLOCK, 2 * BLOCK), host.receiveRead(3));
                    assertEquals(0, host.available());
                }
            }
        }
    }

    /** The ICResp, which comes first, and the C2HTermReq, which comes last and is followed by the end. */
    @Test
    void shouldSendTheRestOfWhatBeginsAndEndsAConnection() throws IOException
    {
        open(false);
        final byte[] wrong = WirePdu.capsule(Digests.NONE, WireCommand.flush(1), WirePdu.NOTHING);
        wrong[CommonHeader.HEADER_LENGTH_OFFSET]++;
        byte[] told = null;
        int cut = 0;
        do
        {
            try (TestHost host = TestHost.open(target.address()))
            {
                final TcpConnection connection = target.accept();
                host.manual(target, connection);
                sending.cutAt(cut);
                host.send(concat(WirePdu.initializeRequest(0, Digests.NONE, 0), wrong));
                assertEquals(1, flush(connection), "cut at " + cut);
                host.expect(PduType.IC_RESP);
                final WirePdu end = host.expect(PduType.C2H_TERM_REQ);
                assertEquals(FatalErrorStatus.INVALID_HEADER_FIELD, end.fatalStatus(), "cut at " + cut);
                told = null == told ? end.data() : told;
                assertArrayEquals(told, end.data(), "cut at " + cut);
                host.expectEnd();
            }
            cut++;
        }
        while (cut < sending.whole);
        assertTrue(cut > ICPdu.SIZE_BYTES + TerminationRequest.SIZE_BYTES, "cut at " + cut + " only");
    }
}
