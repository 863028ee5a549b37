package io.millrace.rdma;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.millrace.pci.PciAddress;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import org.junit.jupiter.api.Test;

class RdmaChoiceTest
{
    private static final RdmaSettings ANY_PORT =
        new RdmaSettings(RdmaSettings.AUTO, RdmaSettings.ANY, RdmaSettings.ANY);
    private static final RdmaGid LINK_LOCAL_V1 = gid(0, GidType.ROCE_V1, 0xFE80L << 48, 0x5054_00FF_FE12_3456L);
    private static final RdmaGid LINK_LOCAL_V2 = gid(1, GidType.ROCE_V2, 0xFE80L << 48, 0x5054_00FF_FE12_3456L);
    private static final RdmaGid IPV4_V1 = gid(2, GidType.ROCE_V1, 0, 0xFFFF_0A01_0001L);
    private static final RdmaGid IPV4_V2 = gid(3, GidType.ROCE_V2, 0, 0xFFFF_0A01_0001L);
    private static final RdmaGid IPV6_V2 = gid(4, GidType.ROCE_V2, 0x2001_0DB8L << 32, 1);

    static RdmaGid gid(final int index, final GidType type, final long high, final long low)
    {
        return new RdmaGid(index, type, high, low, "eth0");
    }

    private static RdmaPort port(
        final int number, final RdmaTransport transport, final PortState state, final int lanes, final RdmaGid... gids)
    {
        return new RdmaPort(number, transport, state,
            PortState.DOWN == state ? PhysicalState.DISABLED : PhysicalState.LINK_UP,
            RdmaTransport.INFINIBAND == transport ? LinkLayer.INFINIBAND : LinkLayer.ETHERNET, 0, 4096, 1024, lanes,
            25_000, 1L << 31, List.of(gids), List.of());
    }

    private static RdmaPort roce(final int number, final RdmaGid... gids)
    {
        return port(number, RdmaTransport.ROCE, PortState.ACTIVE, 4, gids);
    }

    private static RdmaDevice device(final String name, final boolean isAdapter, final RdmaPort... ports)
    {
        return new RdmaDevice(name, "/dev/infiniband/uverbs0", NodeType.CHANNEL_ADAPTER, "", 1, 1, 0, 0,
            isAdapter ? Optional.of(new PciAddress(0, 1, 0, 0)) : Optional.empty(), -1,
            new RdmaLimits(1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 0, 0), AtomicCapability.NONE,
            new OnDemandPaging(false, Set.of()), List.of(ports));
    }

    private static RdmaChoice choose(final RdmaSettings settings, final RdmaDevice... devices)
    {
        return RdmaChoice.of(settings, new RdmaDevices(List.of(devices), List.of()));
    }

    private static String reason(final RdmaChoice choice, final String name)
    {
        return choice.rejections().stream().filter((each) -> each.name().equals(name))
            .map(RdmaChoice.Rejection::reason).findFirst().orElseThrow(() -> new AssertionError(choice.toString()));
    }

    /** What a connection can be bound to. */
    @Test
    void shouldKnowTheAddressOfAGid()
    {
        assertEquals("10.1.0.1", IPV4_V2.ipAddress().orElseThrow().getHostAddress());
        assertEquals("10.1.0.1", IPV4_V1.ipAddress().orElseThrow().getHostAddress());
        assertEquals("2001:db8:0:0:0:0:0:1", IPV6_V2.ipAddress().orElseThrow().getHostAddress());
        assertTrue(LINK_LOCAL_V2.ipAddress().isEmpty());
        assertTrue(gid(0, GidType.IB, 0, 0xFFFF_0A01_0001L).ipAddress().isEmpty());
    }

    @Test
    void shouldTakeRoceVersion2OverIpv4AndSayWhyNotTheOthers()
    {
        final RdmaChoice choice = choose(RdmaSettings.DEFAULT,
            device("rxe0", false, roce(1, LINK_LOCAL_V1, LINK_LOCAL_V2, IPV4_V1, IPV4_V2, IPV6_V2)));

        assertEquals("rxe0 port 1 GID 3 (RoCE v2 ::ffff:10.1.0.1)", choice.chosen().orElseThrow().toString());
        assertEquals(List.of(
            new RdmaChoice.Rejection("rxe0 port 1 GID 4 (RoCE v2 2001:db8::1)",
                "RoCE v2 over IPv4 is preferred to RoCE v2 over IPv6"),
            new RdmaChoice.Rejection("rxe0 port 1 GID 1 (RoCE v2 fe80::5054:ff:fe12:3456)",
                "RoCE v2 over IPv4 is preferred to RoCE v2 over a link-local address"),
            new RdmaChoice.Rejection("rxe0 port 1 GID 0 (RoCE v1 fe80:0000:0000:0000:5054:00ff:fe12:3456)",
                "RoCE v2 over IPv4 is preferred to RoCE v1"),
            new RdmaChoice.Rejection("rxe0 port 1 GID 2 (RoCE v1 ::ffff:10.1.0.1)",
                "RoCE v2 over IPv4 is preferred to RoCE v1")), choice.rejections());
    }

