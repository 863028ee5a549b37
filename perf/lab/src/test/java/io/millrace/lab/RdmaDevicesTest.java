package io.millrace.lab;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;

/** RDMA devices of the kernel, in software: what we read through verbs is what {@code ibv_devinfo} prints. */
@LabTest
final class RdmaDevicesTest
{
    private static LabResult result;
    private static Answers answers;

    @BeforeAll
    static void run() throws Exception
    {
        result = Lab.withJvms("rdma-devices").run(480, "rdma-devices.sh",
            GuestJvm.millrace().toArray());
        answers = new Answers(result);
    }

    private static Map<String, Object> device(final int index)
    {
        return Answers.objects(Answers.object(answers.json("devices")).get("devices")).get(index);
    }

    private static Map<String, Object> port(final int index)
    {
        return Answers.objects(device(index).get("ports")).getFirst();
    }

    @Test
    void shouldReadWhatTheDeviceReports()
    {
        result.assertStep("list");
        assertEquals(List.of("rxe0", "rxe1"), List.of(device(0).get("name"), device(1).get("name")));
        assertEquals(answers.value("fw_ver"), device(0).get("firmware"));
        assertEquals(answers.value("node_guid"), device(0).get("node-guid"));
        assertEquals(answers.value("sys_image_guid"), device(0).get("system-image-guid"));
        assertEquals(Long.decode(answers.value("vendor_id")), Answers.number(device(0), "vendor-id"));
        assertEquals("", device(0).get("pci-address"));
        final Map<String, Object> limits = Answers.object(device(0).get("limits"));
        for (final String name : List.of("max_qp", "max_qp_wr", "max_sge", "max_sge_rd", "max_cq", "max_cqe", "max_mr",
            "max_qp_rd_atom", "max_qp_init_rd_atom", "max_srq", "max_srq_wr"))
        {
            assertEquals(Long.parseLong(answers.value(name)), Answers.number(limits, name), name);
        }
        assertEquals("0x" + Long.toHexString(Long.parseUnsignedLong(limits.get("max_mr_size").toString())),
            answers.value("max_mr_size"));
    }

    @Test
    void shouldReadPortsAndTheirAddresses()
    {
        result.assertStep("list");
        final Map<String, Object> port = port(0);
        assertEquals(List.of("RoCE", "active", "link-up", "ethernet"), List.of(
            port.get("transport"), port.get("state"), port.get("physical-state"), port.get("link-layer")));
        assertEquals(Long.parseLong(answers.value("active_mtu")), Answers.number(port, "mtu-bytes"));
        assertEquals(Long.parseLong(answers.value("max_mtu")), Answers.number(port, "mtu-max-bytes"));
        assertEquals(Long.decode(answers.value("max_msg_sz")), Answers.number(port, "message-max-bytes"));
        final List<Map<String, Object>> gids = Answers.objects(port.get("gids"));
        assertEquals(3, gids.size());
        for (int i = 0; i < gids.size(); i++)
        {
            assertEquals("lab0", gids.get(i).get("interface"));
            assertEquals(answers.value("gid-" + i),
                gids.get(i).get("address") + "," + gids.get(i).get("type").toString().replace(" ", ""));
        }
        assertEquals(List.of("down", "disabled"), List.of(port(1).get("state"), port(1).get("physical-state")));
    }

    @Test
    void shouldChooseTheAddressThatReachesMost()
    {
        result.assertStep("list");
        final Map<String, Object> all = Answers.object(answers.json("devices"));
        final Map<String, Object> chosen = Answers.object(all.get("chosen"));
        final Map<String, Object> gid =
            Answers.objects(port(0).get("gids")).get((int)Answers.number(chosen, "gid-index"));
        assertEquals(List.of("rxe0", "::ffff:192.0.2.1"), List.of(chosen.get("device"), gid.get("address")));
        final List<Map<String, Object>> others = Answers.objects(all.get("rejected"));
        assertTrue(others.stream().anyMatch((each) -> each.get("name").toString().startsWith("rxe1") &&
            each.get("reason").toString().contains("the port is down, its link disabled")), others::toString);
        assertTrue(answers.value("chosen-rxe0-2").contains("rxe0"), () -> answers.value("chosen-rxe0-2"));
        assertTrue(answers.value("chosen-rxe1-auto").contains("nothing can be used"),
            () -> answers.value("chosen-rxe1-auto"));
        result.assertPassed();
    }
}
