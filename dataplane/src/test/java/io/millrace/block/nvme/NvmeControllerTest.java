package io.millrace.block.nvme;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.millrace.block.BlockDeviceException;
import io.millrace.block.BlockOperation;
import io.millrace.block.BlockStatus;
import io.millrace.block.DeviceHealth;
import io.millrace.block.DeviceStatus;
import io.millrace.block.Initiator;
import io.millrace.block.StatusRecorder;
import io.millrace.memory.DmaMemory;
import io.millrace.memory.MemoryRegistry;
import io.millrace.nvme.AdminOpcode;
import io.millrace.nvme.AsyncEvent;
import io.millrace.nvme.LogPageId;
import io.millrace.nvme.NvmeStatus;
import io.millrace.nvme.SmartLog;
import io.millrace.nvme.identify.IdentifyCns;
import io.millrace.nvme.identify.IdentifyController;
import io.millrace.nvme.identify.NamespaceDescriptor;
import io.millrace.pci.PciException;
import io.millrace.seed.TestSeeds;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.function.Consumer;
import org.agrona.concurrent.UnsafeBuffer;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * How controllers are taken and given back, what they tell, and what is refused.
 */
class NvmeControllerTest
{
    private static final int SIZE_BYTES = 1 << 20;

    private final DmaMemory arena = DmaMemory.map(2 << 20);
    private final MemoryRegistry registry = MemoryRegistry.of(arena);
    private final Map<String, ModelController> models = new HashMap<>();

    @AfterEach
    void close()
    {
        for (final ModelController model : models.values())
        {
            assertTrue(model.isClosed());
            assertEquals(List.of(), model.faults());
            model.end();
        }
        arena.close();
    }

    private ModelController model(final Consumer<ModelOptions> change)
    {
        final ModelController model =
            new ModelController(NvmeFixture.ADDRESS, new ModelOptions().with(change), 1)
                .with(1, ModelNamespace.of(SIZE_BYTES, 512)).with(2, ModelNamespace.of(SIZE_BYTES, 4096));
        models.put(NvmeFixture.ADDRESS, model);
        return model.start();
    }

    private NvmeDrives drives()
    {
        return new NvmeDrives(registry, NvmeFixture.settings(), NvmeListener.NONE);
    }

    private ModelController take(final String address)
    {
        if (!models.containsKey(address))
        {
            throw new PciException("PCI function " + address + " is not there: see 'millrace drive list'");
        }
        return models.get(address);
    }

    private String refusal(final NvmeDeviceConfig config)
    {
        return assertThrows(BlockDeviceException.class, () -> drives().open(config, this::take)).getMessage();
    }

    private static NvmeDeviceConfig config(final int nsid)
    {
        return NvmeDeviceConfig.of("n" + nsid, "01:00.0", nsid);
    }

    @Test
    void shouldShareAControllerAmongNamespacesAndShutItDownWithTheLast()
    {
        final ModelController model = model((options) ->
        {
        });
        final NvmeDrives drives = drives();
        final NvmeDevice first = drives.open(config(1), this::take);
        final NvmeDevice second = drives.open(config(2), this::take);
        assertSame(first.controller(), second.controller());
        assertEquals(512, first.geometry().blockSizeBytes());
        assertEquals(4096, second.geometry().blockSizeBytes());
        try (Initiator initiator = new Initiator("one", first); Initiator other = new Initiator("two", second))
        {
            assertEquals(BlockStatus.SUCCESS,
                initiator.run(BlockOperation.READ, 0, 8, false, arena.address(), 4096));
            assertEquals(BlockStatus.SUCCESS, other.run(BlockOperation.READ, 0, 1, false, arena.address(), 4096));
        }
        first.close();
        assertEquals(0, model.shutdowns());
        assertEquals(ControllerState.LIVE, second.controller().state());
        second.close();
        assertEquals(1, model.shutdowns());
        assertEquals(ControllerState.CLOSED, second.controller().state());
        assertEquals(1, model.enableCount());
    }

    @Test
    void shouldKeepTheDriveWhenOneOfItsNamespacesIsRefused()
    {
        model((options) ->
        {
        });
        final NvmeDrives drives = drives();
        final NvmeDevice device = drives.open(config(1), this::take);
        final BlockDeviceException refused =
            assertThrows(BlockDeviceException.class, () -> drives.open(config(9), this::take));
        assertEquals(
            "device n9: drive 0000:01:00.0 has no active namespace 9: see 'millrace drive namespaces' for those it has",
            refused.getMessage());
        assertEquals(ControllerState.LIVE, device.controller().state());
        device.close();
    }

