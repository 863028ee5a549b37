package io.millrace.manager;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.millrace.control.client.ControlClient;
import io.millrace.control.codec.Code;
import io.millrace.control.message.ControlException;
import io.millrace.control.message.DeviceSpec;
import io.millrace.control.message.ManagedInfo;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * Paths that a data plane does not allow, asked for through its manager and beside it.
 */
class DeviceDirectoriesTest
{
    private static final int MIB = 1 << 20;

    @TempDir
    Path directory;
    @TempDir
    Path outside;

    @BeforeEach
    void resolve() throws IOException
    {
        directory = directory.toRealPath();
        outside = outside.toRealPath();
    }

    @Test
    void shouldRefusePathsElsewhereWhoeverAsks()
    {
        try (TestPlane plane = TestPlane.started(directory, "a");
            ControlClient client = ControlClient.connect(plane.context()))
        {
            refuses(client, outside.resolve("x.img"));
            client.createDevice(DeviceSpec.file("f", directory.resolve("f.img").toString(), MIB));
            try (ManagerFixture fixture = ManagerFixture.of(directory, plane.config("dp0")))
            {
                final ControlClient managed = fixture.connect();
                ManagerFixture.untilWell(managed);
                refuses(managed, outside.resolve("x.img"));
                assertEquals(1, managed.devices("").size());
                managed.createDevice(DeviceSpec.file("g", directory.resolve("g.img").toString(), MIB));
            }
            assertEquals(List.of(), plane.errors());
        }
        assertFalse(Files.exists(outside.resolve("x.img")));
    }

    private void refuses(final ControlClient client, final Path path)
    {
        final ControlException e = assertThrows(ControlException.class,
            () -> client.createDevice(DeviceSpec.file("x", path.toString(), MIB)));
        assertEquals(Code.INVALID, e.code());
        assertTrue(e.getMessage().contains("x.img is in none of the directories of control.device-directories (" +
            directory + ")"), e.getMessage());
    }

    /** Allowed when it was applied, and elsewhere since: left out, shown as refused, and deleted like any other. */
    @Test
    void shouldCompareAgainWhatWasKept() throws IOException
    {
        final Path volumes = Files.createDirectory(directory.resolve("volumes"));
        try (TestPlane plane = TestPlane.started(directory, "a");
            ManagerFixture fixture = ManagerFixture.of(directory, plane.config("dp0")))
        {
            final ControlClient client = fixture.connect();
            ManagerFixture.untilWell(client);
            client.createDevice(DeviceSpec.file("f", volumes.resolve("f.img").toString(), MIB));
            plane.stop();
            Files.move(volumes.resolve("f.img"), outside.resolve("f.img"));
            Files.delete(volumes);
            Files.createSymbolicLink(volumes, outside);
            plane.start();
            assertTrue(plane.errors().getFirst().contains("leads to " + outside + "/f.img, which is in none of"),
                plane.errors().toString());
            final ManagedInfo refused = ManagerFixture.until(client, (info) -> !info.refusal().isEmpty());
            assertTrue(refused.refusal().contains("control.device-directories"), refused.refusal());
            assertEquals(0, plane.dataPlane().devices().list().size());
            client.deleteDevice("f");
            assertEquals("", ManagerFixture.untilWell(client).refusal());
        }
        assertEquals(MIB, Files.size(outside.resolve("f.img")));
    }
}
