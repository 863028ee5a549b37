package io.millrace.control.agent;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.millrace.control.client.ControlClient;
import io.millrace.control.client.ControlClientContext;
import io.millrace.control.codec.Code;
import io.millrace.control.message.ControlException;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class KeyChangeTest
{
    private static final String OTHER = "another-secret-of-the-tests-x-x-x";

    @TempDir
    private Path directory;

    private static ControlClientContext other(final AgentFixture fixture, final String name)
    {
        return fixture.udpContext().keyName(name).secret(AgentFixture.secret(OTHER));
    }

    @Test
    void shouldEndTheSessionsOfAKeyThatIsGoneAndTakeNewOnes() throws IOException
    {
        try (AgentFixture fixture = AgentFixture.udp(directory))
        {
            final ControlClient local = fixture.connect(fixture.context());
            final ControlClient reader = fixture.connect(fixture.readerContext());
            final ControlClient admin = fixture.connect(fixture.udpContext());
            assertThrows(ControlException.class, () -> fixture.connect(other(fixture, "new")));
            final Path keys = directory.resolve("keys");
            Files.writeString(keys, Files.readString(keys).replace("admin admin", "gone admin") +
                "new admin " + OTHER + "\n" +
                "here admin " + OTHER + " test\nthere admin " + OTHER + " elsewhere\n");
            AgentFixture.until(admin, () -> !admin.isConnected());
            AgentFixture.until(admin, () -> admin.lastError().contains("authentication failed"));
            // It tries again, but not so often that others of its address find no place.
            final long endNs = System.nanoTime() + TimeUnit.SECONDS.toNanos(4);
            AgentFixture.until(admin, () -> System.nanoTime() - endNs >= 0);
            assertEquals(List.of(), fixture.errors().stream().filter((each) -> each.contains("senders")).toList());
            assertEquals(0, reader.devices("").size());
            assertEquals(0, local.devices("").size());
            fixture.connect(other(fixture, "new")).devices("");
            fixture.connect(other(fixture, "here")).devices("");
            final ControlException e =
                assertThrows(ControlException.class, () -> fixture.connect(other(fixture, "there")));
            assertEquals(Code.NOT_PERMITTED, e.code());
            assertTrue(e.getMessage().contains("for data plane elsewhere only"), e.getMessage());
        }
    }
}
