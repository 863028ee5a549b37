package io.millrace.lab;

import static org.junit.jupiter.api.Assertions.assertEquals;

import io.millrace.block.memory.MemoryDevice;
import io.millrace.dataplane.DataPlane;
import io.millrace.nvmf.Subsystem;
import io.millrace.nvmf.namespace.Namespace;
import io.millrace.serve.config.ConfigReader;
import java.util.List;
import java.util.UUID;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;

/**
 * Namespaces added and removed on a running target, in this JVM, while the kernel's initiator is connected:
 * asynchronous events tell it.
 */
@LabTest
final class NamespacesTest
{
    private static final int BLOCK = 4096;
    private static final int DRAIN_SECONDS = 20;
    private static final String CONFIG = """
        reactors: [{name: r0}, {name: r1}]
        devices:
          - {name: first, type: memory, size: 16MiB, block-size: 4096}
        subsystems:
          - nqn: nqn.2026-11.io.millrace:lab
            allow-any-host: true
            namespaces: [{nsid: 1, device: first}]
        listeners:
          - {transport: tcp, address: 127.0.0.1, port: 0}
        discovery: false
        """;

    @Test
    // A device is closed early on purpose: nothing may use it once its namespace is gone.
    @SuppressWarnings("try")
    void shouldComeAndGoWithoutReconnect() throws Exception
    {
        try (DataPlane dataPlane = DataPlane.start(ConfigReader.read("lab.yaml", CONFIG).config());
            MemoryDevice second = MemoryDevice.create("second", 32 << 20, BLOCK);
            MemoryDevice third = MemoryDevice.create("third", 8 << 20, BLOCK))
        {
            final Subsystem subsystem = dataPlane.target().subsystem(TargetProcess.NQN);
            final LabResult result;
            try (LabMachine machine = Lab.named("namespaces")
                .start(480, "namespaces.sh", dataPlane.addresses().getFirst().port(), TargetProcess.NQN))
            {
                machine.awaitLine("namespace 1 has 32768 sectors");
                subsystem.addNamespace(new Namespace(2, second, UUID.randomUUID()));
                machine.awaitLine("namespace 2 has 65536 sectors");
                machine.awaitLine("writing");
                subsystem.removeNamespace(2).get(DRAIN_SECONDS, TimeUnit.SECONDS);
                second.close();
                machine.awaitLine("namespace 2 is gone");
                subsystem.addNamespace(new Namespace(2, third, UUID.randomUUID()));
                machine.awaitLine("namespace 2 has 16384 sectors");
                assertEquals(1, subsystem.controllers().count());
                result = machine.await();
            }
            result.assertPassed();
            assertEquals(List.of(), result.lines("WARNING"), result::description);
        }
    }
}