    @ParameterizedTest
    @ValueSource(ints = {1, 3, 7})
    void shouldTakeOverAControllerThatWasLeftEnabled(final int seed)
    {
        final ModelController model = model((options) ->
        {
        });
        final NvmeDrives drives = drives();
        drives.open(config(1), this::take).close();
        model.enableBusMaster(true);
        drives.open(config(1), this::take).close();
        assertEquals(2, model.enableCount(), () -> "seed " + seed);
    }

    @Test
    void shouldSayThatAControllerNeverBecomesReady()
    {
        model((options) ->
        {
            options.timeoutUnits = 0;
            options.neverReady = true;
        });
        assertEquals("device n1: drive 0000:01:00.0 did not become ready within 500 ms of being enabled (CSTS.RDY)",
            refusal(config(1)));
    }

    @Test
    void shouldSayThatAControllerFailsWhileItIsEnabled()
    {
        model((options) -> options.failsToEnable = true);
        assertEquals("device n1: drive 0000:01:00.0 failed while it was enabled: fatal status (CSTS.CFS)",
            refusal(config(1)));
    }

    @Test
    void shouldSayThatNothingAnswers()
    {
        model((options) ->
        {
        }).pullOut();
        assertEquals("device n1: drive 0000:01:00.0 is gone: its registers read all ones", refusal(config(1)));
    }

    @Test
    void shouldSayWhatPciRefuses()
    {
        assertEquals("device n1: PCI function 0000:01:00.0 is not there: see 'millrace drive list'",
            refusal(config(1)));
    }

    @ParameterizedTest
    @CsvSource(delimiter = '|', value = {
        "0x55 | 1 | takes submission queue entries of 2^5 to 2^5 bytes, not of 2^6: its Identify data are invalid",
        "0x66 | 3 | is not an I/O controller: its controller type is 3"})
    void shouldRefuseControllersThatMakeNoSense(final String sizes, final int type, final String expected)
    {
        model((options) ->
        {
            options.submissionEntrySizes = Integer.decode(sizes);
            options.controllerType = type;
        });
        assertEquals("device n1: drive 0000:01:00.0 " + expected, refusal(config(1)));
    }

    @ParameterizedTest
    @CsvSource(delimiter = '|', value = {
        "2048 | 0 | false | 0 | has namespace 5 with blocks of 2048 bytes, which are not supported: format it with " +
            "blocks of 512 or 4096",
        "512 | 8 | true | 0 | has namespace 5 with 8 bytes of metadata behind each block's data (extended), which is " +
            "not supported: format it without, or with separate metadata",
        "4096 | 64 | false | 1 | has namespace 5 with protection information of type 1 in 64 bytes of metadata, of " +
            "which 8 are supported: format it without, or with metadata of 8 bytes"})
    void shouldRefuseFormatsThatAreNotSupported(
        final int blockBytes,
        final int metadataBytes,
        final boolean isExtended,
        final int protectionType,
        final String expected)
    {
        model((options) ->
        {
        }).with(5, new ModelNamespace(SIZE_BYTES, blockBytes, metadataBytes, isExtended, protectionType, 0, false));
        assertEquals("device n5: drive 0000:01:00.0 " + expected, refusal(config(5)));
    }

    @Test
    void shouldRefuseGarbageInOneSentenceAndStopTheController()
    {
        final long seed = TestSeeds.seed();
        final Random random = TestSeeds.random();
        final ModelController model = model((options) ->
        {
        });
        for (int i = 0; i < 20; i++)
        {
            final byte[] garbage = new byte[4096];
            random.nextBytes(garbage);
            model.options.garbage = garbage;
            final String sentence = refusal(config(1));
            assertTrue(sentence.startsWith("device n1: drive 0000:01:00.0 "), () -> sentence + " seed " + seed);
            assertEquals(0, model.dma.mapped());
        }
        model.options.garbage = null;
        drives().open(config(1), this::take).close();
    }

    @Test
    void shouldServeAWriteProtectedNamespaceReadOnly()
    {
        model((options) ->
        {
        }).with(4, new ModelNamespace(SIZE_BYTES, 512, 0, false, 0, 0, true));
        final NvmeDevice device = drives().open(config(4), this::take);
        assertTrue(device.geometry().readOnly());
        try (Initiator initiator = new Initiator("reader", device))
        {
            assertEquals(BlockStatus.WRITE_PROTECTED,
                initiator.run(BlockOperation.WRITE, 0, 1, false, arena.address(), 512));
            assertEquals(BlockStatus.SUCCESS, initiator.run(BlockOperation.READ, 0, 1, false, arena.address(), 512));
        }
        device.close();
    }

