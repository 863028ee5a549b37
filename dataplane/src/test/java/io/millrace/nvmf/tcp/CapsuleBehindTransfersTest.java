package io.millrace.nvmf.tcp;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotEquals;

import io.millrace.nvmf.LaterDevice;
import io.millrace.nvmf.tcp.pdu.PduType;
import io.millrace.reactor.ReactorConfig;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/**
 * A capsule with data comes when large writes have all the buffers that their connection may have, and before the data
 * of these writes. It must not wait for them: what is behind it is not looked at while it waits.
 */
class CapsuleBehindTransfersTest
{
    private static final int BLOCK = TargetFixture.BLOCK_BYTES;
    private static final int BLOCKS = 32;
    private static final int WRITES = 100;
    private static final int CAPSULES = 8;

    @Test
    @Timeout(value = 60, unit = TimeUnit.SECONDS, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
    void shouldNotWaitForBuffersOfDataThatComesBehindIt() throws Exception
    {
        try (TargetFixture target = new TargetFixture(1, TcpTransportConfig.defaults(),
            new LaterDevice(BLOCK, TargetFixture.DEVICE_BYTES), 8L << 20, ReactorConfig.SPIN_NS_DEFAULT);
            TestHost admin = TestHost.admin(target.address(), TargetFixture.NQN, Digests.NONE);
            TestHost host = TestHost.io(target.address(), TargetFixture.NQN, admin, 1, 128, Digests.NONE))
        {
            final byte[] data = TcpIoTest.random(BLOCKS * BLOCK, 1);
            for (int id = 0; id < WRITES; id++)
            {
                host.sendCapsule(WireCommand.write(id, (long)id * BLOCKS, BLOCKS, data.length), WirePdu.NOTHING);
            }
            TargetFixture.await("writes that wait for buffers", () -> target.reactor(0).call(() ->
                target.pool(0).waiting() > 0 && target.group(0).requestsInUse() >= WRITES).join());
            assertNotEquals(0, target.pool(0).waiting());
            for (int id = 0; id < CAPSULES; id++)
            {
                host.sendCapsule(WireCommand.writeInCapsule(WRITES + id, id, 1, BLOCK), new byte[BLOCK]);
            }
            int done = 0;
            final List<WirePdu> ready = new ArrayList<>();
            while (done < WRITES + CAPSULES)
            {
                final WirePdu next = host.receive();
                if (PduType.READY_TO_TRANSFER == next.type())
                {
                    ready.add(next);
                }
                else
                {
                    assertEquals(0, next.status(), next.toString());
                    done++;
                }
                while (!ready.isEmpty())
                {
                    final WirePdu each = ready.removeFirst();
                    host.send(WirePdu.h2cData(Digests.NONE, each.commandId(), each.transferTag(), data, 0,
                        data.length, true));
                }
            }
        }
    }
}
