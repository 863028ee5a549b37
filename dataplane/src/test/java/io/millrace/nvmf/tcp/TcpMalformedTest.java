package io.millrace.nvmf.tcp;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;

import io.millrace.nvmf.tcp.pdu.CommonHeader;
import io.millrace.nvmf.tcp.pdu.DataPdu;
import io.millrace.nvmf.tcp.pdu.FatalErrorStatus;
import io.millrace.nvmf.tcp.pdu.PduType;
import java.io.IOException;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/**
 * Every kind of PDU that is wrong ends its own connection with the right C2HTermReq, and a bystander never notices.
 */
class TcpMalformedTest
{
    private static final int BLOCK = TargetFixture.BLOCK_BYTES;
    private static final Digests BOTH = Digests.HEADER_AND_DATA;

    private TargetFixture target;
    private TestHost admin;
    private TestHost bystander;
    private int nextQueue = 2;

    @BeforeEach
    void start() throws IOException
    {
        target = new TargetFixture();
        admin = TestHost.admin(target.address(), TargetFixture.NQN, Digests.NONE);
        bystander = TestHost.io(target.address(), TargetFixture.NQN, admin, 1, 32, Digests.NONE);
        bystander.writeInCapsule(1, 0, 1, TcpIoTest.random(BLOCK, 1));
    }

    @AfterEach
    void stop()
    {
        bystander.close();
        admin.close();
        target.close();
    }

    @Test
    void shouldRefuseCapsulesThatAreWrong() throws IOException
    {
        final byte[] read = WirePdu.capsule(Digests.NONE, WireCommand.read(1, 0, 1, BLOCK), WirePdu.NOTHING);
        final byte[] write = WirePdu.capsule(
            Digests.NONE, WireCommand.writeInCapsule(1, 0, 1, BLOCK), new byte[BLOCK]);

        refuse(Digests.NONE, changed(read, CommonHeader.HEADER_LENGTH_OFFSET, 71), 2);
        refuse(Digests.NONE, changed(read, CommonHeader.FLAGS_OFFSET, CommonHeader.FLAG_HEADER_DIGEST), 1);
        refuse(Digests.NONE, withLength(read, 71), 4);
        refuse(Digests.NONE, withLength(read, 0), 4);
        refuse(Digests.NONE, withLength(read, -1), 4);
        refuse(Digests.NONE, withLength(write, Integer.MIN_VALUE), 4);
        refuse(Digests.NONE, withLength(write, 72 + 8192 + 1), 4);
        refuse(Digests.NONE, changed(write, CommonHeader.DATA_OFFSET_OFFSET, 73), 3);
        refuse(Digests.NONE, changed(write, CommonHeader.DATA_OFFSET_OFFSET, 0), 3);
        refuse(Digests.NONE, changed(write, CommonHeader.FLAGS_OFFSET, CommonHeader.FLAG_DATA_DIGEST), 1);
    }

    @Test
    void shouldRefuseCapsulesThatDoNotCarryTheNegotiatedDigests() throws IOException
    {
        refuse(BOTH, WirePdu.capsule(Digests.NONE, WireCommand.flush(1), WirePdu.NOTHING), 1);
        refuse(BOTH, WirePdu.capsule(
            Digests.HEADER, WireCommand.writeInCapsule(1, 0, 1, BLOCK), new byte[BLOCK]), 1);
    }

    @Test
    void shouldRefuseAWrongHeaderDigestWhateverItsFieldsSay() throws IOException
    {
        final byte[] capsule = WirePdu.capsule(BOTH, WireCommand.flush(1), WirePdu.NOTHING);
        final int digest = WirePdu.getInt(capsule, 72);
        try (TestHost host = io(BOTH))
        {
            host.send(changed(capsule, 20, 1));
            host.expectTermination(FatalErrorStatus.HEADER_DIGEST_ERROR, digest);
        }
        try (TestHost host = io(BOTH))
        {
            host.send(withLength(capsule, 1 << 30));
            host.expectTermination(FatalErrorStatus.HEADER_DIGEST_ERROR, digest);
        }
        assertEquals(2, target.transport().counters().headerDigestErrors());
        expectBystander();
    }

    @Test
    void shouldRefuseDataThatWasNotAskedFor() throws IOException
    {
        refuse(Digests.NONE, WirePdu.h2cData(Digests.NONE, 1, 0, new byte[8], 0, 8, true),
            DataPdu.TRANSFER_TAG_OFFSET);
        refuse(Digests.NONE, WirePdu.h2cData(Digests.NONE, 1, 0xFFFF, new byte[8], 0, 8, true),
            DataPdu.TRANSFER_TAG_OFFSET);
    }

