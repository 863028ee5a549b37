package io.millrace.block.spdk;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.millrace.bindings.Errno;
import io.millrace.bindings.spdk.SpdkEnvironment;
import io.millrace.block.BackgroundWork;
import io.millrace.block.BlockDeviceException;
import io.millrace.block.BlockOperation;
import io.millrace.block.BlockStatus;
import io.millrace.block.DeviceHealth;
import io.millrace.block.DeviceServices;
import io.millrace.block.FailureCause;
import io.millrace.block.Initiator;
import io.millrace.memory.DmaMemory;
import io.millrace.memory.MemoryRegistry;
import io.millrace.spdk.SpdkConfig;
import io.millrace.spdk.SpdkException;
import io.millrace.spdk.SpdkRuntime;
import io.millrace.spdk.SpdkTesting;
import io.millrace.testing.Requirement;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * Bdevs that fail, go away, grow, or cannot be used.
 */
@Tag("spdk")
class SpdkDeviceTest
{
    private static final int BLOCK = 4096;
    private static final long PATIENCE_S = 30;

    @TempDir
    private Path directory;

    private final List<Runnable> undoing = new ArrayList<>();
    private DmaMemory memory;

    @BeforeEach
    void map()
    {
        memory = DmaMemory.map(16 << 20);
    }

    @AfterEach
    void undo()
    {
        undoing.reversed().forEach(Runnable::run);
        memory.close();
    }

    private String malloc(final long blocks)
    {
        final String name = SpdkTesting.name("Malloc");
        SpdkTesting.rpc("bdev_malloc_create",
            "{'name':'" + name + "','num_blocks':" + blocks + ",'block_size':" + BLOCK + "}");
        undoing.add(() -> SpdkTesting.rpc("bdev_malloc_delete", "{'name':'" + name + "'}"));
        return name;
    }

    private static SpdkDevice open(final String bdev)
    {
        return SpdkDevice.open("vol0", bdev, SpdkTesting.runtime());
    }

    private static void assertRefused(final String bdev, final String... parts)
    {
        final BlockDeviceException e = assertThrows(BlockDeviceException.class, () -> open(bdev));
        for (final String part : parts)
        {
            assertTrue(e.getMessage().contains(part), e::getMessage);
        }
    }

    @Test
    void shouldRefuseABdevThatDoesNotExist()
    {
        assertRefused("NoSuch0", "device vol0", "bdev NoSuch0", "is not a bdev of SPDK", "millrace spdk rpc");
    }

    /** Two devices would be two users of one volume. */
    @Test
    void shouldHaveOneDeviceForABdevByAllItsNames()
    {
        final String name = SpdkTesting.name("Malloc");
        final String alias = "11111111-2222-4333-8444-" + (100_000_000_000L + Math.abs(name.hashCode()));
        SpdkTesting.rpc("bdev_malloc_create",
            "{'name':'" + name + "','num_blocks':1024,'block_size':4096,'uuid':'" + alias + "'}");
        undoing.add(() -> SpdkTesting.rpc("bdev_malloc_delete", "{'name':'" + name + "'}"));
        final SpdkDevice device = open(name);
        assertRefused(alias, "bdev " + alias, "is used by device vol0, as " + name);
        assertRefused(name, "is used by device vol0");
        device.close();
        open(alias).close();
        open(name).close();
    }

    @Test
    void shouldRefuseABdevWhoseBlocksItCannotHave()
    {
        final String name = SpdkTesting.name("Null");
        SpdkTesting.rpc("bdev_null_create", "{'name':'" + name + "','num_blocks':1024,'block_size':512,'md_size':8}");
        undoing.add(() -> SpdkTesting.rpc("bdev_null_delete", "{'name':'" + name + "'}"));
        assertRefused(name, "bdev " + name, "8 bytes of metadata");
    }

