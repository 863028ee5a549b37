package io.millrace.bindings;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertThrows;

import org.junit.jupiter.api.Test;

class ArchitectureTest
{
    @Test
    void shouldKnowEveryNameOfX8664()
    {
        assertSame(Architecture.X86_64, Architecture.of("amd64"));
        assertSame(Architecture.X86_64, Architecture.of("x86_64"));
    }

    @Test
    void shouldKnowAarch64()
    {
        assertSame(Architecture.AARCH64, Architecture.of("aarch64"));
    }

    @Test
    void shouldNameItWhenProcessorIsAnother()
    {
        final UnsupportedOperationException thrown =
            assertThrows(UnsupportedOperationException.class, () -> Architecture.of("riscv64"));

        assertEquals("os.arch is riscv64: must be amd64 or aarch64, no other layouts of kernel structures are known",
            thrown.getMessage());
    }
}