    @Test
    void shouldTellOfHealthAndOfErrors()
    {
        final ModelController model = model((options) ->
        {
        });
        final NvmeDevice device = drives().open(config(1), this::take);
        final StatusRecorder reported = new StatusRecorder(device::status);
        device.start(reported);
        assertEquals(DeviceStatus.ONLINE, device.status());
        model.smart().criticalWarning(SmartLog.WARNING_SPARE | SmartLog.WARNING_TEMPERATURE).compositeTemperature(363);
        model.raise(AsyncEvent.TYPE_HEALTH | 1 << 8 | LogPageId.SMART << 16);
        final String warning = "drive 0000:01:00.0 warns: spare of 5% is below its threshold of 10%, temperature of " +
            "90 degrees Celsius is beyond its threshold";
        while (!device.notes().contains(warning))
        {
            Thread.onSpinWait();
        }
        assertEquals(new DeviceStatus(DeviceHealth.DEGRADED, warning), reported.next());
        model.smart().criticalWarning(0);
        model.raise(AsyncEvent.TYPE_HEALTH | 1 << 8 | LogPageId.SMART << 16);
        assertEquals(DeviceStatus.ONLINE, reported.next());
        model.raise(AsyncEvent.TYPE_ERROR | 3 << 8 | LogPageId.ERROR_INFORMATION << 16);
        while (3 != device.notes().size())
        {
            Thread.onSpinWait();
        }
        final SmartLog smart = new SmartLog();
        smart.wrap(new UnsafeBuffer(device.controller().logPage(LogPageId.SMART, SmartLog.SIZE_BYTES)), 0);
        assertEquals(363, smart.compositeTemperature());
        assertEquals(8192, device.controller().logPage(LogPageId.ERROR_INFORMATION, 8192).length);
        final BlockDeviceException refused =
            assertThrows(BlockDeviceException.class, () -> device.controller().logPage(0x55, 512));
        assertEquals("drive 0000:01:00.0 refused Get Log Page 85: " + NvmeStatus.name(NvmeStatus.INVALID_LOG_PAGE),
            refused.getMessage());
        final IdentifyController identify = new IdentifyController();
        identify.wrap(new UnsafeBuffer(device.controller().identify(IdentifyCns.CONTROLLER, 0)), 0);
        assertEquals("Model controller", identify.modelNumber());
        assertEquals("Model controller, serial MODEL-1, firmware 1", device.controller().description());
        device.close();
    }

    @Test
    void shouldTakeInThatANamespaceGrew()
    {
        final ModelController model = model((options) ->
        {
        });
        final NvmeDevice device = drives().open(config(1), this::take);
        final BlockDeviceException refused =
            assertThrows(BlockDeviceException.class, () -> device.grow(2 * SIZE_BYTES));
        assertEquals("device n1: size 2097152 bytes is more than namespace 1 of drive 0000:01:00.0 has, 1048576: " +
            "make the namespace larger first", refused.getMessage());
        model.namespaces.get(1).blocks(2 * SIZE_BYTES / 512);
        model.raise(AsyncEvent.NAMESPACE_CHANGED);
        while (device.notes().isEmpty())
        {
            Thread.onSpinWait();
        }
        assertEquals(
            "drive 0000:01:00.0 has namespace 1 with 4096 blocks now, before 2048: resize the device to use them",
            device.notes().getFirst());
        assertEquals(SIZE_BYTES, device.geometry().sizeBytes());
        device.grow(2 * SIZE_BYTES);
        assertEquals(2 * SIZE_BYTES, device.geometry().sizeBytes());
        device.close();
    }

    @Test
    void shouldEndRequestsWhenANamespaceWasFormattedAnew()
    {
        final ModelController model = model((options) ->
        {
        });
        final NvmeDevice device = drives().open(config(1), this::take);
        try (Initiator initiator = new Initiator("reader", device))
        {
            model.with(1, ModelNamespace.of(SIZE_BYTES, 4096));
            model.raise(AsyncEvent.NAMESPACE_CHANGED);
            while (ControllerState.FAILED != device.controller().state())
            {
                Thread.onSpinWait();
            }
            assertEquals(BlockStatus.DEVICE_ERROR,
                initiator.run(BlockOperation.READ, 0, 1, false, arena.address(), 512));
        }
        device.close();
    }

