package io.millrace.cli.control.view;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.millrace.control.message.HostInfo;
import io.millrace.control.message.QueuePairInfo;
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

    @Test
    void shouldShowByWhichDeviceAConnectionIs()
    {
        final QueuePairInfo rdma = new QueuePairInfo("nqn.a", "nqn.host", 1, 2, 0, 128, 3,
            "rdma://192.0.2.8:50000", "rdma://192.0.2.7:4420", "mlx5_0", 1, 3);
        final QueuePairInfo tcp = new QueuePairInfo("nqn.a", "nqn.host", 2, 0, 0, 32, 1,
            "tcp://192.0.2.8:50001", "tcp://192.0.2.7:4420", "", QueuePairInfo.UNKNOWN, QueuePairInfo.UNKNOWN);
        final List<String> lines = Views.CONNECTIONS.table(List.of(rdma, tcp)).lines();
        assertTrue(lines.get(0).endsWith("LOCAL                  DEVICE    GID"), lines.get(0));
        assertTrue(lines.get(1).endsWith("rdma://192.0.2.7:4420  mlx5_0/1    3"), lines.get(1));
        assertTrue(lines.get(2).endsWith("tcp://192.0.2.7:4420   -           -"), lines.get(2));
        final Map<String, Object> json = Views.CONNECTIONS.map(rdma);
        assertEquals(List.of("rdma://192.0.2.7:4420", "mlx5_0", 1, 3), List.of(json.get("local-address"),
            json.get("rdma-device"), json.get("rdma-port"), json.get("gid-index")));
        final Map<String, Object> ofTcp = Views.CONNECTIONS.map(tcp);
        assertTrue(ofTcp.containsKey("rdma-port") && null == ofTcp.get("rdma-port") && null == ofTcp.get("gid-index"));
    }
}