    @Test
    void shouldTakeAnAdapterBeforeABetterAddressInSoftware()
    {
        final RdmaChoice choice = choose(RdmaSettings.DEFAULT,
            device("a", false, roce(1, IPV4_V2)), device("b", true, roce(1, LINK_LOCAL_V1)));

        assertEquals("b", choice.chosen().orElseThrow().device().name());
        assertEquals("an adapter is preferred to a software device",
            reason(choice, "a port 1 GID 3 (RoCE v2 ::ffff:10.1.0.1)"));
    }

    @Test
    void shouldTakeTheFasterPortThenTheFirstByName()
    {
        final RdmaPort slow = port(1, RdmaTransport.ROCE, PortState.ACTIVE, 1, IPV4_V2);
        final RdmaGid subnet = gid(0, GidType.IB, 0xFE80L << 48, 7);
        final RdmaPort infiniband = port(1, RdmaTransport.INFINIBAND, PortState.ACTIVE, 4, subnet);

        final RdmaChoice choice = choose(RdmaSettings.DEFAULT,
            device("c", true, infiniband), device("a", true, slow), device("b", true, infiniband));

        assertEquals("b", choice.chosen().orElseThrow().device().name());
        assertEquals("100 Gbit/s is preferred to 25 Gbit/s",
            reason(choice, "a port 1 GID 3 (RoCE v2 ::ffff:10.1.0.1)"));
        assertEquals("b is preferred to c",
            reason(choice, "c port 1 GID 0 (IB fe80:0000:0000:0000:0000:0000:0000:0007)"));
    }

    @Test
    void shouldTakeTheLowerPortAndTheLowerGidWhenAllElseIsEqual()
    {
        final RdmaGid second = gid(9, GidType.ROCE_V2, 0, 0xFFFF_0A01_0002L);

        final RdmaChoice choice = choose(ANY_PORT, device("a", true, roce(2, second, IPV4_V2), roce(1, second)));

        assertEquals("a port 1 GID 9 (RoCE v2 ::ffff:10.1.0.2)", choice.chosen().orElseThrow().toString());
        assertEquals("port 1 is preferred to port 2", reason(choice, "a port 2 GID 3 (RoCE v2 ::ffff:10.1.0.1)"));
        assertEquals(3, choose(new RdmaSettings("a", 2, RdmaSettings.ANY),
            device("a", true, roce(2, second, IPV4_V2))).chosen().orElseThrow().gid().index());
    }

    @Test
    void shouldNotDependOnTheOrderOfDevices()
    {
        final List<RdmaDevice> devices = new ArrayList<>(List.of(device("a", false, roce(1, LINK_LOCAL_V2)),
            device("b", true, roce(1, IPV4_V1)), device("c", true, roce(1, IPV6_V2))));
        final RdmaChoice choice = RdmaChoice.of(RdmaSettings.DEFAULT, new RdmaDevices(devices, List.of()));
        Collections.reverse(devices);
        assertEquals(choice, RdmaChoice.of(RdmaSettings.DEFAULT, new RdmaDevices(devices, List.of())));
        assertEquals("c", choice.chosen().orElseThrow().device().name());
    }

    @Test
    void shouldTakeWhatIsSetOnly()
    {
        final RdmaDevice a = device("a", true, roce(1, LINK_LOCAL_V1, IPV4_V2), roce(2, IPV4_V2));
        final RdmaDevice b = device("b", true, roce(1, IPV4_V2));

        final RdmaChoice choice = choose(new RdmaSettings("a", 1, 0), a, b);

        assertEquals(LINK_LOCAL_V1, choice.chosen().orElseThrow().gid());
        assertEquals("excluded by device a", reason(choice, "b"));
        assertEquals("excluded by port 1", reason(choice, "a port 2"));
        assertEquals("excluded by gid-index 0", reason(choice, "a port 1 GID 3 (RoCE v2 ::ffff:10.1.0.1)"));
    }

