package io.millrace.cli.local.doctor;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.millrace.bindings.Capability;
import io.millrace.console.Terminal;
import java.util.List;
import org.junit.jupiter.api.Test;

class DoctorCommandTest
{
    private static final Finding OFF = new Finding("GPU", Capability.off("cuFile",
        "libcufile.so.0: cannot open shared object file: No such file or directory",
        "install libcufile of the CUDA toolkit, or leave it"), "not part of this build");

    @Test
    void shouldFitANarrowTerminal()
    {
        assertEquals(List.of(
            "  off  cuFile                      libcufile.so.0: cannot open shared object",
            "                                   file: No such file or directory",
            "                                   for: not part of this build",
            "                                   do:  install libcufile of the CUDA toolkit,",
            "                                        or leave it"),
            DoctorCommand.lines(new Terminal(System.out, true, false), OFF));
    }

    @Test
    void shouldKeepLinesWholeWhenPiped()
    {
        final List<String> lines = DoctorCommand.lines(new Terminal(System.out, false, false), OFF);
        assertEquals(3, lines.size());
        assertTrue(lines.get(0).endsWith("No such file or directory"), lines.toString());
    }

    @Test
    void shouldNotBreakWords()
    {
        assertEquals(List.of("a/very/long/path", "b c", "d"), DoctorCommand.wrap("a/very/long/path b c d", 3));
        assertEquals(List.of("abcdef"), DoctorCommand.wrap("abcdef", 3));
        assertEquals(List.of(""), DoctorCommand.wrap("", 3));
    }
}
