package io.millrace.nvmf.tcp;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.millrace.bindings.linux.Epoll;
import io.millrace.block.memory.MemoryDevice;
import io.millrace.memory.DmaMemory;
import io.millrace.nvmf.config.TargetConfig;
import io.millrace.nvmf.tcp.pdu.CommonHeader;
import io.millrace.nvmf.tcp.pdu.FatalErrorStatus;
import io.millrace.nvmf.tcp.pdu.ICPdu;
import io.millrace.nvmf.tcp.pdu.PduType;
import io.millrace.nvmf.tcp.pdu.TerminationRequest;
import java.io.IOException;
import java.util.Arrays;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** Wherever a socket has had enough, be it in a header, a digest, padding, payload or an answer: the rest follows. */
class PduSenderCutTest
{
    private static final int BLOCK = 512;
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

        private CuttingBuffer(final DmaMemory memory)
        {
            super(memory);
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
            room = roomAfter;
            whole = 0 == whole ? asked : whole;
            return super.send(fd);
        }
    }

    private void open(final boolean c2hSuccess) throws IOException
    {
        final TcpTransportConfig defaults = TcpTransportConfig.defaults();
        target = new ManualTarget(MemoryDevice.create("mem0", 1 << 20, BLOCK), new TcpTransportConfig(
            defaults.inCapsuleDataBytes(), defaults.maxH2cDataBytes(), defaults.receiveBufferBytes(), c2hSuccess,
            defaults.connectTimeoutNs(), defaults.connectionsMax(), 0, 0), 2L << 20,
            TargetConfig.defaults().capacity(), (memory) -> sending = new CuttingBuffer(memory));
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
            byte[] data = TcpIoTest.random(2 * BLOCK, 1);
            host.write(1, 0, 2, data);
            int cut = 0;
            do
            {
                sending.cutAt(cut);
                host.send(concat(
                    WirePdu.capsule(digests, WireCommand.write(1, 2, 1, BLOCK), WirePdu.NOTHING),
                    WirePdu.capsule(digests, WireCommand.read(2, 0, 2, 2 * BLOCK), WirePdu.NOTHING),
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
                assertArrayEquals(block, host.read(4, 2, 1, BLOCK));
                cut++;
            }
            while (cut < sending.whole);
            assertTrue(cut > 3 * BLOCK / 2, "cut at " + cut + " bytes only");
            data = TcpIoTest.random(2 * BLOCK, cut);
            host.write(1, 0, 2, data);
            assertArrayEquals(data, host.read(2, 0, 2, data.length));
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

    /** Each piece in turn is what is left of the one before. */
    @Test
    void shouldSendByteByByte() throws IOException
    {
        open(false);
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
