package io.millrace.nvmf;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.millrace.block.BlockDevice;
import io.millrace.block.BlockDeviceException;
import io.millrace.block.BlockGeometry;
import io.millrace.block.BlockStatus;
import io.millrace.block.OpenListener;
import io.millrace.block.ReactorContext;
import io.millrace.nvme.IoOpcode;
import io.millrace.nvme.NvmeStatus;
import io.millrace.nvmf.config.SubsystemConfig;
import io.millrace.nvmf.namespace.Namespace;
import java.util.List;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

class NamespacesTest
{
    private final ManualDevice device = ManualDevice.create(4);
    private final TestTarget target = new TestTarget(2);

    @AfterEach
    void close()
    {
        target.close();
    }

    private static Completion flush(final TestHost host, final int nsid)
    {
        return host.execute((entry) -> entry.opcode(IoOpcode.FLUSH).namespaceId(nsid));
    }

    @Test
    void shouldServeANamespaceThatIsAddedWhileHostsAreConnected()
    {
        final TestHost host = target.io();
        assertEquals(NvmeStatus.INVALID_NAMESPACE, flush(host, 2).code());
        device.automatic(BlockStatus.SUCCESS);
        target.subsystem().addNamespace(new Namespace(2, device, UUID.randomUUID()));
        assertEquals(NvmeStatus.SUCCESS, flush(host, 2).status());
    }

    @Test
    void shouldLetGoOfADeviceWhenItsNamespaceIsRemoved()
    {
        target.subsystem().addNamespace(new Namespace(2, device, UUID.randomUUID()));
        target.subsystem().addNamespace(new Namespace(3, device, UUID.randomUUID()));
        final TestHost host = target.io();
        assertEquals(1, target.reactor(0).call(device::openChannels));
        final CompletableFuture<Completion> flush = host.submit((entry) ->
            entry.opcode(IoOpcode.FLUSH).namespaceId(2));
        final CompletableFuture<Void> removed = target.subsystem().removeNamespace(2);
        assertEquals(NvmeStatus.INVALID_NAMESPACE, flush(host, 2).code());
        assertFalse(removed.isDone());
        target.reactor(0).run(() -> device.completeFirst(BlockStatus.SUCCESS));
        assertEquals(NvmeStatus.SUCCESS, TestHost.await(flush).status());
        removed.orTimeout(10, TimeUnit.SECONDS).join();
        assertEquals(1, target.reactor(0).call(device::openChannels));
        target.subsystem().removeNamespace(3).orTimeout(10, TimeUnit.SECONDS).join();
        assertEquals(0, target.reactor(0).call(device::openChannels));
        assertTrue(target.subsystem().removeNamespace(3).isDone());
    }

    @Test
    void shouldCloseEveryDeviceWhenTheSubsystemIsRemoved()
    {
        target.subsystem().addNamespace(new Namespace(2, device, UUID.randomUUID()));
        final TestHost host = target.io();
        host.submit((entry) -> entry.opcode(IoOpcode.FLUSH).namespaceId(2));
        final CompletableFuture<Boolean> removed = target.target().removeSubsystem(TestTarget.NQN);
        TestTarget.await("disconnect", () -> null != host.disconnectReason());
        assertFalse(removed.isDone());
        target.reactor(0).run(() -> device.completeFirst(BlockStatus.SUCCESS));
        assertTrue(removed.orTimeout(10, TimeUnit.SECONDS).join());
        assertEquals(0, target.reactor(0).call(device::openChannels));
        // It may be served again.
        target.target().addSubsystem(target.subsystem());
        device.automatic(BlockStatus.SUCCESS);
        assertEquals(NvmeStatus.SUCCESS, flush(target.io(), 2).status());
    }