    @Test
    void shouldRefuseABdevThatEncryptsPiecesOfBlocks()
    {
        Requirement.require(SpdkTesting.rpc("rpc_get_methods", "").contains("\"bdev_crypto_create\""),
            "SPDK has no bdevs of type crypto", "build SPDK with --with-crypto");
        final String base = malloc(1024);
        SpdkTesting.rpc("accel_crypto_key_create", "{'name':'K" + base + "','cipher':'AES_XTS','key':'" +
            "01".repeat(16) + "','key2':'" + "02".repeat(16) + "'}");
        SpdkTesting.rpc("bdev_crypto_create",
            "{'name':'C" + base + "','base_bdev_name':'" + base + "','key_name':'K" + base + "'}");
        undoing.add(() -> SpdkTesting.rpc("bdev_crypto_delete", "{'name':'C" + base + "'}"));
        assertRefused("C" + base, "bdev C" + base, "not of type crypto");
    }

    @Test
    void shouldRefuseABdevThatAModuleHasClaimed()
    {
        final String base = malloc(1024);
        SpdkTesting.rpc("bdev_passthru_create", "{'name':'P" + base + "','base_bdev_name':'" + base + "'}");
        undoing.add(() -> SpdkTesting.rpc("bdev_passthru_delete", "{'name':'P" + base + "'}"));
        assertRefused(base, "bdev " + base, "claimed by a module of SPDK");
    }

    @Test
    void shouldFailAndLetGoWhenTheBdevIsDeletedUnderLoad() throws InterruptedException
    {
        final String name = malloc(4096);
        undoing.removeLast();
        final SpdkDevice device = open(name);
        final CountDownLatch changed = new CountDownLatch(1);
        device.start(onStatusChanged(changed));
        try (Initiator initiator = new Initiator("removal", device))
        {
            final List<Initiator.Io> ios = new ArrayList<>();
            for (int i = 0; i < 100; i++)
            {
                ios.add(write(initiator, i));
            }
            initiator.send(ios);
            // It is deleted when nobody has it open any more, which is what the device and its channel see to.
            SpdkTesting.rpc("bdev_malloc_delete", "{'name':'" + name + "'}");
            ios.forEach((io) -> assertNotNull(initiator.await(io)));
            assertTrue(changed.await(PATIENCE_S, TimeUnit.SECONDS));
            assertEquals(DeviceHealth.FAILED, device.status().health());
            assertTrue(device.status().reason().contains("bdev " + name + " was deleted"), device.status()::reason);
            assertEquals(BlockStatus.DEVICE_ERROR,
                initiator.run(BlockOperation.READ, 0, 1, false, memory.address(), BLOCK));
        }
        device.close();
        assertRefused(name, "is not a bdev of SPDK");
    }

    @Test
    void shouldKeepTheSpdkThreadForAChannelWhoseBdevIsGone()
    {
        final String gone = malloc(1024);
        undoing.removeLast();
        final SpdkDevice goneDevice = open(gone);
        final SpdkDevice device = open(malloc(1024));
        try (Initiator initiator = new Initiator("gone", goneDevice))
        {
            final Initiator beside = initiator.beside(device);
            SpdkTesting.rpc("bdev_malloc_delete", "{'name':'" + gone + "'}");
            assertEquals(BlockStatus.DEVICE_ERROR,
                initiator.run(BlockOperation.READ, 0, 1, false, memory.address(), BLOCK));
            // The last bdev of the reactor, not the last channel.
            beside.close();
            final Initiator later = initiator.beside(device);
            initiator.closeChannel();
            assertEquals(BlockStatus.SUCCESS,
                later.run(BlockOperation.READ, 0, 1, false, memory.address(), BLOCK));
            later.close();
        }
        goneDevice.close();
        device.close();
    }

    private Initiator.Io write(final Initiator initiator, final int lba)
    {
        final Initiator.Io io = initiator.io();
        Initiator.fill(io.request(), BlockOperation.WRITE, lba, 1, false, memory.address() + (long)lba * BLOCK, BLOCK);
        return io;
    }

