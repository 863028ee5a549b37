package io.millrace.block.nvme;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.millrace.bindings.NativeMemory;
import io.millrace.block.BlockOperation;
import io.millrace.block.BlockStatus;
import io.millrace.block.Initiator;
import io.millrace.memory.DmaMemory;
import io.millrace.memory.MemoryRegistry;
import io.millrace.nvme.IoOpcode;
import io.millrace.nvme.identify.IdentifyControllerIo;
import java.util.List;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.function.Consumer;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/**
 * The command Copy, as the driver sends it.
 */
class NvmeCopyTest
{
    private static final int SIZE_BYTES = 1 << 20;
    private static final int BLOCK = 512;

    private final DmaMemory arena = DmaMemory.map(2 << 20);
    private final MemoryRegistry registry = MemoryRegistry.of(arena);
    private final ConcurrentLinkedQueue<String> copies = new ConcurrentLinkedQueue<>();
    private ModelScript.Action copyAction = ModelScript.Action.COMPLETE;

    @AfterEach
    void close()
    {
        arena.close();
    }

    private NvmeFixture open(final Consumer<ModelOptions> change, final ModelNamespace namespace)
    {
        final ModelController model =
            new ModelController(NvmeFixture.ADDRESS, new ModelOptions().with(change), 1).with(1, namespace);
        model.script = (command) ->
        {
            if (!command.isIo() || IoOpcode.COPY != command.opcode())
            {
                return ModelScript.Action.COMPLETE;
            }
            final long descriptor = model.dma.address(command.prp1(), 32);
            copies.add(NativeMemory.getLong(descriptor + 8) + "+" +
                (1 + (NativeMemory.getInt(descriptor + 16) & 0xFFFF)) + " to " +
                (command.dword(10) + ((long)command.dword(11) << 32)) + " dword 12 " +
                Integer.toHexString(command.dword(12)) + " nsid " + command.namespaceId() + " rest " +
                command.dword(13) + command.dword(14) + command.dword(15) + command.metadataPointer() +
                command.prp2());
            return copyAction;
        };
        return NvmeFixture.open(model, registry, NvmeFixture.config());
    }

    private static ModelNamespace namespace()
    {
        return ModelNamespace.of(SIZE_BYTES, BLOCK);
    }

    private static ModelNamespace limited(final int rangeMax, final int max)
    {
        final ModelNamespace namespace = namespace();
        namespace.copyRangeMax = rangeMax;
        namespace.copyMax = max;
        return namespace;
    }

    private static void asItIs(final ModelOptions options)
    {
        assertTrue(0 != (options.optionalCommands & 1 << 8), "Copy is bit 8 of ONCS");
    }

    @Test
    void shouldSendOneDescriptorOfFormatZero()
    {
        try (NvmeFixture drive = open(NvmeCopyTest::asItIs, namespace());
            Initiator initiator = new Initiator("copy", drive))
        {
            assertTrue(drive.geometry().supportsCopy());
            assertEquals(BlockStatus.SUCCESS, initiator.copy(7, 1000, 5, false));
            assertEquals(BlockStatus.SUCCESS, initiator.copy(1000, 3, 1, true));
            assertEquals(List.of("7+5 to 1000 dword 12 0 nsid 1 rest 00000",
                "1000+1 to 3 dword 12 40000000 nsid 1 rest 00000"), List.copyOf(copies));
        }
    }

    @Test
    void shouldCutAtTheSmallerOfBothLimits()
    {
        for (final ModelNamespace namespace : List.of(limited(40, 64), limited(64, 40), limited(40, -1)))
        {
            copies.clear();
            try (NvmeFixture drive = open(NvmeCopyTest::asItIs, namespace);
                Initiator initiator = new Initiator("copy", drive))
            {
                assertEquals(BlockStatus.SUCCESS, initiator.copy(0, 500, 100, false));
                assertEquals(List.of("0+40 to 500 dword 12 0 nsid 1 rest 00000",
                    "40+40 to 540 dword 12 0 nsid 1 rest 00000", "80+20 to 580 dword 12 0 nsid 1 rest 00000"),
                    List.copyOf(copies));
            }
        }
    }

    @Test
    void shouldTellOfAnErrorThatIsFinal()
    {
        copyAction = ModelScript.Action.FINAL_ERROR;
        try (NvmeFixture drive = open(NvmeCopyTest::asItIs, namespace());
            Initiator initiator = new Initiator("copy", drive))
        {
            assertEquals(BlockStatus.DEVICE_ERROR, initiator.copy(7, 1000, 5, false));
            assertEquals(1, copies.size());
        }
    }

    @Test
    void shouldTellThatPartOfTheSourceCannotBeRead()
    {
        final ModelNamespace namespace = limited(40, 64);
        namespace.badBlock = 50;
        try (NvmeFixture drive = open(NvmeCopyTest::asItIs, namespace);
            Initiator initiator = new Initiator("copy", drive))
        {
            assertEquals(BlockStatus.MEDIA_ERROR, initiator.copy(0, 1000, 100, false));
            assertEquals(BlockStatus.MEDIA_ERROR, initiator.copy(50, 1000, 1, false));
            assertEquals(BlockStatus.SUCCESS, initiator.copy(51, 1000, 40, false));
            assertEquals(BlockStatus.SUCCESS, initiator.copy(100, 50, 1, false));
        }
    }

    @Test
    void shouldTryAgainWhereThatIsAllowed()
    {
        copyAction = ModelScript.Action.ERROR;
        try (NvmeFixture drive = open(NvmeCopyTest::asItIs, namespace());
            Initiator initiator = new Initiator("copy", drive))
        {
            assertFalse(BlockStatus.SUCCESS == initiator.copy(7, 1000, 5, false));
            assertEquals(ChannelRequests.TRIES_MAX, copies.size());
            assertEquals(1, copies.stream().distinct().count());
        }
    }

    @Test
    void shouldRefuseWhereItCannotBeUsed()
    {
        refused((options) -> options.optionalCommands &= ~IdentifyControllerIo.NVM_COPY, namespace());
        refused((options) -> options.copyFormats = 2, namespace());
        refused(NvmeCopyTest::asItIs, limited(0, 100));
        refused(NvmeCopyTest::asItIs, limited(100, 0));
        refused(NvmeCopyTest::asItIs, new ModelNamespace(SIZE_BYTES, BLOCK, 8, false, 0, 0, false));
        refused(NvmeCopyTest::asItIs, new ModelNamespace(SIZE_BYTES, BLOCK, 8, true, 1, 0, false));
    }

    private void refused(final Consumer<ModelOptions> change, final ModelNamespace namespace)
    {
        try (NvmeFixture drive = open(change, namespace); Initiator initiator = new Initiator("copy", drive))
        {
            assertFalse(drive.geometry().supportsCopy());
            assertEquals(BlockStatus.NOT_SUPPORTED, initiator.copy(7, 1000, 5, false));
            assertEquals(List.of(), List.copyOf(copies));
            assertEquals(BlockStatus.SUCCESS, initiator.run(BlockOperation.READ, 0, 1, false, arena.address(), BLOCK));
        }
    }

    @Test
    void shouldRefuseAsAWriteWhereTheNamespaceIsProtected()
    {
        try (NvmeFixture drive = open(NvmeCopyTest::asItIs,
            new ModelNamespace(SIZE_BYTES, BLOCK, 0, false, 0, 0, true));
            Initiator initiator = new Initiator("copy", drive))
        {
            assertFalse(drive.geometry().supportsCopy());
            assertEquals(BlockStatus.WRITE_PROTECTED, initiator.copy(7, 1000, 5, false));
        }
    }
}
