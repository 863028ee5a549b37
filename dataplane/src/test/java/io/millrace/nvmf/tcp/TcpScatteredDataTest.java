package io.millrace.nvmf.tcp;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;

import io.millrace.block.memory.MemoryDevice;
import io.millrace.memory.RandomSegments;
import io.millrace.memory.Segments;
import io.millrace.nvmf.request.Request;
import io.millrace.nvmf.request.RequestPhase;
import io.millrace.nvmf.tcp.pdu.PduType;
import io.millrace.seed.TestSeeds;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.lang.foreign.Arena;
import java.util.List;
import java.util.Random;
import org.agrona.concurrent.UnsafeBuffer;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/**
 * H2CData into memory in pieces, in PDUs and pieces of the stream that begin and end anywhere.
 */
class TcpScatteredDataTest
{
    private static final int BLOCK = 512;
    private static final int ROUNDS = 40;
    private static final int COMMAND = 7;

    @ParameterizedTest
    @EnumSource(Digests.class)
    void shouldReceiveIntoPieces(final Digests digests) throws IOException
    {
        try (ManualTarget target = new ManualTarget(
            MemoryDevice.create("mem0", 1 << 20, BLOCK), TcpTransportConfig.defaults(), 2L << 20);
            TestHost admin = TestHost.open(target.address());
            TestHost host = TestHost.open(target.address());
            Arena arena = Arena.ofShared())
        {
            admin.manual(target, target.accept());
            final TcpConnection connection = target.accept();
            host.manual(target, connection);
            admin.initialize(Digests.NONE, 0);
            admin.connectAdmin(TargetFixture.NQN);
            host.initialize(digests, 0);
            host.connectIo(TargetFixture.NQN, admin.controllerId(), 1, 64);
            for (int round = 0; round < ROUNDS; round++)
            {
                final Random random = TestSeeds.random(round);
                final int blocks = 1 + random.nextInt(40);
                final byte[] data = TcpIoTest.random(blocks * BLOCK, round);
                final Request request = connection.queuePair().dispatcher().begin(
                    new UnsafeBuffer(WireCommand.write(COMMAND, 0, blocks, data.length)), 0);
                request.data().copyFrom(RandomSegments.spread(random, Segments.COUNT_MAX,
                    arena.allocate(data.length + RandomSegments.SPREAD_BYTES).address(), data.length));
                request.phase(RequestPhase.RECEIVING);
                connection.receiveData(request);
                target.turn();
                final WirePdu ready = host.expect(PduType.READY_TO_TRANSFER);
                final byte[] stream = stream(random, digests, ready.transferTag(), data);
                int from = 0;
                while (from < stream.length)
                {
                    final int to = Math.min(stream.length, from + 1 + random.nextInt(stream.length));
                    target.deliver(host, connection, stream, from, to);
                    from = to;
                }
                host.expectSuccess(COMMAND);
                assertArrayEquals(data, host.read(1, 0, blocks, data.length), "round " + round);
            }
            assertEquals(0, target.counters().dataDigestErrors());
        }
    }

    private static byte[] stream(final Random random, final Digests digests, final int tag, final byte[] data)
        throws IOException
    {
        final ByteArrayOutputStream stream = new ByteArrayOutputStream();
        final List<Integer> most = List.of(8, 100, data.length);
        int position = 0;
        while (position < data.length)
        {
            final int wanted = 4 + (random.nextInt(most.get(random.nextInt(most.size()))) & -4);
            final int length = Math.min(data.length - position, wanted);
            stream.write(WirePdu.h2cData(
                digests, COMMAND, tag, data, position, length, position + length == data.length));
            position += length;
        }
        return stream.toByteArray();
    }
}
