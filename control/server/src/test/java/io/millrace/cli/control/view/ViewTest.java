package io.millrace.cli.control.view;

import static org.junit.jupiter.api.Assertions.assertEquals;

import io.millrace.control.message.HostInfo;
import java.util.IdentityHashMap;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

class ViewTest
{
    /** Two data planes may have records that are equal. */
    @Test
    void shouldShowWhichDataPlaneARecordIsOf()
    {
        final HostInfo first = new HostInfo("nqn.a", "nqn.host");
        final HostInfo second = new HostInfo("nqn.a", "nqn.host");
        final Map<HostInfo, String> dataPlanes = new IdentityHashMap<>(Map.of(first, "dp0"));
        dataPlanes.put(second, "dp1");
        final View<HostInfo> view = Views.HOSTS.withDataPlane(dataPlanes);
        assertEquals(List.of("DATA PLANE  SUBSYSTEM  HOST", "dp0         nqn.a      nqn.host",
            "dp1         nqn.a      nqn.host"), view.table(List.of(first, second)).lines());
        assertEquals(Map.of("data-plane", "dp1", "subsystem", "nqn.a", "host", "nqn.host"), view.map(second));
    }
}