    @Test
    void shouldRefuseNamespacesThatCannotBe()
    {
        final BlockDevice memory = target.subsystem().namespace(1).device();
        assertThrows(IllegalArgumentException.class,
            () -> target.subsystem().addNamespace(new Namespace(1, memory, UUID.randomUUID())));
        assertThrows(IllegalArgumentException.class, () -> new Namespace(0, memory, UUID.randomUUID()));
        assertThrows(IllegalArgumentException.class,
            () -> new Namespace(Namespace.NSID_MAX + 1, memory, UUID.randomUUID()));
        final ManualDevice small = new ManualDevice(
            BlockGeometry.builder(512, 8)
                .maxTransferBytes(1 << 16)
                .supportsWriteZeroes(true)
                .supportsVerify(true)
                .supportsDeallocate(true)
                .deallocatedReadsZero(true)
                .build(), 1);
        final IllegalArgumentException refused = assertThrows(IllegalArgumentException.class,
            () -> target.subsystem().addNamespace(new Namespace(2, small, UUID.randomUUID())));
        assertTrue(refused.getMessage().contains("65536"), refused.getMessage());
        final Subsystem other = new Subsystem(SubsystemConfig.open("nqn.2026-11.io.millrace:other"));
        other.addNamespace(new Namespace(1, small, UUID.randomUUID()));
        assertThrows(IllegalArgumentException.class, () -> target.target().addSubsystem(other));
        assertThrows(IllegalArgumentException.class, () -> target.target().addSubsystem(target.subsystem()));
        assertThrows(IllegalArgumentException.class, () -> target.target().addListener(TestTarget.LOCAL));
    }

    @Test
    void shouldKeepIdentitiesAndTellThemApart()
    {
        final BlockDevice memory = target.subsystem().namespace(1).device();
        assertEquals(Namespace.of("nqn.2026-11.a:b", 1, memory), Namespace.of("nqn.2026-11.a:b", 1, memory));
        assertNotEquals(Namespace.of("nqn.2026-11.a:b", 1, memory).uuid(),
            Namespace.of("nqn.2026-11.a:b", 2, memory).uuid());
        assertNotEquals(Namespace.of("nqn.2026-11.a:b", 1, memory).uuid(),
            Namespace.of("nqn.2026-11.a:c", 1, memory).uuid());
    }

    @Test
    void shouldSayNotReadyWhenADeviceCannotBeOpened()
    {
        target.subsystem().addNamespace(new Namespace(2, new BrokenDevice(), UUID.randomUUID()));
        final TestHost host = target.io();
        final Completion refused = flush(host, 2);
        assertEquals(NvmeStatus.NAMESPACE_NOT_READY, refused.status());
        assertTrue(refused.isRetryable());
        assertTrue(target.log().stream().anyMatch((line) -> line.contains("no way in")), target.log().toString());
        assertEquals(NvmeStatus.SUCCESS, flush(host, 1).status());
        assertEquals(NvmeStatus.SUCCESS, flush(host, Namespace.NSID_ALL).status());
    }

    @Test
    void shouldRefuseWritesToADeviceThatIsReadOnly()
    {
        final ManualDevice readOnly = new ManualDevice(
            BlockGeometry.builder(512, 8)
                .supportsWriteZeroes(true)
                .supportsVerify(true)
                .supportsDeallocate(true)
                .deallocatedReadsZero(true)
                .readOnly(true)
                .build(), 1);
        target.subsystem().addNamespace(new Namespace(2, readOnly, UUID.randomUUID()));
        final TestHost host = target.io();
        final int expected = NvmeStatus.NAMESPACE_WRITE_PROTECTED | NvmeStatus.DO_NOT_RETRY;
        assertEquals(expected, host.execute((entry) ->
            entry.opcode(IoOpcode.WRITE).namespaceId(2), new byte[512], true).status());
        assertEquals(expected, host.execute((entry) ->
            entry.opcode(IoOpcode.WRITE_ZEROES).namespaceId(2)).status());
        assertEquals(expected, host.execute((entry) ->
            entry.opcode(IoOpcode.DATASET_MANAGEMENT).namespaceId(2).cdw11(4), new byte[16], true).status());
        assertTrue(readOnly.asked().isEmpty());
    }

