package io.millrace.manager;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.millrace.control.client.ControlClient;
import io.millrace.control.message.DeviceSpec;
import io.millrace.control.message.NamespaceSpec;
import io.millrace.control.message.SubsystemSpec;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** A data plane that comes back without the file of a volume, such as when its file system is not mounted. */
class ManagerMissingFileTest
{
    private static final String NQN = "nqn.2026-11.io.millrace:vol0";
    private static final long MIB = 1L << 20;

    @TempDir
    private Path directory;

    @Test
    void shouldNotServeAnEmptyFileInPlaceOfALostOne() throws IOException
    {
        final Path image = directory.resolve("vol.img");
        final Path unmounted = directory.resolve("unmounted.img");
        try (TestPlane plane = TestPlane.started(directory, "a");
            ManagerFixture fixture = ManagerFixture.of(directory, plane.config("dp0")))
        {
            final ControlClient client = fixture.connect();
            ManagerFixture.untilWell(client);
            client.createDevice(DeviceSpec.file("vol", image.toString(), MIB));
            client.createDevice(DeviceSpec.memory("mem0", MIB, 4096));
            client.createSubsystem(new SubsystemSpec(NQN, true));
            client.addNamespace(new NamespaceSpec(NQN, 1, "vol"));
            client.addNamespace(new NamespaceSpec(NQN, 2, "mem0"));
            final byte[] content = new byte[(int)MIB];
            content[4711] = 42;
            plane.stop();
            Files.write(image, content);
            // Twice: what is kept by the data plane meanwhile has the device no more.
            for (int i = 0; i < 2; i++)
            {
                ManagerFixture.until(client, (info) -> !info.isConnected());
                if (0 == i)
                {
                    Files.move(image, unmounted);
                }
                plane.start();
                ManagerFixture.until(client, (info) -> info.isConnected() &&
                    info.refusal().contains("path " + image + " does not exist, though device vol had it "));
                assertFalse(Files.exists(image), "made anew");
                assertEquals(List.of("mem0"), plane.dataPlane().devices().list().stream()
                    .map((device) -> device.config().name()).toList(), "the rest is served");
                plane.stop();
            }
            assertTrue(plane.errors().getFirst().startsWith("cannot create file device vol with path " + image +
                ", size 1MiB: device vol: path " + image + " does not exist, though device vol had it since "),
                plane.errors()::toString);
            Files.move(unmounted, image);
            plane.start();
            ManagerFixture.until(client, (info) -> info.isConnected());
            ManagerFixture.untilWell(client);
            assertEquals(2, client.namespaces(NQN).size());
            assertArrayEquals(content, Files.readAllBytes(image));
        }
    }

    @Test
    void shouldMakeAFileAnewForADeviceThatWasDeleted() throws IOException
    {
        final Path image = directory.resolve("vol.img");
        try (TestPlane plane = TestPlane.started(directory, "a");
            ManagerFixture fixture = ManagerFixture.of(directory, plane.config("dp0")))
        {
            final ControlClient client = fixture.connect();
            ManagerFixture.untilWell(client);
            client.createDevice(DeviceSpec.file("vol", image.toString(), MIB));
            client.deleteDevice("vol");
            Files.delete(image);
            client.createDevice(DeviceSpec.file("vol", image.toString(), MIB));
            assertEquals(MIB, Files.size(image));
        }
    }
}