    /** The route to a peer decides where a port alone is set: it is 1 where nobody has set it. */
    @Test
    void shouldConnectFromTheAddressOfWhatIsSetOnly()
    {
        final RdmaDevice device = device("a", true, roce(1, LINK_LOCAL_V1, IPV4_V2));
        for (final RdmaSettings leaving : List.of(RdmaSettings.DEFAULT, ANY_PORT))
        {
            assertTrue(choose(leaving, device).chosen().isPresent());
            assertEquals(Optional.empty(), choose(leaving, device).source(leaving));
        }
        for (final RdmaSettings choosing : List.of(new RdmaSettings("a", RdmaSettings.ANY, RdmaSettings.ANY),
            new RdmaSettings(RdmaSettings.AUTO, RdmaSettings.ANY, 3)))
        {
            assertEquals(IPV4_V2.ipAddress(), choose(choosing, device).source(choosing));
        }
        final RdmaSettings linkLocal = new RdmaSettings("a", 1, 0);
        assertEquals(Optional.empty(), choose(linkLocal, device).source(linkLocal));
        final RdmaSettings other = new RdmaSettings("b", 1, RdmaSettings.ANY);
        assertEquals(Optional.empty(), choose(other, device).source(other));
    }

    @Test
    void shouldLeaveOutPortsThatCannotBeUsedAndSayWhatToCheck()
    {
        final RdmaGid subnet = gid(0, GidType.IB, 0xFE80L << 48, 7);
        final RdmaChoice choice = RdmaChoice.of(ANY_PORT, new RdmaDevices(List.of(
            device("a", true, port(1, RdmaTransport.ROCE, PortState.DOWN, 4, IPV4_V2)),
            device("b", true, port(1, RdmaTransport.INFINIBAND, PortState.INIT, 4, subnet)),
            device("c", true, port(1, RdmaTransport.OTHER, PortState.ACTIVE, 4, IPV4_V2)),
            device("d", true, roce(1))),
            List.of(new RdmaDevices.Unusable("e", "may not be opened"))));

        assertTrue(choice.chosen().isEmpty());
        assertEquals("the port is down, its link disabled: check the cable, and set its network interface up: " +
            "ip link set eth0 up", reason(choice, "a port 1"));
        assertEquals("the port is init, its link up: start a subnet manager, such as opensm",
            reason(choice, "b port 1"));
        assertEquals("its transport has no reliable connections", reason(choice, "c port 1"));
        assertEquals("the port has no GID: give its network interface an address", reason(choice, "d port 1"));
        assertEquals("may not be opened", reason(choice, "e"));
        final String message = assertThrows(RdmaException.class, () -> choice.require(ANY_PORT)).getMessage();
        assertTrue(message.startsWith("no RDMA port for device auto, port auto, gid-index auto; "), message);
        assertTrue(message.contains("; e: may not be opened"), message);
    }

    @Test
    void shouldSayThatThereIsNoDeviceWhenThereIsNone()
    {
        assertEquals("no RDMA port for device auto, port 1, gid-index auto: there is no device; load the driver of " +
            "the adapter, or rdma_rxe for a software device",
            assertThrows(RdmaException.class,
                () -> choose(RdmaSettings.DEFAULT).require(RdmaSettings.DEFAULT)).getMessage());
    }

    /** GIDs of InfiniBand and iWARP are no addresses by which theirs would be found. */
    @Test
    void shouldAllowADeviceWhoseGidIsNotKnown()
    {
        final RdmaSettings settings = new RdmaSettings("a", 1, 3);
        assertTrue(settings.allows("a", 1, 3));
        assertTrue(settings.allows("a", 1, -1));
        assertFalse(settings.allows("a", 1, 0));
        assertFalse(settings.allows("b", 1, -1));
        assertFalse(settings.allows("a", 2, -1));
    }

    @Test
    void shouldRefuseSettingsOutOfBounds()
    {
        assertEquals("port is 0: it must be auto or 1 to 255",
            assertThrows(RdmaException.class, () -> new RdmaSettings("a", 0, 0)).getMessage());
        assertThrows(RdmaException.class, () -> new RdmaSettings("a", 256, 0));
        assertEquals("gid-index is -2: it must be auto or 0 and above",
            assertThrows(RdmaException.class, () -> new RdmaSettings("a", 1, -2)).getMessage());
        assertThrows(RdmaException.class, () -> new RdmaSettings("", 1, 0));
    }
}