    private static DeviceServices onStatusChanged(final CountDownLatch changed)
    {
        return new DeviceServices()
        {
            @Override
            public void onStatusChanged()
            {
                changed.countDown();
            }

            @Override
            public boolean run(final BackgroundWork work)
            {
                return false;
            }
        };
    }

    @Test
    void shouldGrowWhenTheBdevHas() throws InterruptedException
    {
        final String name = SpdkTesting.name("Null");
        SpdkTesting.rpc("bdev_null_create", "{'name':'" + name + "','num_blocks':1024,'block_size':4096}");
        undoing.add(() -> SpdkTesting.rpc("bdev_null_delete", "{'name':'" + name + "'}"));
        final SpdkDevice device = open(name);
        final CountDownLatch changed = new CountDownLatch(1);
        device.start(onStatusChanged(changed));
        try
        {
            assertEquals(4 << 20, device.availableBytes());
            final BlockDeviceException e = assertThrows(BlockDeviceException.class, () -> device.grow(8 << 20));
            assertTrue(e.getMessage().contains("8388608 bytes is more than bdev " + name + " has, 4194304"),
                e::getMessage);
            SpdkTesting.rpc("bdev_null_resize", "{'name':'" + name + "','new_size':8}");
            assertTrue(changed.await(PATIENCE_S, TimeUnit.SECONDS));
            assertEquals(8 << 20, device.availableBytes());
            assertEquals(4 << 20, device.geometry().sizeBytes());
            device.grow(8 << 20);
            assertEquals(2048, device.geometry().blockCount());
        }
        finally
        {
            device.close();
        }
    }

    @Test
    void shouldEndRequestsWithTheStatusOfTheBdev()
    {
        final String base = malloc(1024);
        SpdkTesting.rpc("bdev_error_create", "{'base_name':'" + base + "'}");
        undoing.add(() -> SpdkTesting.rpc("bdev_error_delete", "{'name':'EE_" + base + "'}"));
        SpdkTesting.rpc("bdev_error_inject_error",
            "{'name':'EE_" + base + "','io_type':'read','error_type':'failure','num':1}");
        final SpdkDevice device = open("EE_" + base);
        try (Initiator initiator = new Initiator("errors", device))
        {
            final Initiator.Io io = initiator.io();
            Initiator.fill(io.request(), BlockOperation.READ, 0, 1, false, memory.address(), BLOCK);
            initiator.send(io);
            assertEquals(BlockStatus.DEVICE_ERROR, initiator.await(io));
            assertEquals(FailureCause.NVME_STATUS, io.request().cause());
            assertEquals(BlockStatus.SUCCESS,
                initiator.run(BlockOperation.READ, 0, 1, false, memory.address(), BLOCK));
        }
        device.close();
    }

    @Test
    void shouldSayWhatTheKernelSays() throws Exception
    {
        final String name = SpdkTesting.name("Aio");
        final Path file = FileOfBdev.make(directory, 4 << 20);
        SpdkTesting.rpc("bdev_aio_create", "{'name':'" + name + "','filename':'" + file + "','block_size':4096}");
        undoing.add(() -> SpdkTesting.rpc("bdev_aio_delete", "{'name':'" + name + "'}"));
        final SpdkDevice device = open(name);
        try (Initiator initiator = new Initiator("short", device))
        {
            FileOfBdev.truncate(file, 1 << 20);
            final Initiator.Io io = initiator.io();
            Initiator.fill(io.request(), BlockOperation.READ, 1023, 1, false, memory.address(), BLOCK);
            initiator.send(io);
            assertFalse(BlockStatus.SUCCESS == initiator.await(io), "a read behind the end of the file succeeded");
        }
        device.close();
    }

