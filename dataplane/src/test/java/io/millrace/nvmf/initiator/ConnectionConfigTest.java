package io.millrace.nvmf.initiator;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.net.InetSocketAddress;
import java.util.UUID;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class ConnectionConfigTest
{
    private static final InetSocketAddress ADDRESS = new InetSocketAddress("127.0.0.1", 4420);
    private static final String NQN = "nqn.2026-11.io.millrace:vol0";

    private static void assertRefused(final String message, final org.junit.jupiter.api.function.Executable executable)
    {
        final String actual = assertThrows(InitiatorException.class, executable).getMessage();
        assertTrue(actual.contains(message), actual);
    }

    @Test
    void shouldNameSettingValueAndBoundWhenASettingIsOutOfRange()
    {
        assertRefused("queue depth 0 is out of range: use 1 to 4095",
            () -> ConnectionConfig.to(ADDRESS, NQN).queueDepth(0).build());
        assertRefused("queue depth 4096", () -> ConnectionConfig.to(ADDRESS, NQN).queueDepth(4096).build());
        assertRefused("keep-alive ms -1", () -> ConnectionConfig.to(ADDRESS, NQN).keepAliveMs(-1).build());
        assertRefused("command time-out ms 0", () -> ConnectionConfig.to(ADDRESS, NQN).commandTimeoutMs(0).build());
        assertRefused("largest reconnect delay ms 5",
            () -> ConnectionConfig.to(ADDRESS, NQN).reconnectDelayMs(10, 5).build());
        assertRefused("controller loss time-out ms -2",
            () -> ConnectionConfig.to(ADDRESS, NQN).controllerLossTimeoutMs(-2).build());
        assertRefused("cannot be resolved",
            () -> ConnectionConfig.to(InetSocketAddress.createUnresolved("nowhere", 1), NQN).build());
    }

    @ParameterizedTest
    @CsvSource({"vol0, does not begin with", "'', is missing"})
    void shouldRefuseNamesThatAreNoNqn(final String nqn, final String message)
    {
        assertRefused(message, () -> ConnectionConfig.to(ADDRESS, nqn).build());
        assertRefused(message, () -> new HostConfig(nqn, UUID.randomUUID()));
    }

    @Test
    void shouldRefuseAnNqnThatIsTooLong()
    {
        assertRefused("of 224 bytes is longer than 223",
            () -> ConnectionConfig.to(ADDRESS, "nqn." + "x".repeat(220)).build());
    }

    @Test
    void shouldNameTargetAndHostAsPeopleWriteThem()
    {
        assertEquals("tcp://127.0.0.1:4420", ConnectionConfig.to(ADDRESS, NQN).build().target());
        assertEquals("tcp://[fd00::1]:4420",
            ConnectionConfig.to(new InetSocketAddress("fd00::1", 4420), NQN).build().target());
        final UUID id = UUID.fromString("5a1b7e7e-0000-4000-8000-000000000001");
        assertEquals("nqn.2014-08.org.nvmexpress:uuid:" + id, HostConfig.of(id).hostNqn());
    }
}