    @Test
    void shouldEmulateWhatTheDeviceDoesNotDo()
    {
        final ManualDevice plain = new ManualDevice(
            BlockGeometry.builder(512, 1024).build(), 1);
        plain.automatic(BlockStatus.SUCCESS);
        target.subsystem().addNamespace(new Namespace(2, plain, UUID.randomUUID()));
        final TestHost host = target.io();
        assertEquals(NvmeStatus.SUCCESS, host.execute((entry) ->
            entry.opcode(IoOpcode.WRITE_ZEROES).namespaceId(2).startingLba(3).cdw12(1 << 30 | 299)).status());
        assertEquals(NvmeStatus.SUCCESS, host.execute((entry) ->
            entry.opcode(IoOpcode.VERIFY).namespaceId(2).startingLba(3).cdw12(1)).status());
        assertEquals(List.of("WRITE 3+256 FUA", "WRITE 259+44 FUA", "READ 3+2"), plain.asked());
        plain.automatic(BlockStatus.MEDIA_ERROR);
        assertEquals(NvmeStatus.WRITE_FAULT | NvmeStatus.DO_NOT_RETRY, host.execute((entry) ->
            entry.opcode(IoOpcode.WRITE_ZEROES).namespaceId(2)).status());
        assertEquals(NvmeStatus.UNRECOVERED_READ_ERROR | NvmeStatus.DO_NOT_RETRY, host.execute((entry) ->
            entry.opcode(IoOpcode.VERIFY).namespaceId(2)).status());
    }

    @Test
    void shouldIgnoreDeallocationThatTheDeviceCannotDo()
    {
        final ManualDevice plain = new ManualDevice(
            BlockGeometry.builder(512, 8).build(), 1);
        target.subsystem().addNamespace(new Namespace(2, plain, UUID.randomUUID()));
        final byte[] ranges = new byte[16];
        ranges[4] = 1;
        assertEquals(NvmeStatus.SUCCESS, target.io().execute((entry) ->
            entry.opcode(IoOpcode.DATASET_MANAGEMENT).namespaceId(2).cdw11(4), ranges, true).status());
        assertTrue(plain.asked().isEmpty());
    }

    @Test
    void shouldPassVerifyOnWhereTheDeviceDoesIt()
    {
        final ManualDevice able = ManualDevice.create(1);
        target.subsystem().addNamespace(new Namespace(3, able, UUID.randomUUID()));
        final TestHost host = target.io();
        able.automatic(BlockStatus.SUCCESS);
        assertEquals(NvmeStatus.SUCCESS, host.execute((entry) ->
            entry.opcode(IoOpcode.VERIFY).namespaceId(3).startingLba(5).cdw12(1 << 30 | 0xFFFF)).status());
        able.automatic(BlockStatus.MEDIA_ERROR);
        assertEquals(NvmeStatus.UNRECOVERED_READ_ERROR | NvmeStatus.DO_NOT_RETRY, host.execute((entry) ->
            entry.opcode(IoOpcode.VERIFY).namespaceId(3)).status());
        assertEquals(List.of("VERIFY 5+65536 FUA", "VERIFY 0+1"), able.asked());
    }

    /** A device that no reactor can open. */
    private static final class BrokenDevice implements BlockDevice
    {
        @Override
        public String name()
        {
            return "broken";
        }

        @Override
        public BlockGeometry geometry()
        {
            return BlockGeometry.builder(512, 8)
                .supportsWriteZeroes(true)
                .supportsVerify(true)
                .supportsDeallocate(true)
                .deallocatedReadsZero(true)
                .build();
        }

        @Override
        public void open(final ReactorContext context, final OpenListener listener)
        {
            listener.onOpenFailed(new BlockDeviceException("no way in"));
        }

        @Override
        public void close()
        {
        }
    }
}
