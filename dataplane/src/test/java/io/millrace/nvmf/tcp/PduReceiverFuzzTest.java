package io.millrace.nvmf.tcp;

import static org.junit.jupiter.api.Assertions.assertEquals;

import com.code_intelligence.jazzer.api.BugDetectors;
import com.code_intelligence.jazzer.junit.FuzzTest;
import io.millrace.block.memory.MemoryDevice;
import java.io.IOException;
import java.util.Arrays;

/**
 * Any bytes on any connection never throw and never hang: the connection closes or waits for more, and gives everything
 * back. Runs on the kept corpus with every build; fuzzes with coverage guidance when the environment says {@code
 * JAZZER_FUZZ=1}:
 * {@code JAZZER_FUZZ=1 mvn -pl dataplane -am test -Dtest=PduReceiverFuzzTest -Dsurefire.failIfNoSpecifiedTests=false}.
 */
class PduReceiverFuzzTest
{
    private static final int BLOCK = 512;
    private static ManualTarget target;
    private static TestHost admin;

    /**
     * The first byte says how far the connection gets before the bytes come (bits 1:0), its digests (bits 3:2); the
     * second one how the bytes are cut.
     */
    @FuzzTest(maxDuration = "2m")
    void shouldSurviveAnyBytes(final byte[] input) throws IOException
    {
        if (input.length < 2)
        {
            return;
        }
        BugDetectors.allowNetworkConnections((host, port) -> target().address().getPort() == port);
        final int stage = input[0] & 3;
        final Digests digests = Digests.of(input[0] >>> 2 & 3);
        final byte[] bytes = Arrays.copyOfRange(input, 2, input.length);
        final int controllerId = admin().controllerId();
        try (TestHost host = TestHost.open(target.address()))
        {
            final TcpConnection connection = target.accept();
            host.manual(target, connection);
            if (stage > 0)
            {
                host.initialize(digests, 0);
            }
            if (stage > 1)
            {
                host.connectIo(TargetFixture.NQN, controllerId, 1, 16);
            }
            if (stage > 2)
            {
                host.sendCapsule(WireCommand.write(1, 0, 8, 8 * BLOCK), WirePdu.NOTHING);
                host.expect(PduType.READY_TO_TRANSFER);
            }
            final int piece = 0 == input[1] ? bytes.length : (input[1] & 0xFF) * 7;
            for (int from = 0; from < bytes.length && ConnectionState.CLOSED != connection.state(); from += piece)
            {
                target.deliver(host, connection, bytes, from, Math.min(bytes.length, from + piece));
            }
            // A reset leaves no TIME_WAIT behind, or the ports of this machine would run out.
            host.socket().setSoLinger(true, 0);
            host.socket().close();
            connection.close("end of the input");
            target.turn();
        }
        assertEquals(1, target.group().assignedCount().get());
        assertEquals(1, target.group().senderBlocks().usedCount());
        assertEquals(0, target.group().receiveBuffer().smallBlocks().usedCount());
        assertEquals(0, target.group().receiveBuffer().largeBlocks().usedCount());
        assertEquals(0, target.pool().usedBytes());
    }

    private static ManualTarget target()
    {
        if (null == target)
        {
            target = new ManualTarget(
                MemoryDevice.create("mem0", 1L << 20, BLOCK), TcpTransportConfig.defaults(), 2L << 20);
        }
        return target;
    }

    private static TestHost admin() throws IOException
    {
        if (null == admin)
        {
            admin = TestHost.open(target().address());
            admin.manual(target, target.accept());
            admin.initialize(Digests.NONE, 0);
            admin.connectAdmin(TargetFixture.NQN);
        }
        return admin;
    }
}
