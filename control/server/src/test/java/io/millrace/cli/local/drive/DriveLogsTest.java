package io.millrace.cli.local.drive;

import static org.junit.jupiter.api.Assertions.assertEquals;

import io.millrace.console.Json;
import io.millrace.console.Terminal;
import io.millrace.nvme.ErrorLogEntry;
import io.millrace.nvme.FirmwareSlotLog;
import io.millrace.nvme.LogPageId;
import io.millrace.nvme.NvmeStatus;
import io.millrace.nvme.SmartLog;
import io.millrace.nvme.identify.IdentifyController;
import io.millrace.nvme.identify.IdentifyControllerAdmin;
import java.io.ByteArrayOutputStream;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.util.EnumSet;
import java.util.Set;
import org.agrona.concurrent.UnsafeBuffer;
import org.junit.jupiter.api.Test;

/**
 * What is printed of log pages; real ones come from drives of the emulated machine.
 */
class DriveLogsTest
{
    /** A drive of two error entries, one of them used, with an escape character in a revision. */
    private static final class Pages implements DriveAdmin
    {
        @Override
        public byte[] identify(final int cns, final int nsid)
        {
            final byte[] data = new byte[IdentifyController.SIZE_BYTES];
            final IdentifyController identify = new IdentifyController();
            identify.wrap(new UnsafeBuffer(data), 0);
            identify.modelNumber("Model").serialNumber("S1").firmwareRevision("1.0");
            final IdentifyControllerAdmin attributes = new IdentifyControllerAdmin();
            attributes.wrap(identify.buffer(), 0);
            attributes.errorLogPageEntries(1).firmwareUpdates(2 << 1 | 1);
            return data;
        }

        @Override
        public byte[] logPage(final int page, final int lengthBytes)
        {
            final byte[] data = new byte[lengthBytes];
            final UnsafeBuffer buffer = new UnsafeBuffer(data);
            switch (page)
            {
                case LogPageId.SMART ->
                {
                    final SmartLog smart = new SmartLog();
                    smart.wrap(buffer, 0);
                    smart.compositeTemperature(273 + 41).percentageUsed(3);
                }
                case LogPageId.FIRMWARE_SLOT ->
                {
                    final FirmwareSlotLog slots = new FirmwareSlotLog();
                    slots.wrap(buffer, 0);
                    slots.activeFirmware(2 << 4 | 1).revision1("1.0");
                    buffer.putStringWithoutLengthAscii(16, "1.\u001b");
                }
                default ->
                {
                    assertEquals(2 * ErrorLogEntry.SIZE_BYTES, lengthBytes);
                    final ErrorLogEntry entry = new ErrorLogEntry();
                    entry.wrap(buffer, 0);
                    entry.errorCount(9).sqId(1).commandId(0xFFFF)
                        .statusField((NvmeStatus.LBA_OUT_OF_RANGE | NvmeStatus.MORE) << 1 | 1)
                        .parameterLocation(0xFFFF).lba(77).namespaceId(1);
                }
            }
            return data;
        }

        @Override
        public void reset()
        {
            throw new AssertionError("the command needs only log pages");
        }

        @Override
        public void close()
        {
            // Nothing is open.
        }
    }

    private static String printed(final Set<DriveLogs.Page> pages)
    {
        final ByteArrayOutputStream out = new ByteArrayOutputStream();
        new DriveLogs(new Pages(), pages).print("0000:01:00.0",
            new Terminal(new PrintStream(out, true, StandardCharsets.UTF_8), false, false));
        return out.toString(StandardCharsets.UTF_8);
    }

    @Test
    void shouldPrintWhatWasAskedFor()
    {
        assertEquals("""
            0000:01:00.0: Model, serial S1, firmware 1.0
            firmware slots:
              SLOT  REVISION  STATE
                 1  1.0       active, read-only
                 2  1.?       active after the next reset
            errors, newest first:
              COUNT  QUEUE  COMMAND  STATUS            NSID  BLOCK  FIELD
                  9      1        -  LBA Out of Range     1     77  -
            """, printed(EnumSet.of(DriveLogs.Page.error, DriveLogs.Page.firmware)));
    }

    @Test
    void shouldPrintHealthFirst()
    {
        assertEquals("health: good, 41 C, 3% used",
            printed(EnumSet.of(DriveLogs.Page.smart)).lines().skip(1).findFirst().orElseThrow());
    }

    @Test
    void shouldWriteJson()
    {
        assertEquals("{\"address\": \"0000:01:00.0\", \"model\": \"Model\", \"serial\": \"S1\", \"firmware\": " +
            "\"1.0\", \"errors\": [{\"count\": 9, \"queue\": 1, \"command\": 65535, \"status\": 128, " +
            "\"status-name\": \"LBA Out of Range\", \"more\": true, \"do-not-retry\": false, " +
            "\"parameter-location\": 65535, \"nsid\": 1, \"block\": \"77\", " +
            "\"command-specific\": 0}]}",
            Json.line(new DriveLogs(new Pages(), EnumSet.of(DriveLogs.Page.error)).json("0000:01:00.0")));
    }
}