    @Test
    void shouldRefuseDataWhoseHeaderIsWrong() throws IOException
    {
        final byte[] data = new byte[2 * BLOCK];
        refuseData((cid, tag) -> changed(part(cid, tag, data, 0, BLOCK), CommonHeader.HEADER_LENGTH_OFFSET, 25),
            FatalErrorStatus.INVALID_HEADER_FIELD, 2);
        refuseData((cid, tag) -> changed(part(cid, tag, data, 0, BLOCK), CommonHeader.FLAGS_OFFSET,
            CommonHeader.FLAG_DATA_DIGEST), FatalErrorStatus.INVALID_HEADER_FIELD, 1);
        refuseData((cid, tag) -> changed(part(cid, tag, data, 0, BLOCK), CommonHeader.DATA_OFFSET_OFFSET, 28),
            FatalErrorStatus.INVALID_HEADER_FIELD, 3);
        refuseData((cid, tag) -> withLength(part(cid, tag, data, 0, BLOCK), 24 + BLOCK + 4),
            FatalErrorStatus.INVALID_HEADER_FIELD, 4);
        refuseData((cid, tag) -> withLength(part(cid, tag, data, 0, BLOCK), -1),
            FatalErrorStatus.INVALID_HEADER_FIELD, 4);
        refuseData((cid, tag) -> part(cid + 1, tag, data, 0, BLOCK),
            FatalErrorStatus.INVALID_HEADER_FIELD, DataPdu.COMMAND_ID_OFFSET);
        refuseData((cid, tag) -> part(cid, tag + 1, data, 0, BLOCK),
            FatalErrorStatus.INVALID_HEADER_FIELD, DataPdu.TRANSFER_TAG_OFFSET);
        refuseData((cid, tag) -> WirePdu.h2cData(Digests.NONE, cid, tag, data, 0, 0, false),
            FatalErrorStatus.INVALID_HEADER_FIELD, DataPdu.DATA_LENGTH_OFFSET);
        refuseData((cid, tag) -> WirePdu.h2cData(Digests.NONE, cid, tag, data, 0, 1023, false),
            FatalErrorStatus.INVALID_HEADER_FIELD, DataPdu.DATA_LENGTH_OFFSET);
    }

    @Test
    void shouldRefuseDataInTheWrongPlace() throws IOException
    {
        final byte[] data = new byte[64 * BLOCK];
        refuseData((cid, tag) -> part(cid, tag, data, 4, BLOCK), FatalErrorStatus.SEQUENCE_ERROR, 0);
        refuseData((cid, tag) -> part(cid, tag, data, BLOCK, BLOCK), FatalErrorStatus.SEQUENCE_ERROR, 0);
        refuseData((cid, tag) -> part(cid, tag, data, 2 * BLOCK, BLOCK), FatalErrorStatus.DATA_OUT_OF_RANGE, 0);
        refuseData((cid, tag) -> part(cid, tag, data, BLOCK, 2 * BLOCK), FatalErrorStatus.DATA_OUT_OF_RANGE, 0);
        refuseData((cid, tag) -> changedInt(part(cid, tag, data, 0, BLOCK), DataPdu.BUFFER_OFFSET_OFFSET, -4),
            FatalErrorStatus.DATA_OUT_OF_RANGE, 0);
        refuseData((cid, tag) -> part(cid, tag, data, 0, 33 * BLOCK), FatalErrorStatus.LIMIT_EXCEEDED, 0);
        refuseData((cid, tag) -> changedInt(part(cid, tag, data, 0, BLOCK), DataPdu.DATA_LENGTH_OFFSET, -4),
            FatalErrorStatus.LIMIT_EXCEEDED, 0);
    }

    @Test
    void shouldRefuseDataWhoseLastFlagIsWrong() throws IOException
    {
        final byte[] data = new byte[2 * BLOCK];
        refuseData((cid, tag) -> WirePdu.h2cData(Digests.NONE, cid, tag, data, 0, BLOCK, true),
            FatalErrorStatus.INVALID_HEADER_FIELD, CommonHeader.FLAGS_OFFSET);
        refuseData((cid, tag) -> WirePdu.h2cData(Digests.NONE, cid, tag, data, 0, 2 * BLOCK, false),
            FatalErrorStatus.INVALID_HEADER_FIELD, CommonHeader.FLAGS_OFFSET);
    }

