package io.millrace.nvmf.initiator.rdma;

import static org.junit.jupiter.api.Assertions.assertEquals;

import io.millrace.bindings.NativeMemory;
import io.millrace.memory.Segments;
import io.millrace.nvme.SglDescriptor;
import io.millrace.nvme.identify.IdentifyControllerIo;
import io.millrace.nvmf.initiator.CapsuleLimits;
import io.millrace.nvmf.initiator.Waits;
import java.lang.foreign.Arena;
import java.util.ArrayList;
import java.util.List;
import java.util.function.UnaryOperator;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** How a payload is named in a capsule, by what the controller takes (IOCCSZ, SGLS, MSDBD) and where the payload is. */
class RdmaHostCapsuleTest
{
    private static final int SGL_OFFSET = 24;
    private static final int PIECE_BYTES = 1024;

    private final RdmaHostFixture fixture = new RdmaHostFixture();
    private final Arena arena = Arena.ofShared();
    private final List<String> seen = new ArrayList<>();

    @AfterEach
    void shouldLeaveNothing()
    {
        fixture.close();
        arena.close();
    }

    private void record(final long capsule)
    {
        final int type = NativeMemory.getByte(capsule + SGL_OFFSET + 15) & 0xFF;
        final int bytes = NativeMemory.getInt(capsule + SGL_OFFSET + 8);
        synchronized (seen)
        {
            seen.add(switch (type)
            {
                case SglDescriptor.DATA_BLOCK_OFFSET -> "capsule " + bytes;
                case SglDescriptor.LAST_SEGMENT_OFFSET -> "descriptors " + bytes / SglDescriptor.SIZE_BYTES;
                case SglDescriptor.KEYED_ADDRESS -> "key " + (bytes & SglDescriptor.KEYED_BYTES_MAX);
                default -> "type " + type;
            });
        }
    }

    private CapsuleLimits limits(final int dataBytes, final boolean takesOffsets, final int descriptors)
    {
        return new CapsuleLimits(dataBytes, IdentifyControllerIo.SGL_ANY_ALIGNMENT | IdentifyControllerIo.SGL_KEYED |
            (takesOffsets ? IdentifyControllerIo.SGL_OFFSET : 0), descriptors);
    }

    private long bounced()
    {
        return fixture.call(() -> fixture.queue().exchange().sender().bouncedCommands());
    }

    @ParameterizedTest
    @CsvSource({
        // IOCCSZ data, offsets, MSDBD, registered, writes, pieces, bytes of each; seen, copied
        "8192, true, 1, true, true, 1, 8192, capsule 8192, 0",
        "8192, true, 1, true, true, 1, 8193, key 8193, 0",
        "8192, false, 1, true, true, 1, 4096, key 4096, 0",
        "8192, true, 1, true, false, 1, 4096, key 4096, 0",
        "8192, true, 1, true, true, 3, 1024, capsule 3072, 0",
        "8192, true, 1, true, true, 4, 1024, capsule 4096, 1",
        "8192, true, 1, false, true, 1, 4096, capsule 4096, 1",
        "0, true, 1, false, true, 1, 4096, key 4096, 1",
        "0, true, 1, false, false, 1, 4096, key 4096, 1",
        "0, true, 1, true, false, 1, 4194304, key 4194304, 0",
        "256, true, 16, true, false, 16, 1024, descriptors 16, 0",
        "256, true, 0, true, false, 16, 1024, descriptors 16, 0",
        "256, true, 4, true, false, 4, 1024, descriptors 4, 0",
        "256, true, 4, true, false, 5, 1024, key 5120, 1",
        "48, true, 16, true, false, 3, 1024, descriptors 3, 0",
        "48, true, 16, true, false, 4, 1024, key 4096, 1",
        "256, false, 16, true, false, 2, 1024, key 2048, 1",
        "256, true, 16, false, false, 2, 1024, key 2048, 1",
        "256, true, 16, true, false, 1, 4096, key 4096, 0"})
    void shouldNameAPayloadAsTheControllerTakesIt(
        final int dataBytes,
        final boolean takesOffsets,
        final int descriptors,
        final boolean isRegistered,
        final boolean writes,
        final int pieces,
        final int bytes,
        final String expected,
        final int copied)
    {
        fixture.controller.script((controller, entry, capsule) ->
        {
            record(capsule);
            controller.answer(entry.commandId(), 0);
        });
        fixture.openReady(limits(dataBytes, takesOffsets, descriptors), UnaryOperator.identity());
        final long base = isRegistered ? fixture.memory.address() : arena.allocate(1 << 16, 4096).address();
        final Segments payload = new Segments();
        for (int i = 0; i < pieces; i++)
        {
            payload.add(base + 2L * i * PIECE_BYTES, bytes);
        }
        assertEquals(0, Waits.get(fixture.submit((request) ->
            writes ? request.write(1, 0, 1, payload) : request.read(1, 0, 1, payload))));
        synchronized (seen)
        {
            assertEquals(List.of(expected), seen);
        }
        assertEquals(copied, bounced());
        assertEquals(0, fixture.call(() -> fixture.queue().exchange().bounce().takenBytes()));
    }

    /** An I/O queue of fewer entries than an admin queue copies transfers as long as any. */
    @Test
    void shouldCopyTheLongestTransferOfAShortQueue()
    {
        try (RdmaHostFixture small = new RdmaHostFixture(2))
        {
            small.controller.script((controller, entry, capsule) ->
            {
                record(capsule);
                controller.answer(entry.commandId(), 0);
            });
            small.openReady(limits(8192, true, 1), UnaryOperator.identity());
            final Segments payload = new Segments();
            payload.add(arena.allocate(RdmaHostTransport.TRANSFER_BYTES_MAX, 4096).address(),
                RdmaHostTransport.TRANSFER_BYTES_MAX);
            assertEquals(0, Waits.get(small.submit((request) -> request.read(1, 0, 1, payload))));
        }
        synchronized (seen)
        {
            assertEquals(List.of("key " + RdmaHostTransport.TRANSFER_BYTES_MAX), seen);
        }
    }

    /** A command without payload names none. */
    @Test
    void shouldNameNothingForACommandWithoutPayload()
    {
        fixture.controller.script((controller, entry, capsule) ->
        {
            record(capsule);
            controller.answer(entry.commandId(), 0);
        });
        fixture.openReady(limits(8192, true, 16), UnaryOperator.identity());
        assertEquals(0, Waits.get(fixture.submit((request) -> request.flush(1))));
        synchronized (seen)
        {
            assertEquals(List.of("key 0"), seen);
        }
    }

    /** Where in-capsule data is taken too: Connect is what makes the queue, and its data is read by key. */
    @Test
    void shouldNameTheDataOfConnectByKey()
    {
        fixture.openReady(limits(8192, true, 16), UnaryOperator.identity());
        assertEquals(SglDescriptor.KEYED_ADDRESS, fixture.controller.connectSglType());
        assertEquals(0, bounced());
    }
}
