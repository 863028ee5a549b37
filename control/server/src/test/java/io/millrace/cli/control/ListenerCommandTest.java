package io.millrace.cli.control;

import static org.junit.jupiter.api.Assertions.assertEquals;

import io.millrace.control.message.SubsystemInfo;
import java.util.List;
import org.junit.jupiter.api.Test;

class ListenerCommandTest
{
    private static SubsystemInfo subsystem(final String nqn, final boolean allowAnyHost)
    {
        return new SubsystemInfo(nqn, allowAnyHost, 1, 0, "serial", "model");
    }

    @Test
    void shouldNameSubsystemsWithoutASocket()
    {
        assertEquals("", ListenerCommand.withoutSocket(List.of()));
        assertEquals("", ListenerCommand.withoutSocket(List.of(subsystem("nqn.a", true))));
        assertEquals("; no socket yet for nqn.b, nqn.c: set allow-any-host first " +
            "('millrace subsystem allow-any NQN')",
            ListenerCommand.withoutSocket(List.of(
                subsystem("nqn.a", true), subsystem("nqn.b", false), subsystem("nqn.c", false))));
    }
}