    @Test
    void shouldWaitForRequestsThatTakeLongWhenClosed()
    {
        final String base = malloc(1024);
        final String name = SpdkTesting.name("Delay");
        SpdkTesting.rpc("bdev_delay_create", "{'name':'" + name + "','base_bdev_name':'" + base +
            "','avg_read_latency':1500000,'p99_read_latency':1500000,'avg_write_latency':0,'p99_write_latency':0}");
        undoing.add(() -> SpdkTesting.rpc("bdev_delay_delete", "{'name':'" + name + "'}"));
        final SpdkDevice device = open(name);
        final Initiator initiator = new Initiator("slow", device);
        final Initiator.Io io = initiator.io();
        Initiator.fill(io.request(), BlockOperation.READ, 0, 1, false, memory.address(), BLOCK);
        initiator.send(io);
        initiator.closeChannel();
        assertEquals(BlockStatus.SUCCESS, initiator.await(io));
        assertEquals(0, initiator.quarantine().bytes());
        initiator.close();
        device.close();
    }

    /** As when another subsystem is behind its only path. */
    @Test
    void shouldEndRequestsWithAnErrorWhileTheyWouldReachAnotherNamespace()
    {
        final String base = malloc(1024);
        final String name = SpdkTesting.name("Delay");
        SpdkTesting.rpc("bdev_delay_create", "{'name':'" + name + "','base_bdev_name':'" + base +
            "','avg_read_latency':8000000,'p99_read_latency':8000000,'avg_write_latency':0,'p99_write_latency':0}");
        undoing.add(() -> SpdkTesting.rpc("bdev_delay_delete", "{'name':'" + name + "'}"));
        final SpdkDevice device = open(name);
        try (Initiator initiator = new Initiator("refused", device))
        {
            final Initiator.Io io = initiator.io();
            Initiator.fill(io.request(), BlockOperation.READ, 0, 1, false, memory.address(), BLOCK);
            initiator.send(io);
            final long beginNs = System.nanoTime();
            device.onRefused(true);
            assertEquals(BlockStatus.DEVICE_ERROR, initiator.await(io));
            assertTrue(System.nanoTime() - beginNs < TimeUnit.SECONDS.toNanos(6), "it was not aborted");
            assertEquals(DeviceHealth.FAILED, device.status().health());
            assertTrue(device.status().reason().contains("lead to another namespace"), device.status()::reason);
            assertEquals(BlockStatus.DEVICE_ERROR,
                initiator.run(BlockOperation.WRITE, 0, 1, false, memory.address(), BLOCK));
            device.onRefused(false);
            assertEquals(DeviceHealth.ONLINE, device.status().health());
            assertEquals(BlockStatus.SUCCESS,
                initiator.run(BlockOperation.WRITE, 0, 1, false, memory.address(), BLOCK));
        }
        device.close();
    }

    @Test
    void shouldResetABdevThatKeepsRequestsWhenClosed()
    {
        final String base = malloc(1024);
        SpdkTesting.rpc("bdev_error_create", "{'base_name':'" + base + "'}");
        undoing.add(() -> SpdkTesting.rpc("bdev_error_delete", "{'name':'EE_" + base + "'}"));
        SpdkTesting.rpc("bdev_error_inject_error",
            "{'name':'EE_" + base + "','io_type':'read','error_type':'pending','num':3}");
        final SpdkDevice device = open("EE_" + base);
        final Initiator initiator = new Initiator("stuck", device);
        final List<Initiator.Io> ios = new ArrayList<>();
        for (int i = 0; i < 3; i++)
        {
            final Initiator.Io io = initiator.io();
            Initiator.fill(
                io.request(), BlockOperation.READ, i, 1, false, memory.address() + (long)i * BLOCK, BLOCK);
            ios.add(io);
        }
        initiator.send(ios);
        initiator.closeChannel();
        ios.forEach((io) ->
        {
            assertFalse(BlockStatus.SUCCESS == initiator.await(io));
            assertNull(io.request().hold(), "memory is held although the bdev was reset");
        });
        initiator.close();
        device.close();
    }

