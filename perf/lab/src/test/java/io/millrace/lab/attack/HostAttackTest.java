package io.millrace.lab.attack;

import static org.junit.jupiter.api.Assertions.assertTrue;

import io.millrace.lab.TargetProcess;
import java.io.IOException;
import java.nio.file.Files;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/**
 * Hosts that try to end a data plane, which was started as a user starts it, or to take it from others: it lives, and a
 * bystander's verified I/O goes on.
 */
final class HostAttackTest
{
    private static final String NQN = TargetProcess.NQN;
    private static final boolean IS_LONG = "long".equals(System.getProperty("millrace.attack"));
    private static final int BLOCK_BYTES = 4096;
    private static final int READ_BYTES = 128 << 10;
    private static final long BYSTANDER_LBA = 8192;
    private static final long PROGRESS_MS = 5_000;

    private TargetProcess target;
    private Bystander bystander;

    @BeforeEach
    void start() throws IOException
    {
        target = TargetProcess.start("host-attack", List.of("{name: mem, type: memory, size: 64MiB}"), "mem");
        bystander = new Bystander(target.port(), NQN, BYSTANDER_LBA);
    }

    @AfterEach
    void stop()
    {
        if (null != bystander)
        {
            bystander.close();
        }
        if (null != target)
        {
            target.close();
        }
    }

    /** Queues that are reset together while their answers fill the sockets. */
    @Test
    void resetsUnderLoad() throws Exception
    {
        final int rounds = IS_LONG ? 1_000 : 10;
        final int queues = 8;
        final int depth = 128;
        try (AttackHost admin = AttackHost.admin(target.port(), "127.0.0.2", NQN))
        {
            for (int round = 0; round < rounds; round++)
            {
                final List<AttackHost> hosts = new ArrayList<>();
                final List<Thread> readers = new ArrayList<>();
                for (int queue = 1; queue <= queues; queue++)
                {
                    final AttackHost host = admin.io(NQN, queue, depth, 0);
                    hosts.add(host);
                    readers.add(Thread.ofVirtual().start(host::readAndDrop));
                }
                for (final AttackHost host : hosts)
                {
                    for (int id = 0; id < depth - 1; id++)
                    {
                        host.send(AttackHost.capsule(
                            AttackHost.read(id, id * 8L, READ_BYTES / BLOCK_BYTES, READ_BYTES), AttackHost.NOTHING));
                    }
                }
                Thread.sleep(round % 4);
                for (final AttackHost host : hosts)
                {
                    host.reset();
                }
                for (final Thread reader : readers)
                {
                    reader.join();
                }
                expectAlive();
            }
        }
    }

    private void expectAlive() throws IOException, InterruptedException
    {
        assertTrue(target.isAlive(), "the target has ended:\n" + Files.readString(target.log()));
        bystander.expectProgress(PROGRESS_MS);
    }
}