    @Test
    void shouldRefuseDataAfterTheLast() throws IOException
    {
        try (TestHost host = io(Digests.NONE))
        {
            final byte[] data = new byte[2 * BLOCK];
            host.sendCapsule(WireCommand.write(1, 8, 2, 2 * BLOCK), WirePdu.NOTHING);
            final int tag = host.expect(PduType.READY_TO_TRANSFER).transferTag();
            host.send(WirePdu.h2cData(Digests.NONE, 1, tag, data, 0, 2 * BLOCK, true));
            host.expectSuccess(1);
            host.send(WirePdu.h2cData(Digests.NONE, 1, tag, data, 0, 2 * BLOCK, true));
            host.expectTermination(FatalErrorStatus.INVALID_HEADER_FIELD, DataPdu.TRANSFER_TAG_OFFSET);
        }
        expectBystander();
    }

    @Test
    void shouldRefuseMoreCommandsThanTheQueueHolds() throws IOException
    {
        try (TestHost host = io(Digests.NONE))
        {
            for (int i = 0; i <= 32; i++)
            {
                host.sendCapsule(WireCommand.write(i, 8, 2, 2 * BLOCK), WirePdu.NOTHING);
            }
            for (int i = 0; i < 32; i++)
            {
                host.expect(PduType.READY_TO_TRANSFER);
            }
            host.expectTermination(FatalErrorStatus.SEQUENCE_ERROR, 0);
        }
        expectBystander();
    }

    @Test
    void shouldAnswerWhatCameBeforeTheError() throws IOException
    {
        try (TestHost host = io(Digests.NONE))
        {
            final byte[] good = WirePdu.capsule(Digests.NONE, WireCommand.read(1, 0, 1, BLOCK), WirePdu.NOTHING);
            final byte[] both = java.util.Arrays.copyOf(good, good.length + CommonHeader.SIZE_BYTES);
            both[good.length] = 0x7E;
            host.send(both);
            assertArrayEquals(TcpIoTest.random(BLOCK, 1), host.receiveRead(1));
            host.expectTermination(FatalErrorStatus.INVALID_HEADER_FIELD, CommonHeader.TYPE_OFFSET);
        }
        expectBystander();
    }

    @FunctionalInterface
    private interface DataMaker
    {
        byte[] make(int commandId, int transferTag);
    }

    private void refuseData(final DataMaker maker, final FatalErrorStatus status, final int information)
        throws IOException
    {
        try (TestHost host = io(Digests.NONE))
        {
            host.sendCapsule(WireCommand.write(5, 8, 2, 2 * BLOCK), WirePdu.NOTHING);
            final WirePdu ready = host.expect(PduType.READY_TO_TRANSFER);
            host.send(maker.make(5, ready.transferTag()));
            host.expectTermination(status, information);
        }
        expectBystander();
    }

    private void refuse(final Digests digests, final byte[] bytes, final int fieldOffset) throws IOException
    {
        try (TestHost host = io(digests))
        {
            host.send(bytes);
            host.expectTermination(FatalErrorStatus.INVALID_HEADER_FIELD, fieldOffset);
        }
        expectBystander();
    }

    private TestHost io(final Digests digests) throws IOException
    {
        return TestHost.io(target.address(), TargetFixture.NQN, admin, nextQueue++, 32, digests);
    }

    private void expectBystander() throws IOException
    {
        assertArrayEquals(TcpIoTest.random(BLOCK, 1), bystander.read(3, 0, 1, BLOCK));
    }

    private static byte[] part(
        final int commandId, final int tag, final byte[] data, final int offset, final int length)
    {
        return WirePdu.h2cData(Digests.NONE, commandId, tag, data, offset, length, false);
    }

    private static byte[] changed(final byte[] bytes, final int offset, final int value)
    {
        final byte[] copy = bytes.clone();
        copy[offset] = (byte)value;
        return copy;
    }

    private static byte[] changedInt(final byte[] bytes, final int offset, final int value)
    {
        final byte[] copy = bytes.clone();
        WirePdu.putInt(copy, offset, value);
        return copy;
    }

    private static byte[] withLength(final byte[] bytes, final int length)
    {
        return changedInt(bytes, CommonHeader.PDU_LENGTH_OFFSET, length);
    }
}