    @Test
    void shouldResetABdevWhoseRequestsTakeAllPlaces()
    {
        final String base = malloc(1024);
        SpdkTesting.rpc("bdev_error_create", "{'base_name':'" + base + "'}");
        undoing.add(() -> SpdkTesting.rpc("bdev_error_delete", "{'name':'EE_" + base + "'}"));
        SpdkTesting.rpc("bdev_error_inject_error",
            "{'name':'EE_" + base + "','io_type':'read','error_type':'pending','num':1000}");
        final SpdkDevice device = open("EE_" + base);
        final Initiator initiator = new Initiator("places", device);
        final Initiator beside = initiator.beside(device);
        final List<Initiator.Io> ios = new ArrayList<>();
        for (int i = 0; i < 512; i++)
        {
            final Initiator each = 0 == i % 2 ? initiator : beside;
            final Initiator.Io io = each.io();
            Initiator.fill(
                io.request(), BlockOperation.READ, i, 1, false, memory.address() + (long)i * BLOCK, BLOCK);
            each.send(io);
            ios.add(io);
        }
        final CompletableFuture<Void> closing = initiator.beginClosing();
        beside.closeChannel();
        closing.join();
        ios.forEach((io) -> assertNull(io.request().hold(), "memory is held although the bdev was reset"));
        beside.close();
        initiator.close();
        device.close();
    }

    @Test
    void shouldServeManyRequestsWhenSpdkHasNoMemoryForThemAllAtOnce()
    {
        final String base = malloc(1024);
        // Malloc bdevs are so fast that few requests are under way.
        final String name = SpdkTesting.name("Delay");
        SpdkTesting.rpc("bdev_delay_create", "{'name':'" + name + "','base_bdev_name':'" + base +
            "','avg_read_latency':0,'p99_read_latency':0,'avg_write_latency':100000,'p99_write_latency':100000}");
        undoing.add(() -> SpdkTesting.rpc("bdev_delay_delete", "{'name':'" + name + "'}"));
        final SpdkDevice device = open(name);
        final List<Initiator> initiators = new ArrayList<>();
        final List<List<Initiator.Io>> ios = new ArrayList<>();
        for (int i = 0; i < 3; i++)
        {
            final Initiator initiator = new Initiator("many" + i, device);
            final List<Initiator.Io> mine = new ArrayList<>();
            for (int k = 0; k < 1000; k++)
            {
                mine.add(write(initiator, k));
            }
            initiators.add(initiator);
            ios.add(mine);
        }
        for (int i = 0; i < 3; i++)
        {
            initiators.get(i).send(ios.get(i));
        }
        for (int i = 0; i < 3; i++)
        {
            final Initiator initiator = initiators.get(i);
            ios.get(i).forEach((io) -> assertEquals(BlockStatus.SUCCESS, initiator.await(io)));
            initiator.close();
        }
        device.close();
    }

    @Test
    void shouldRegisterAndLetGoOfMemory()
    {
        SpdkTesting.runtime();
        final MemoryRegistry registry = MemoryRegistry.of(memory);
        final SpdkMemory listener = new SpdkMemory(List.of());
        registry.addListener(listener);
        assertEquals(-Errno.EBUSY, SpdkEnvironment.register(memory.address(), 4096), "it was not registered");
        registry.removeListener(listener);
        assertEquals(0, SpdkEnvironment.register(memory.address(), 4096), "it is still registered");
        assertEquals(0, SpdkEnvironment.unregister(memory.address(), 4096));
    }

    @Test
    void shouldRefuseOtherSettingsWhileSpdkRuns()
    {
        SpdkTesting.runtime();
        final SpdkConfig other = new SpdkConfig(null, 300, false, List.of(), null);
        final SpdkException e = assertThrows(SpdkException.class, () -> SpdkRuntime.start(other, (text) ->
        {
        }));
        assertTrue(e.getMessage().contains("runs in this process with other settings"), e::getMessage);
    }
}
