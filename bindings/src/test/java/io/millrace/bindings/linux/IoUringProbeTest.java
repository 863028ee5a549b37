package io.millrace.bindings.linux;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.millrace.bindings.Capability;
import io.millrace.bindings.Errno;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class IoUringProbeTest
{
    @Test
    void shouldSayWhatItOffersWhenRingsCanBeMade()
    {
        final IoUringProbe probe = IoUringProbe.run();

        final List<Capability> all = probe.capabilities();
        assertEquals(probe.ring(), all.getFirst());
        assertEquals(probe.ring().isAvailable(), all.size() > 1, all::toString);
        assertEquals(probe.ring().isAvailable(), probe.knows(IoUring.IORING_OP_NOP), all::toString);
        assertEquals(probe.ring().isAvailable(), probe.accepts(IoUring.IORING_SETUP_CLAMP), all::toString);
        assertEquals(probe.ring().isAvailable(), 0 != (probe.features() & IoUring.IORING_FEAT_NODROP), all::toString);
        assertFalse(probe.knows(255), "no kernel has so many operations");
        assertFalse(probe.accepts(1 << 30), "no kernel has so many flags");
        assertFalse(probe.accepts(IoUring.IORING_SETUP_DEFER_TASKRUN), "needs a single issuer");
    }

    @ParameterizedTest
    @CsvSource(delimiter = '|', nullValues = "-", value = {
        "1  | 2 | kernel.io_uring_disabled is 2          | sysctl -w kernel.io_uring_disabled=0",
        "1  | 1 | kernel.io_uring_disabled is 1          | kernel.io_uring_group",
        "1  | 0 | a seccomp filter or security module    | profile of the container",
        "13 | 0 | a seccomp filter or security module    | profile of the container",
        "38 | - | the kernel or a seccomp filter does not | CONFIG_IO_URING",
        "12 | 0 | Cannot allocate memory (errno 12)      | ulimit -l",
        "24 | 0 | Too many open files (errno 24)         | ulimit -n",
        "22 | 0 | Invalid argument (errno 22)            | io_uring_setup(2)"})
    void shouldSayWhyAndWhatToDoWhenRefused(
        final int errno, final String disabled, final String reason, final String remedy)
    {
        final Capability capability = IoUringProbe.refused(errno, null == disabled ? "" : disabled);

        assertFalse(capability.isAvailable());
        assertTrue(capability.reason().contains(reason), capability::toString);
        assertTrue(capability.reason().startsWith("io_uring_setup: " + Errno.describe(errno)), capability::toString);
        assertTrue(capability.remedy().contains(remedy), capability::toString);
    }
}
