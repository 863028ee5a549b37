package io.millrace.nvmf.config;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.millrace.nvmf.Subsystem;
import io.millrace.nvmf.transport.TransportAddress;
import java.util.Set;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

public class NqnTest
{
    private static final String NQN = "nqn.2026-11.io.millrace:vol0";

    @ParameterizedTest
    @ValueSource(strings = {
        "nqn.2026-11.io.millrace:vol0",
        "nqn.2014-08.org.nvmexpress.discovery",
        "nqn.2014-08.org.nvmexpress:uuid:f81d4fae-7dec-11d0-a765-00a0c91e6bf6",
        "nqn.2019-06.io.spdk",
        "nqn.1988-11.com.dell:powerstore:00:a-b_c.d/e",
        "nqn.2026-12.x:ünï",
    })
    void shouldTakeGoodNames(final String nqn)
    {
        assertNull(Nqn.problem(nqn));
        assertEquals(nqn, Nqn.check("subsystem", nqn));
    }

    @ParameterizedTest
    @ValueSource(strings = {
        "",
        "vol0",
        "nqn.2026-13.io.millrace:vol0",
        "nqn.2026-00.io.millrace:vol0",
        "nqn.26-11.io.millrace:vol0",
        "nqn.2026-11.:vol0",
        "nqn.2026-11.-io.millrace:vol0",
        "nqn.2026-11.io..millrace:vol0",
        "nqn.2026-11.io.millrace:",
        "nqn.2026-11.io.millrace:a\nb",
        "NQN.2026-11.io.millrace:vol0",
        "iqn.2026-11.io.millrace:vol0",
        "nqn.2014-08.org.nvmexpress:uuid:f81d4fae-7dec-11d0-a765-00a0c91e6bf",
        "nqn.2014-08.org.nvmexpress:uuid:",
    })
    void shouldSayWhatIsWrongWithBadNames(final String nqn)
    {
        final String problem = Nqn.problem(nqn);
        assertTrue(problem.contains(nqn), problem);
        assertTrue(problem.contains("write"), problem);
        assertTrue(assertThrows(IllegalArgumentException.class, () -> Nqn.check("subsystem", nqn)).getMessage()
            .startsWith("subsystem: "));
    }

    @Test
    void shouldCountBytes()
    {
        final String longest = "nqn.2026-11.io.example:" + "x".repeat(200);
        assertEquals(Nqn.LENGTH_BYTES_MAX, longest.length());
        assertNull(Nqn.problem(longest));
        assertTrue(Nqn.problem(longest + "x").contains("224"));
        assertTrue(Nqn.problem("nqn.2026-11.io.example:" + "ü".repeat(101)).contains("225"));
        assertTrue(Nqn.problem(null).contains("empty"));
    }

    @Test
    void shouldCheckSubsystems()
    {
        assertThrows(IllegalArgumentException.class, () -> SubsystemConfig.open("vol0"));
        assertThrows(IllegalArgumentException.class, () -> new Subsystem(SubsystemConfig.open(Nqn.DISCOVERY)));
        assertThrows(IllegalArgumentException.class,
            () -> new SubsystemConfig(NQN, false, Set.of("host"), "S", "M"));
        assertThrows(IllegalArgumentException.class,
            () -> new SubsystemConfig(NQN, false, Set.of(), "", "M"));
        assertThrows(IllegalArgumentException.class,
            () -> new SubsystemConfig(NQN, false, Set.of(), "x".repeat(21), "M"));
        assertThrows(IllegalArgumentException.class,
            () -> new SubsystemConfig(NQN, false, Set.of(), "S", "M\n"));
        assertEquals(20, SubsystemConfig.open(NQN).serialNumber().length());
        assertEquals(SubsystemConfig.open(NQN), SubsystemConfig.open(NQN));
    }

    @Test
    void shouldLeaveNothingInANameThatMovesTheCursorOfATerminal()
    {
        assertEquals("nqn.2026-11.io.example:ä ü", Nqn.printable("nqn.2026-11.io.example:ä ü"));
        assertEquals("a?b?c?d?e?f?g", Nqn.printable("a\nb\u001bc\u009bd\u202ee\u2028f\0g"));
    }

    @Test
    void shouldCheckLimits()
    {
        assertThrows(IllegalArgumentException.class, () -> new TargetConfig(0, 128, 1 << 20, 1));
        assertThrows(IllegalArgumentException.class, () -> new TargetConfig(129, 128, 1 << 20, 1));
        assertThrows(IllegalArgumentException.class, () -> new TargetConfig(1, 15, 1 << 20, 1));
        assertThrows(IllegalArgumentException.class, () -> new TargetConfig(1, 128, 5000, 1));
        assertThrows(IllegalArgumentException.class, () -> new TargetConfig(1, 128, 1 << 20, 0));
        assertThrows(IllegalArgumentException.class, () -> new ControllerIds(0, 10));
        assertThrows(IllegalArgumentException.class, () -> new ControllerIds(11, 10));
        assertThrows(IllegalArgumentException.class, () -> new ControllerIds(1, ControllerIds.ID_MAX + 1));
        assertThrows(IllegalArgumentException.class, () -> TransportAddress.tcp("x".repeat(257), 1));
        assertEquals("tcp://[::1]:4420", TransportAddress.tcp("::1", 4420).toString());
        assertEquals("tcp://127.0.0.1:4420", TransportAddress.tcp("127.0.0.1", 4420).toString());
        assertTrue(TransportAddress.tcp("::", 4420).isWildcard());
    }

    @Test
    void shouldFindTheSamePlaceHoweverItIsWritten()
    {
        final String[][] same = {{"::1", "0:0:0:0:0:0:0:1"}, {"2001:DB8::7", "2001:db8:0:0:0:0:0:7"}, {"::", "0::0"},
            {"127.0.0.1", "::ffff:127.0.0.1"}};
        for (final String[] each : same)
        {
            final TransportAddress canonical = TransportAddress.tcp(each[0], 4420).canonical();
            assertEquals(canonical, TransportAddress.tcp(each[1], 4420).canonical());
            assertEquals(canonical, canonical.canonical());
            assertEquals(canonical, TransportAddress.tcp(canonical.socketAddress()));
            assertEquals(4420, canonical.port());
            assertEquals(TransportAddress.tcp(each[0], 1).canonical(), canonical.withPort(1));
        }
        assertTrue(TransportAddress.tcp("0::0", 1).canonical().isWildcard());
        for (final String wrong : new String[]{"storage", "::g"})
        {
            assertEquals("address '" + TransportAddress.tcp(wrong, 1).hostAndPort() + "' is not numeric: write it as " +
                "192.0.2.1 or 2001:db8::1, with a port", assertThrows(IllegalArgumentException.class,
                    () -> TransportAddress.tcp(wrong, 1).canonical()).getMessage());
        }
    }
}
