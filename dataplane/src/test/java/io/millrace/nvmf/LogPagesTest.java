package io.millrace.nvmf;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;

import io.millrace.nvme.AdminOpcode;
import io.millrace.nvme.ErrorLogEntry;
import io.millrace.nvme.FirmwareSlotLog;
import io.millrace.nvme.IoOpcode;
import io.millrace.nvme.LogPageId;
import io.millrace.nvme.NvmeStatus;
import io.millrace.nvme.SmartLog;
import java.util.Arrays;
import java.util.HashSet;
import java.util.Set;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class LogPagesTest
{
    private final TestTarget target = new TestTarget(1);
    private final TestHost host = target.admin();

    @AfterEach
    void close()
    {
        target.close();
    }

    static Completion log(final TestHost host, final int id, final long offset, final int length, final boolean retain)
    {
        return host.execute((entry) -> entry.opcode(AdminOpcode.GET_LOG_PAGE).namespaceId(-1)
            .cdw10(LogPageId.dword10(id, retain, length)).cdw11(LogPageId.dword11(length))
            .cdw12((int)offset).cdw13((int)(offset >>> 32)).sglLength(length));
    }

    private Completion log(final int id, final int length)
    {
        final Completion completion = log(host, id, 0, length, false);
        assertEquals(NvmeStatus.SUCCESS, completion.status());
        assertEquals(length, completion.data().length);
        return completion;
    }

    @Test
    void shouldTellErrorsNewestFirst()
    {
        final TestHost io = target.io(host, 1);
        final int before = (int)errorCount(0);
        for (int i = 0; i < 100; i++)
        {
            final int lba = 10_000 + i;
            io.execute((entry) -> entry.opcode(IoOpcode.READ).namespaceId(1).startingLba(lba).sglLength(512));
        }
        host.execute((entry) -> entry.opcode(0xC0).commandId(0x1234).namespaceId(77));
        final Completion log = log(LogPageId.ERROR_INFORMATION, 64 * 64);
        final ErrorLogEntry error = new ErrorLogEntry();
        error.wrap(log.buffer(), 0);
        assertEquals(before + 101, error.errorCount());
        assertEquals(0, error.sqId());
        assertEquals(0x1234, error.commandId());
        assertEquals((NvmeStatus.INVALID_OPCODE | NvmeStatus.DO_NOT_RETRY) << 1, error.statusField());
        assertEquals(77, error.namespaceId());
        assertEquals(0xFFFF, error.parameterLocation(), "none is named");
        assertEquals(3, error.transportType());
        for (int i = 1; i < 64; i++)
        {
            error.wrap(log.buffer(), i * 64);
            assertEquals(before + 101 - i, error.errorCount());
            assertEquals(1, error.sqId());
            assertEquals(10_100 - i, error.lba());
            assertEquals((NvmeStatus.LBA_OUT_OF_RANGE | NvmeStatus.DO_NOT_RETRY) << 1, error.statusField());
        }
    }

    private long errorCount(final int index)
    {
        final ErrorLogEntry error = new ErrorLogEntry();
        error.wrap(log(LogPageId.ERROR_INFORMATION, 64 * 64).buffer(), index * 64);
        return error.errorCount();
    }

    @Test
    void shouldTellWhatWasReadAndWritten()
    {
        final TestHost io = target.io(host, 1);
        for (int i = 0; i < 3; i++)
        {
            io.execute((entry) -> entry.opcode(IoOpcode.WRITE).namespaceId(1).cdw12(1023), new byte[1024 * 512], false);
        }
        io.execute((entry) -> entry.opcode(IoOpcode.READ).namespaceId(1).cdw12(0).sglLength(512));
        final SmartLog smart = new SmartLog();
        smart.wrap(log(LogPageId.SMART, 512).buffer(), 0);
        assertEquals(4, smart.dataUnitsWritten());
        assertEquals(1, smart.dataUnitsRead());
        assertEquals(3, smart.hostWriteCommands());
        assertEquals(1, smart.hostReadCommands());
        assertEquals(0, smart.criticalWarning());
        assertEquals(100, smart.availableSpare());
        assertEquals(0, smart.mediaErrors());
        assertEquals(0, smart.powerOnHours());
    }

    @Test
    void shouldKeepCountsOfNamespacesThatAreGone()
    {
        final TestHost io = target.io(host, 1);
        io.execute((entry) -> entry.opcode(IoOpcode.WRITE).namespaceId(1), new byte[512], true);
        target.subsystem().removeNamespace(1).join();
        final SmartLog smart = new SmartLog();
        smart.wrap(log(LogPageId.SMART, 512).buffer(), 0);
        assertEquals(1, smart.hostWriteCommands());
    }

    @Test
    void shouldRefuseHealthOfASingleNamespace()
    {
        assertEquals(NvmeStatus.INVALID_FIELD, host.execute((entry) -> entry.opcode(AdminOpcode.GET_LOG_PAGE)
            .namespaceId(1).cdw10(LogPageId.dword10(LogPageId.SMART, false, 512)).sglLength(512)).code());
    }

    @Test
    void shouldTellTheFirmware()
    {
        final FirmwareSlotLog firmware = new FirmwareSlotLog();
        firmware.wrap(log(LogPageId.FIRMWARE_SLOT, 512).buffer(), 0);
        assertEquals(1, firmware.activeFirmware());
        assertEquals(IdentifyData.FIRMWARE_REVISION, firmware.revision1());
    }

    @Test
    void shouldTellTheCommandsThatAreSupported()
    {
        final Completion effects = log(LogPageId.COMMAND_EFFECTS, 4096);
        final Set<Integer> admin = new HashSet<>();
        final Set<Integer> io = new HashSet<>();
        for (int opcode = 0; opcode < 256; opcode++)
        {
            if (0 != (effects.dword(opcode) & 1))
            {
                admin.add(opcode);
            }
            if (0 != (effects.dword(256 + opcode) & 1))
            {
                io.add(opcode);
            }
        }
        assertEquals(Set.of(0x02, 0x06, 0x08, 0x09, 0x0A, 0x0C, 0x18), admin);
        assertEquals(Set.of(0x00, 0x01, 0x02, 0x05, 0x08, 0x09, 0x0C, 0x19), io);
        assertEquals(1 | 2, effects.dword(256 + IoOpcode.COPY));
        assertEquals(1 | 2, effects.dword(256 + IoOpcode.WRITE));
        assertEquals(1, effects.dword(256 + IoOpcode.READ));
    }

    @Test
    void shouldTellTheLogPagesAndFeaturesThatAreSupported()
    {
        final Completion pages = log(LogPageId.SUPPORTED_LOG_PAGES, 1024);
        for (int id = 0; id < 256; id++)
        {
            final boolean supported = 0 != (pages.dword(id) & 1);
            final Completion read = log(host, id, 0, 4, true);
            assertEquals(supported ? NvmeStatus.SUCCESS : NvmeStatus.INVALID_LOG_PAGE, read.code(), "log page " + id);
        }
        final Completion features = log(LogPageId.FEATURE_EFFECTS, 1024);
        for (int id = 0; id < 256; id++)
        {
            final int featureId = id;
            final boolean supported = NvmeStatus.INVALID_FIELD != host.execute((entry) -> entry
                .opcode(AdminOpcode.GET_FEATURES).cdw10(featureId | 3 << 8)).code();
            assertEquals(supported, 0 != (features.dword(id) & 1), "feature " + id);
        }
        assertArrayEquals(new byte[4096], log(LogPageId.MANAGEMENT_EFFECTS, 4096).data());
    }

    @Test
    void shouldAnswerPartsOfAPage()
    {
        final byte[] whole = log(LogPageId.COMMAND_EFFECTS, 4096).data();
        final byte[] part = log(host, LogPageId.COMMAND_EFFECTS, 1020, 12, false).data();
        assertArrayEquals(Arrays.copyOfRange(whole, 1020, 1032), part);
        final byte[] beyond = log(host, LogPageId.COMMAND_EFFECTS, 4092, 16, false).data();
        assertArrayEquals(new byte[16], beyond);
    }

    @ParameterizedTest
    @ValueSource(longs = {1, 2, 3, 4100, 0x1_0000_0000L, Long.MIN_VALUE, -4})
    void shouldRefuseOffsetsThatAreNotThere(final long offset)
    {
        final Completion refused = log(host, LogPageId.COMMAND_EFFECTS, offset, 4, false);
        assertEquals(NvmeStatus.INVALID_FIELD, refused.code());
        assertFalse(refused.isRetryable());
    }

    @Test
    void shouldRefuseMoreThanTheLargestTransfer()
    {
        assertEquals(NvmeStatus.INVALID_FIELD, host.execute((entry) -> entry.opcode(AdminOpcode.GET_LOG_PAGE)
            .cdw10(1 | 0xFFFF << 16).cdw11(0xFFFF).sglLength(-4)).code());
        assertEquals(NvmeStatus.INVALID_FIELD, log(host, LogPageId.SMART, 0, (1 << 20) + 4, false).code());
        assertEquals(NvmeStatus.SUCCESS, log(host, LogPageId.SMART, 0, 1 << 20, false).status());
    }

    @Test
    void shouldRefuseIndexOffsetsAndOtherCommandSets()
    {
        assertEquals(NvmeStatus.INVALID_FIELD, host.execute((entry) -> entry.opcode(AdminOpcode.GET_LOG_PAGE)
            .cdw10(LogPageId.dword10(LogPageId.SMART, false, 512)).cdw14(1 << 23).sglLength(512)).code());
        assertEquals(NvmeStatus.INVALID_FIELD, host.execute((entry) -> entry.opcode(AdminOpcode.GET_LOG_PAGE)
            .cdw10(LogPageId.dword10(LogPageId.COMMAND_EFFECTS, false, 512)).cdw14(2 << 24).sglLength(512)).code());
    }

    @Test
    void shouldRefuseALengthThatIsNotThePointers()
    {
        assertEquals(NvmeStatus.DATA_SGL_LENGTH_INVALID, host.execute((entry) -> entry.opcode(AdminOpcode.GET_LOG_PAGE)
            .cdw10(LogPageId.dword10(LogPageId.SMART, false, 512)).sglLength(508)).code());
    }
}