    @Test
    void shouldGiveUpWhenAnotherNamespaceHasTheNumber()
    {
        final ModelController model = model((options) ->
        {
        });
        final ModelNamespace first = ModelNamespace.of(SIZE_BYTES, 512);
        first.descriptors = uuid((byte)0x11);
        model.with(1, first);
        final NvmeDevice device = drives().open(config(1), this::take);
        assertEquals("11111111-1111-1111-1111-111111111111", device.namespace().info().identity().uuid());

        // Larger, and the same.
        first.blocks(2 * first.blocks());
        model.raise(AsyncEvent.NAMESPACE_CHANGED);
        device.controller().reset();
        assertEquals(ControllerState.LIVE, device.controller().state());

        final ModelNamespace second = ModelNamespace.of(SIZE_BYTES, 512);
        second.descriptors = uuid((byte)0x22);
        model.with(1, second);
        model.raise(AsyncEvent.NAMESPACE_CHANGED);
        while (ControllerState.FAILED != device.controller().state())
        {
            Thread.onSpinWait();
        }
        assertTrue(device.notes().stream().anyMatch((note) -> note.contains("has another namespace 1 than before, " +
            "uuid 22222222-2222-2222-2222-222222222222 instead of uuid 11111111-1111-1111-1111-111111111111")),
            () -> device.notes().toString());
        device.close();
    }

    @ParameterizedTest
    @ValueSource(strings = {"ERROR", "FINAL_ERROR"})
    void shouldNotUseANamespaceWhoseIdentifiersCannotBeRead(final String action)
    {
        final ModelController model = model((options) ->
        {
        });
        final ModelNamespace namespace = ModelNamespace.of(SIZE_BYTES, 512);
        namespace.descriptors = uuid((byte)0x11);
        model.with(1, namespace);
        model.script = (command) -> !command.isIo() && AdminOpcode.IDENTIFY == command.opcode() &&
            IdentifyCns.NAMESPACE_DESCRIPTORS == command.dword(10) ?
            ModelScript.Action.valueOf(action) : ModelScript.Action.COMPLETE;
        final NvmeDrives drives = drives();
        assertEquals("device n1: drive 0000:01:00.0 refused Identify of the identifiers of namespace 1 (Internal " +
            "Error): create the device again once the drive is ready",
            assertThrows(BlockDeviceException.class, () -> drives.open(config(1), this::take)).getMessage());
        model.script = ModelScript.GOOD;
        final NvmeDevice device = drives.open(config(1), this::take);
        assertEquals("11111111-1111-1111-1111-111111111111", device.namespace().info().identity().uuid());
        device.close();
    }

    private static byte[] uuid(final byte each)
    {
        final byte[] list = new byte[NamespaceDescriptor.HEADER_BYTES + 16];
        Arrays.fill(list, NamespaceDescriptor.HEADER_BYTES, list.length, each);
        list[0] = NamespaceDescriptor.TYPE_UUID;
        list[1] = 16;
        return list;
    }

    @Test
    void shouldRefuseToCloseWithChannelsOpen()
    {
        model((options) ->
        {
        });
        final NvmeController controller = NvmeController.start(
            models.get(NvmeFixture.ADDRESS), registry, NvmeFixture.settings(), NvmeListener.NONE);
        final NvmeDevice device = NvmeDevice.open(config(1), controller);
        try (Initiator initiator = new Initiator("open", device))
        {
            assertEquals(0, initiator.refusals());
            assertThrows(IllegalStateException.class, controller::close);
        }
        device.close();
        controller.close();
        controller.close();
    }

    @ParameterizedTest
    @CsvSource(delimiter = '|', value = {
        "0000:01:00 | 1 | 256 | device d: address '0000:01:00' is not a PCI address: write one such as 0000:01:00.0, " +
            "which 'millrace drive list' shows",
        "01:00.0 | 0 | 256 | device d: nsid 0 is below 1: use that of a namespace",
        "01:00.0 | 1 | 1024 | device d: queue-depth 1024 is outside 1 to 1023: choose one inside"})
    void shouldRefuseSettings(final String address, final int nsid, final int depth, final String expected)
    {
        final BlockDeviceException refused = assertThrows(BlockDeviceException.class,
            () -> NvmeDeviceConfig.of("d", address, nsid).withQueueDepth(depth));
        assertEquals(expected, refused.getMessage());
    }
}
