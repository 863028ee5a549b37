package io.millrace.rdma;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.millrace.bindings.Errno;
import io.millrace.bindings.NativeMemory;
import io.millrace.bindings.verbs.PortAttributes;
import io.millrace.bindings.verbs.Verbs;
import io.millrace.bindings.verbs.VerbsCalls;
import io.millrace.pci.PciAddress;
import io.millrace.pci.Sysfs;
import io.millrace.testing.Requirement;
import java.lang.foreign.Arena;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.EnumSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/**
 * What is read of devices; the emulated machine has a real one.
 */
class RdmaScanTest
{
    private static final int STATE = 0;
    private static final int MAX_MTU = 4;
    private static final int ACTIVE_MTU = 8;
    private static final int MAX_MESSAGE = 20;
    private static final int LID = 34;
    private static final int ACTIVE_WIDTH = 43;
    private static final int ACTIVE_SPEED = 44;
    private static final int PHYS_STATE = 45;
    private static final int LINK_LAYER = 46;

    @Test
    void shouldReadAPortOfInfiniband()
    {
        try (Arena arena = Arena.ofConfined())
        {
            final long address = arena.allocate(PortAttributes.SIZE_BYTES, Long.BYTES).address();
            NativeMemory.putInt(address + STATE, 4);
            NativeMemory.putInt(address + MAX_MTU, 5);
            NativeMemory.putInt(address + ACTIVE_MTU, 4);
            NativeMemory.putInt(address + MAX_MESSAGE, 0x8000_0000);
            NativeMemory.putShort(address + LID, (short)0xC001);
            NativeMemory.putByte(address + ACTIVE_WIDTH, (byte)2);
            NativeMemory.putByte(address + ACTIVE_SPEED, (byte)128);
            NativeMemory.putByte(address + PHYS_STATE, (byte)5);
            NativeMemory.putByte(address + LINK_LAYER, (byte)1);

            final RdmaPort port = RdmaScan.port(2, Verbs.IBV_TRANSPORT_IB, address, List.of(), List.of());

            assertEquals(new RdmaPort(2, RdmaTransport.INFINIBAND, PortState.ACTIVE, PhysicalState.LINK_UP,
                LinkLayer.INFINIBAND, 0xC001, 4096, 2048, 4, 100_000, 0x8000_0000L, List.of(), List.of()), port);
            assertEquals(400.0, port.gigabitsPerSecond());
            assertTrue(port.isActive());
        }
    }

    /** Width and speed as verbs number them, and what sysfs has in rate. */
    @ParameterizedTest
    @CsvSource({
        "1, 1, 2.5", "2, 2, 20", "2, 4, 40", "2, 8, 40", "2, 16, 56", "2, 32, 100", "2, 64, 200", "2, 128, 400",
        "4, 32, 200", "8, 16, 168", "16, 64, 100", "0, 32, 0", "3, 1, 0", "1, 3, 0", "1, 0, 0"})
    void shouldKnowTheRateOfALink(final int width, final int speed, final double gigabits)
    {
        assertEquals(gigabits, (double)LinkRate.lanes(width) * LinkRate.laneMegabits(speed) / 1_000);
    }

    @ParameterizedTest
    @CsvSource({"0, 0", "1, 256", "2, 512", "3, 1024", "4, 2048", "5, 4096", "6, 0", "-1, 0"})
    void shouldKnowTheMtu(final int number, final int bytes)
    {
        assertEquals(bytes, LinkRate.mtuBytes(number));
    }

    @Test
    void shouldTellTransportsApart()
    {
        assertEquals(RdmaTransport.ROCE, RdmaTransport.of(Verbs.IBV_TRANSPORT_IB, Verbs.IBV_LINK_LAYER_ETHERNET));
        assertEquals(RdmaTransport.INFINIBAND, RdmaTransport.of(Verbs.IBV_TRANSPORT_IB, 0));
        assertEquals(RdmaTransport.IWARP, RdmaTransport.of(Verbs.IBV_TRANSPORT_IWARP, Verbs.IBV_LINK_LAYER_ETHERNET));
        assertEquals(RdmaTransport.OTHER, RdmaTransport.of(-1, Verbs.IBV_LINK_LAYER_ETHERNET));
    }

    @Test
    void shouldTakeNumbersOfLaterVersionsAsNotKnown()
    {
        assertEquals(PortState.NOP, PortState.of(6));
        assertEquals(PortState.NOP, PortState.of(-1));
        assertEquals(PhysicalState.UNKNOWN, PhysicalState.of(8));
        assertEquals(LinkLayer.UNSPECIFIED, LinkLayer.of(3));
        assertEquals(NodeType.OTHER, NodeType.of(-1));
        assertEquals(AtomicCapability.NONE, AtomicCapability.of(9));
    }

    @Test
    void shouldReadOnDemandPaging()
    {
        assertEquals(new OnDemandPaging(false, Set.of()), OnDemandPaging.of(0, -1));
        assertEquals(new OnDemandPaging(true,
            EnumSet.of(OnDemandPaging.Operation.SEND, OnDemandPaging.Operation.READ)), OnDemandPaging.of(3, 0b1001));
    }

    @Test
    void shouldFindTheAdapterAndNoneForADeviceInSoftware(@TempDir final Path root) throws Exception
    {
        final Path devices = Files.createDirectories(root.resolve("sys/class/infiniband"));
        final Path adapter = Files.createDirectories(root.resolve("sys/devices/pci0000:00/0000:81:00.1"));
        Files.createSymbolicLink(Files.createDirectories(devices.resolve("mlx5_1")).resolve("device"), adapter);
        Files.createDirectories(devices.resolve("rxe0"));

        assertEquals(Optional.of(new PciAddress(0, 0x81, 0, 1)), RdmaScan.pciAddress(new Sysfs(root), "mlx5_1"));
        assertEquals(Optional.empty(), RdmaScan.pciAddress(new Sysfs(root), "rxe0"));
    }

    @Test
    void shouldSayWhatToCheckWhenADeviceCannotBeOpened()
    {
        final String file = "/dev/infiniband/uverbs0";
        assertEquals(file + " cannot be opened (Permission denied (errno 13)): allow this user to read and write it, " +
            "as root: chmod 0666 " + file + ", or a udev rule (rdma-core has one)",
            RdmaScan.notOpened(file, Errno.EACCES));
        for (final int errno : new int[]{Errno.EPERM, Errno.ENOENT, Errno.ENOMEM, Errno.EMFILE, Errno.EIO})
        {
            assertFalse(RdmaScan.notOpened(file, errno).endsWith(": "));
        }
    }

    @Test
    void shouldTakeADeviceForForbiddenThatSeemsToBeMissingAndIsThere()
    {
        assertEquals(Errno.EACCES, RdmaScan.cause(Errno.ENOENT, true));
        assertEquals(Errno.ENOENT, RdmaScan.cause(Errno.ENOENT, false));
        assertEquals(Errno.EMFILE, RdmaScan.cause(Errno.EMFILE, true));
    }

    @Test
    void shouldReadTheDevicesOfThisMachineWhateverTheyAre()
    {
        Requirement.require(VerbsCalls.capability().isAvailable(), VerbsCalls.capability().reason(),
            VerbsCalls.capability().remedy());
        final RdmaDevices devices = RdmaScan.run();
        assertEquals(new Sysfs(Path.of("/")).list("/sys/class/infiniband").size(),
            devices.usable().size() + devices.unusable().size(), devices::toString);
    }
}
