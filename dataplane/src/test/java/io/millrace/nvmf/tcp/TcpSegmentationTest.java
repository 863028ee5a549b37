package io.millrace.nvmf.tcp;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;

import io.millrace.block.memory.MemoryDevice;
import io.millrace.nvmf.tcp.pdu.CommonHeader;
import io.millrace.nvmf.tcp.pdu.DataPdu;
import io.millrace.nvmf.tcp.pdu.FatalErrorStatus;
import io.millrace.nvmf.tcp.pdu.PduType;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.util.Arrays;
import java.util.List;
import net.jqwik.api.Arbitraries;
import net.jqwik.api.Arbitrary;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.Provide;
import org.junit.jupiter.api.Test;

/**
 * How the stream is cut into segments makes no difference.
 */
class TcpSegmentationTest
{
    private static final int BLOCK = 512;
    private static final long DEVICE_BYTES = 4L << 20;
    private static final long POOL_BYTES = 2L << 20;

    private int nextQueue = 1;

    @Test
    void shouldTakeDataCutAtEveryByte() throws IOException
    {
        for (final Digests digests : Digests.values())
        {
            nextQueue = 1;
            try (ManualTarget target = target();
                TestHost admin = admin(target);
                Session session = new Session(target, admin, digests, nextQueue++))
            {
                final byte[] first = TcpIoTest.random(BLOCK, 1);
                final byte[] second = TcpIoTest.random(BLOCK, 2);
                final int headers = 2 * (DataPdu.SIZE_BYTES + digests.headerBytes() + digests.dataBytes());
                for (int cut = 1; cut < headers + 2 * BLOCK; cut++)
                {
                    session.deliver(WirePdu.capsule(
                        digests, WireCommand.write(1, 8, 2, 2 * BLOCK), WirePdu.NOTHING));
                    final int tag = session.host.expect(PduType.READY_TO_TRANSFER).transferTag();
                    final byte[] data = concat(first, second);
                    final byte[] pdus = concat(
                        WirePdu.h2cData(digests, 1, tag, data, 0, BLOCK, false),
                        WirePdu.h2cData(digests, 1, tag, data, BLOCK, BLOCK, true));
                    session.deliver(pdus, 0, cut);
                    session.deliver(pdus, cut, pdus.length);
                    session.host.expectSuccess(1);
                    session.deliver(WirePdu.capsule(
                        digests, WireCommand.read(2, 8, 2, 2 * BLOCK), WirePdu.NOTHING));
                    assertArrayEquals(data, session.host.receiveRead(2), digests + " cut at " + cut);
                    first[cut % BLOCK]++;
                    second[cut % BLOCK]--;
                }
            }
        }
    }

    @Property(tries = 30)
    void shouldActTheSameHoweverTheStreamIsCut(
        @ForAll("digests") final Digests digests,
        @ForAll("cuts") final List<Integer> cuts) throws IOException
    {
        final byte[] stream = stream(digests);
        assertArrayEquals(run(digests, stream, List.of(stream.length)), run(digests, stream, cuts));
    }

    @Provide
    Arbitrary<Digests> digests()
    {
        return Arbitraries.of(Digests.values());
    }

    @Provide
    Arbitrary<List<Integer>> cuts()
    {
        return Arbitraries.oneOf(
            Arbitraries.integers().between(1, 16), Arbitraries.integers().between(1, 20_000))
            .list().ofMinSize(1).ofMaxSize(64);
    }

    /**
     * Writes of many sizes in capsules, reads of what was written before, commands that fail, and a malformed PDU at
     * the end. No write touches what an earlier command reads: it would wait for that one's answer to be sent, and what
     * is not complete when a malformed PDU comes is not answered.
     */
    private static byte[] stream(final Digests digests) throws IOException
    {
        final ByteArrayOutputStream stream = new ByteArrayOutputStream();
        for (int i = 0; i < 15; i++)
        {
            final int blocks = 1 + i;
            stream.write(WirePdu.capsule(digests, WireCommand.writeInCapsule(2 * i, 16L * i, blocks, blocks * BLOCK),
                TcpIoTest.random(blocks * BLOCK, i)));
            stream.write(WirePdu.capsule(
                digests, WireCommand.read(2 * i + 1, 16L * Math.max(0, i - 1), blocks, blocks * BLOCK),
                WirePdu.NOTHING));
        }
        stream.write(WirePdu.capsule(digests, WireCommand.read(40, 1L << 50, 1, BLOCK), WirePdu.NOTHING));
        final byte[] wrong = WirePdu.capsule(digests, WireCommand.flush(41), WirePdu.NOTHING);
        wrong[CommonHeader.HEADER_LENGTH_OFFSET]++;
        stream.write(wrong);
        return stream.toByteArray();
    }

    /**
     * {@return everything that the target answered}
     */
    private byte[] run(final Digests digests, final byte[] stream, final List<Integer> cuts) throws IOException
    {
        try (ManualTarget target = target();
            TestHost admin = admin(target);
            Session session = new Session(target, admin, digests, 1))
        {
            int position = 0;
            for (int i = 0; position < stream.length; i++)
            {
                final int end = Math.min(stream.length, position + cuts.get(i % cuts.size()));
                session.deliver(stream, position, end);
                position = end;
            }
            final ByteArrayOutputStream answers = new ByteArrayOutputStream();
            for (WirePdu pdu = session.host.receive(); ; pdu = session.host.receive())
            {
                answers.write(pdu.type());
                answers.write(pdu.flags());
                answers.write(pdu.header());
                answers.write(pdu.data());
                if (PduType.C2H_TERM_REQ == pdu.type())
                {
                    assertEquals(FatalErrorStatus.INVALID_HEADER_FIELD, pdu.fatalStatus());
                    return answers.toByteArray();
                }
            }
        }
    }

    private static ManualTarget target()
    {
        return new ManualTarget(
            MemoryDevice.create("mem0", DEVICE_BYTES, BLOCK), TcpTransportConfig.defaults(), POOL_BYTES);
    }

    private static TestHost admin(final ManualTarget target) throws IOException
    {
        final TestHost host = TestHost.open(target.address());
        host.manual(target, target.accept());
        host.initialize(Digests.NONE, 0);
        host.connectAdmin(TargetFixture.NQN);
        return host;
    }

    private static byte[] concat(final byte[] first, final byte[] second)
    {
        final byte[] both = Arrays.copyOf(first, first.length + second.length);
        System.arraycopy(second, 0, both, first.length, second.length);
        return both;
    }

    private static final class Session implements AutoCloseable
    {
        private final ManualTarget target;
        private final TestHost host;
        private final TcpConnection connection;

        private Session(final ManualTarget target, final TestHost admin, final Digests digests, final int queueId)
            throws IOException
        {
            this.target = target;
            host = TestHost.open(target.address());
            connection = target.accept();
            host.manual(target, connection);
            host.initialize(digests, 0);
            host.connectIo(TargetFixture.NQN, admin.controllerId(), queueId, 64);
        }

        private void deliver(final byte[] bytes) throws IOException
        {
            target.deliver(host, connection, bytes);
        }

        private void deliver(final byte[] bytes, final int from, final int to) throws IOException
        {
            target.deliver(host, connection, bytes, from, to);
        }

        @Override
        public void close()
        {
            host.close();
        }
    }
}
