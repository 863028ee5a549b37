package io.millrace.nvmf.tcp;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.millrace.block.memory.MemoryDevice;
import io.millrace.nvmf.AdminTurns;
import io.millrace.nvmf.tcp.pdu.PduType;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/**
 * A host sends as many admin commands at once as its queue holds: the reactor carries out a few in each cycle, so that
 * I/O goes on in between, and all of them in the end.
 */
@Timeout(value = 60, unit = TimeUnit.SECONDS, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
class AdminTimeBudgetTest
{
    private static final int DEPTH = 1024;
    private static final int COMMANDS = 900;

    @Test
    void shouldCarryOutNoneInACycleWhoseTimeIsSpent() throws IOException
    {
        try (ManualTarget target = new ManualTarget(MemoryDevice.create("mem0", 1L << 20, TargetFixture.BLOCK_BYTES),
                TcpTransportConfig.defaults(), 16L << 20);
            TestHost host = TestHost.open(target.address()))
        {
            final TcpConnection connection = target.accept();
            host.manual(target, connection);
            host.initialize(Digests.NONE, 0);
            host.sendCapsule(WireCommand.connect(1, 0, DEPTH),
                WireCommand.connectData(TargetFixture.NQN, TestHost.HOST_NQN, 0xFFFF));
            assertEquals(0, host.expect(PduType.CAPSULE_RESPONSE).status());
            host.sendCapsule(WireCommand.propertySet(2, 0x14, 0x00460001), WirePdu.NOTHING);
            host.expectSuccess(2);
            final ByteArrayOutputStream bytes = new ByteArrayOutputStream();
            for (int id = 0; id < COMMANDS; id++)
            {
                bytes.writeBytes(WirePdu.capsule(Digests.NONE, WireCommand.numberOfQueues(id, 128), WirePdu.NOTHING));
            }
            host.sendRaw(bytes.toByteArray(), 0, bytes.size());
            long left = bytes.size();
            long stalled = 0;
            while (left > 0 || target.group().pollGroup().requestsInUse() > 0)
            {
                AdminTurns.spend(target.group().pollGroup());
                final long doneBefore = target.group().counters().stalledCapsules();
                left -= connection.receive();
                stalled += target.group().counters().stalledCapsules() - doneBefore;
                target.turn();
            }
            assertTrue(stalled > 0, "no command has waited for a turn");
            for (int id = 0; id < COMMANDS; id++)
            {
                host.expectSuccess(id);
            }
        }
    }
}
