package io.millrace.manager;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.millrace.control.client.ControlClient;
import io.millrace.control.codec.Health;
import io.millrace.control.codec.ReconcileMode;
import io.millrace.control.message.DeviceSpec;
import io.millrace.control.message.ManagedInfo;
import io.millrace.control.message.NamespaceSpec;
import io.millrace.control.message.SubsystemSpec;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.UUID;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** A data plane that has lost all that it knew makes no empty file in the place of one that is lost, too. */
class ServedFilesTest
{
    private static final String NQN = "nqn.2026-11.io.millrace:vol0";
    private static final long MIB = 1L << 20;

    @TempDir
    private Path directory;

    private Path image(final String name)
    {
        return directory.resolve(name + ".img");
    }

    private void create(final ControlClient client, final String name)
    {
        client.createDevice(DeviceSpec.file(name, image(name).toString(), MIB));
    }

    private static void addNamespace(final ControlClient client)
    {
        client.addNamespace(new NamespaceSpec(NQN, 1, new UUID(1, 2), "vol", NamespaceSpec.ANA_GROUP_DEFAULT));
    }

    private static ManagedInfo untilRefused(final ControlClient client, final String text)
    {
        return ManagerFixture.until(client,
            (info) -> Health.DRIFTED == info.health() && info.refusal().contains(text));
    }

    @Test
    void shouldNotMakeAnEmptyFileInThePlaceOfALostOne() throws IOException
    {
        try (TestPlane plane = TestPlane.started(directory, "a");
            ManagerFixture fixture = ManagerFixture.of(directory, plane.config("dp0")))
        {
            ControlClient client = fixture.connect();
            ManagerFixture.untilWell(client);
            create(client, "vol");
            client.beginChange("");
            create(client, "other");
            client.createSubsystem(new SubsystemSpec(NQN, true, "", ""));
            addNamespace(client);
            client.commitChange();
            ManagerFixture.untilWell(client);

            plane.stop();
            plane.forgetAll();
            Files.delete(image("vol"));
            plane.start();
            final String reason = "path " + image("vol") + " does not exist, though device vol had it before: mount " +
                "its file system or restore the file; to begin with an empty one make it with 'touch', or delete the " +
                "device and create it";
            untilRefused(client, reason);
            assertFalse(Files.exists(image("vol")), "made nevertheless");
            assertTrue(client.manager().drift("").toString().contains(reason), client.manager().drift("").toString());
            assertEquals(List.of("other"), client.devices("").stream().map((each) -> each.name()).toList());

            // It says so once, whatever it tries.
            for (int i = 0; i < 3; i++)
            {
                client.manager().reconcile(ReconcileMode.REPAIR);
                create(client, "vol");
            }
            assertEquals(1, fixture.lines().stream().filter((each) -> each.contains("not resolved: ") &&
                each.contains(reason)).count(), fixture.lines()::toString);
            assertTrue(fixture.lines().stream().filter((each) -> each.contains("steps to be as")).count() <= 2,
                fixture.lines()::toString);
            assertTrue(client.manager().audit("").stream()
                .filter((each) -> each.command().startsWith("reconcile:")).count() <= 2);

            // It is known after the next start as well.
            fixture.stop();
            plane.stop();
            Files.delete(image("other"));
            plane.forgetAll();
            plane.start();
            fixture.start();
            client = fixture.connect();
            untilRefused(client, "though device");
            assertFalse(Files.exists(image("vol")) || Files.exists(image("other")), "made nevertheless");

            // Both remedies.
            Files.createFile(image("other"));
            client.removeNamespace(NQN, 1);
            client.deleteDevice("vol");
            create(client, "vol");
            addNamespace(client);
            client.manager().reconcile(ReconcileMode.REPAIR);
            ManagerFixture.untilWell(client);
            assertEquals(MIB, Files.size(image("vol")));
            assertEquals(MIB, Files.size(image("other")));
        }
    }

    @Test
    void shouldMakeTheFileOfADeviceThatIsNew() throws IOException
    {
        try (TestPlane plane = TestPlane.started(directory, "a");
            ManagerFixture fixture = ManagerFixture.of(directory, plane.config("dp0")))
        {
            final ControlClient client = fixture.connect();
            ManagerFixture.untilWell(client);
            create(client, "vol");
            plane.stop();
            ManagerFixture.until(client, (info) -> !info.isConnected());
            create(client, "new");
            client.beginChange("");
            client.deleteDevice("vol");
            create(client, "vol");
            client.commitChange();
            fixture.stop();
            plane.forgetAll();
            Files.delete(image("vol"));
            fixture.start();
            final ControlClient again = fixture.connect();
            plane.start();
            ManagerFixture.untilWell(again);
            assertEquals(MIB, Files.size(image("new")));
            assertEquals(MIB, Files.size(image("vol")));
        }
    }

    /** The first of all, too: a manager that was started again does not take it for one that it has known for long. */
    @Test
    void shouldMakeTheFirstFile() throws IOException
    {
        try (TestPlane plane = TestPlane.started(directory, "a");
            ManagerFixture fixture = ManagerFixture.of(directory, plane.config("dp0")))
        {
            final ControlClient client = fixture.connect();
            ManagerFixture.untilWell(client);
            plane.stop();
            ManagerFixture.until(client, (info) -> !info.isConnected());
            create(client, "new");
            fixture.stop();
            fixture.start();
            plane.start();
            ManagerFixture.untilWell(fixture.connect());
            assertEquals(MIB, Files.size(image("new")));
        }
    }
}
