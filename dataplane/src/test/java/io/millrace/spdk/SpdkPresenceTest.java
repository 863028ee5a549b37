package io.millrace.spdk;

import static io.millrace.testing.Requirement.require;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.millrace.bindings.Capability;
import org.junit.jupiter.api.Test;

/**
 * Stands for all tests tagged {@code spdk}, which run where the environment names the library.
 */
class SpdkPresenceTest
{
    @Test
    void shouldFindSpdk()
    {
        require(null != System.getenv("MILLRACE_SPDK_LIBRARY"),
            "MILLRACE_SPDK_LIBRARY is not set, so no test tagged spdk runs",
            "install SPDK, make -C native/spdk SPDK_DIR=PREFIX, and set it to native/spdk/target/libmillrace_spdk.so");
        final Capability capability = SpdkRuntime.capability();
        assertTrue(capability.isAvailable(), capability::toString);
    }
}
