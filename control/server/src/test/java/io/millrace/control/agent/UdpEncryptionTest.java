package io.millrace.control.agent;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.millrace.control.codec.Code;
import io.millrace.control.codec.PeerType;
import io.millrace.control.message.ControlException;
import io.millrace.control.message.DeviceSpec;
import io.millrace.control.service.ControlSettings;
import java.io.IOException;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class UdpEncryptionTest
{
    @TempDir
    private Path directory;

    @Test
    void shouldRefuseAClientThatDoesNotEncrypt() throws IOException
    {
        try (AgentFixture fixture = AgentFixture.udp(directory))
        {
            final ControlException e = assertThrows(ControlException.class,
                () -> fixture.connect(fixture.udpContext().encrypted(false)));
            assertEquals(Code.NOT_PERMITTED, e.code());
            assertTrue(e.getMessage().contains("control.encryption: optional"), e.getMessage());
            fixture.connect(fixture.udpContext()).createDevice(DeviceSpec.memory("mem0", 1 << 20, 4096));
        }
    }

    @Test
    void shouldTakeAClientThatDoesNotEncryptWhenItMay() throws IOException
    {
        try (AgentFixture fixture = AgentFixture.udp(directory, ControlSettings.Encryption.OPTIONAL))
        {
            fixture.connect(fixture.udpContext().encrypted(false))
                .createDevice(DeviceSpec.memory("mem0", 1 << 20, 4096));
            assertEquals(1, fixture.connect(fixture.udpContext()).devices("").size());
        }
    }

    /** Over IPC too, when it names a key. */
    @Test
    void shouldSayWhatServes() throws IOException
    {
        try (AgentFixture fixture = AgentFixture.udp(directory))
        {
            final var peer = fixture.connect(fixture.udpContext()).session().peer();
            assertEquals(7, peer.schemaVersion());
            assertEquals(PeerType.DATA_PLANE, peer.type());
            assertEquals("9.9", peer.programVersion());
            fixture.connect(fixture.context().keyName("admin").secret(AgentFixture.secret(AgentFixture.SECRET)))
                .devices("");
        }
    }
}
