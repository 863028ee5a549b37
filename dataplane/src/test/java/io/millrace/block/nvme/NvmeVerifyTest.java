package io.millrace.block.nvme;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;

import io.millrace.block.BlockOperation;
import io.millrace.block.BlockStatus;
import io.millrace.block.FailureCause;
import io.millrace.block.Initiator;
import io.millrace.memory.DmaMemory;
import io.millrace.nvme.IoOpcode;
import io.millrace.nvme.NvmeStatus;
import io.millrace.nvme.identify.IdentifyControllerIo;
import io.millrace.reactor.ReactorConfig;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * What becomes of a verification: which commands the controller gets, and what the request ends with.
 */
class NvmeVerifyTest
{
    private static final int SIZE_BYTES = 4 << 20;

    private final ModelOptions options = new ModelOptions();
    /** Opcode and blocks of each I/O command. */
    private final List<String> commands = Collections.synchronizedList(new ArrayList<>());
    private final DmaMemory arena = DmaMemory.map(2 << 20);
    private final long buffers = arena.allocate(Initiator.BUFFERS_BYTES, Initiator.BUFFERS_BYTES);
    private NvmeFixture fixture;
    private Initiator initiator;

    @AfterEach
    void close()
    {
        initiator.close();
        fixture.close();
        arena.close();
    }

    private void open(final ModelNamespace namespace)
    {
        final ModelController model = new ModelController(NvmeFixture.ADDRESS, options, 1).with(1, namespace);
        model.script = (command) ->
        {
            if (command.isIo())
            {
                commands.add(IoOpcode.name(command.opcode()) + " " + command.startingLba() + "+" + command.blocks() +
                    (0 == (command.dword(12) & 1 << 30) ? "" : " FUA"));
            }
            return ModelScript.Action.COMPLETE;
        };
        fixture = NvmeFixture.open(model, arena, NvmeFixture.config());
        initiator = new Initiator(ReactorConfig.of("verify", -1), fixture, buffers);
    }

    private BlockStatus verify(final long lba, final int blocks)
    {
        commands.clear();
        return initiator.run(BlockOperation.VERIFY, lba, blocks, false);
    }

    private void offer(final boolean isOffered)
    {
        if (!isOffered)
        {
            options.optionalCommands &= ~IdentifyControllerIo.NVM_VERIFY;
        }
    }

    @Test
    void shouldTakeOneCommandWhereTheDriveNamesNoLimit()
    {
        // Transfers are bounded; nothing is transferred.
        options.transferLimit = 1;
        open(ModelNamespace.of(SIZE_BYTES, 512));
        assertEquals(BlockStatus.SUCCESS, verify(0, SIZE_BYTES / 512));
        assertEquals(List.of("VERIFY 0+8192"), commands);
    }

    @ParameterizedTest
    @CsvSource({"12, 512, 16", "12, 4096, 2", "13, 512, 32"})
    void shouldKeepToTheLimitOfTheDrive(final int pageShift, final int blockBytes, final int blocksMax)
    {
        options.pageShiftMin = pageShift;
        options.verifyLimit = 1;
        open(ModelNamespace.of(SIZE_BYTES, blockBytes));
        assertEquals(BlockStatus.SUCCESS, verify(3, blocksMax));
        assertEquals(List.of("VERIFY 3+" + blocksMax), commands);
        assertEquals(BlockStatus.SUCCESS, verify(3, 2 * blocksMax + 1));
        assertEquals(List.of("VERIFY 3+" + blocksMax, "VERIFY " + (3 + blocksMax) + "+" + blocksMax,
            "VERIFY " + (3 + 2 * blocksMax) + "+1"), commands);
    }

    @Test
    void shouldTakeALimitForAnOffer()
    {
        offer(false);
        options.verifyLimit = 3;
        open(ModelNamespace.of(SIZE_BYTES, 4096));
        assertEquals(BlockStatus.SUCCESS, verify(8, 9));
        assertEquals(List.of("VERIFY 8+8", "VERIFY 16+1"), commands);
    }

    @ParameterizedTest
    @ValueSource(ints = {1, 2, 3})
    void shouldCountMetadataBehindTheDataAndHaveThemChecked(final int protectionType)
    {
        options.verifyLimit = 2;
        open(new ModelNamespace(SIZE_BYTES, 4096, 8, true, protectionType, 0, false));
        assertEquals(BlockStatus.SUCCESS, verify(8, 7));
        assertEquals(List.of("VERIFY 8+3", "VERIFY 11+3", "VERIFY 14+1"), commands);
    }

    @ParameterizedTest
    @CsvSource({"6, 0, READ 1+32 READ 33+32 READ 65+6", "4, 0, READ 1+16 READ 17+16 READ 33+16 READ 49+16 READ 65+6",
        "6, 24, READ 1+23 READ 24+9 READ 33+15 READ 48+17 READ 65+6"})
    void shouldBeReadWhereTheDriveDoesNotOfferIt(
        final int transferLimit, final int boundaryBlocks, final String expected)
    {
        offer(false);
        options.transferLimit = transferLimit;
        open(new ModelNamespace(SIZE_BYTES, 4096, 0, false, 0, boundaryBlocks, false));
        assertFalse(fixture.geometry().supportsVerify());
        assertEquals(BlockStatus.SUCCESS, verify(1, 70));
        assertEquals(expected, String.join(" ", commands));
    }

    /** As Verify has it: the data of the medium, not of the drive's cache (NVM Command Set 1.0, 3.2.4 and 3.2.5). */
    @ParameterizedTest
    @CsvSource({"true, true", "true, false", "false, true", "false, false"})
    void shouldForceUnitAccess(final boolean isOffered, final boolean isForced)
    {
        offer(isOffered);
        open(ModelNamespace.of(SIZE_BYTES, 4096));
        initiator.run(BlockOperation.VERIFY, 1, 33, isForced);
        final String suffix = isForced ? " FUA" : "";
        assertEquals(isOffered ? List.of("VERIFY 1+33" + suffix) :
            List.of("READ 1+32" + suffix, "READ 33+1" + suffix), commands);
    }

    /** Of a drive that takes back what it offered. */
    @Test
    void shouldBeReadWhereTheDriveRefusesIt()
    {
        open(ModelNamespace.of(SIZE_BYTES, 4096));
        options.optionalCommands &= ~IdentifyControllerIo.NVM_VERIFY;
        assertEquals(BlockStatus.SUCCESS, verify(1, 40));
        assertEquals(List.of("VERIFY 1+40", "READ 1+32", "READ 33+8"), commands);
    }

    /** With the bits beside the code one error would count as several, under numbers that no table has. */
    @ParameterizedTest
    @EnumSource(names = {"VERIFY", "READ"})
    void shouldTellTheCodeOfTheDriveAsTheCause(final BlockOperation operation)
    {
        final ModelNamespace namespace = ModelNamespace.of(SIZE_BYTES, 512);
        open(namespace);
        namespace.badLba = 700;
        final Initiator.Io io = initiator.io();
        final long[] segments = BlockOperation.READ == operation ? new long[]{arena.address(), 512} : new long[0];
        Initiator.fill(io.request(), operation, 700, 1, false, segments);
        initiator.send(io);
        assertEquals(BlockStatus.MEDIA_ERROR, initiator.await(io));
        assertEquals(FailureCause.NVME_STATUS, io.request().cause());
        assertEquals(NvmeStatus.UNRECOVERED_READ_ERROR, io.request().causeCode());
    }

    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    void shouldReportABlockThatCannotBeRead(final boolean isOffered)
    {
        offer(isOffered);
        options.verifyLimit = isOffered ? 2 : 0;
        final ModelNamespace namespace = ModelNamespace.of(SIZE_BYTES, 512);
        open(namespace);
        namespace.badLba = 700;
        assertEquals(BlockStatus.MEDIA_ERROR, verify(0, SIZE_BYTES / 512));
        assertEquals(BlockStatus.MEDIA_ERROR, verify(700, 1));
        assertEquals(BlockStatus.SUCCESS, verify(0, 700));
        assertEquals(BlockStatus.SUCCESS, verify(701, SIZE_BYTES / 512 - 701));
        namespace.badLba = -1;
        assertEquals(BlockStatus.SUCCESS, verify(700, 1));
    }

    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    void shouldVerifyAWriteProtectedNamespaceWithSeparateMetadata(final boolean isOffered)
    {
        offer(isOffered);
        open(new ModelNamespace(SIZE_BYTES, 4096, 8, false, 0, 0, true));
        assertEquals(BlockStatus.SUCCESS, verify(0, SIZE_BYTES / 4096));
        assertEquals(BlockStatus.OUT_OF_RANGE, verify(SIZE_BYTES / 4096 - 1, 2));
    }
}
