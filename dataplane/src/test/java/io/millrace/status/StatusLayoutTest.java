package io.millrace.status;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertSame;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * The bytes of a status file, by numbers: readers of other versions and languages depend on them.
 */
class StatusLayoutTest
{
    private static final int PARTS = 4096 + 65536;
    private static final int PART_BYTES = 1 << 20;
    private static final int HISTOGRAM = 64 + 216 * 8;

    @TempDir
    private Path directory;

    @Test
    void shouldWriteWhatTheFormatSays() throws IOException
    {
        final Path path = directory.resolve("layout.status");
        final long beforeMs = System.currentTimeMillis();
        try (StatusFile file = StatusFile.create(new StatusSettings(path, true, PART_BYTES, "millrace 1.2.3"), 2))
        {
            file.publish();
            final StatusPart part = file.part(1);
            final ReactorCounters reactor = part.reactor(1, 7, "reactor-1");
            reactor.put(ReactorCounters.Value.BUSY_NS, 11);
            reactor.put(ReactorCounters.Value.POOL_WAITS, 12);
            reactor.put(ReactorCounters.Value.POOL_PEAK_BYTES, 14);
            reactor.put(ReactorCounters.Value.POOL_QUARANTINED_BYTES, 16);
            reactor.put(ReactorCounters.Value.REQUEST_WAITS, 17);
            final QueuePairCounters queuePair = part.queuePair("nqn.a", "nqn.host", 3, 4, 128);
            queuePair.commands(20);
            queuePair.answered(18, 4096, 8192, 2);
            final IoCounters namespace = part.namespace("nqn.a", 9);
            namespace.onSuccess(IoOperation.WRITE, 512, 5_000, LatencyBuckets.index(5_000));
            namespace.onError(IoOperation.OTHER);
            namespace.onMediaError();
            part.host("nqn.hé").onSuccess(IoOperation.READ, 1, 125, 1);
            part.written(77);
            final DataPlaneCounters dataPlane = file.part(0).dataPlane("no pages");
            dataPlane.put(DataPlaneCounters.Value.HOST_TERMINATIONS, 13);
            dataPlane.put(DataPlaneCounters.Value.DMA_HUGEPAGE_BYTES, 15);
            assertSame(file.part(0).rdmaDevice("mlx5_0"), file.part(0).rdmaDevice("mlx5_0"));
        }
        final ByteBuffer bytes = ByteBuffer.wrap(Files.readAllBytes(path)).order(ByteOrder.LITTLE_ENDIAN);
        assertEquals(PARTS + 2 * PART_BYTES, bytes.capacity());
        header(bytes, beforeMs);

        final int part = PARTS + PART_BYTES;
        assertEquals(1, bytes.getInt(part));
        assertEquals(77, bytes.getLong(part + 16));
        int record = part + 64;
        record(bytes, record, 64 + 128 + 256, 2, 1, 7, "reactor-1", "", 14, 0);
        assertEquals(11, bytes.getLong(record + 64));
        assertEquals(12, bytes.getLong(record + 64 + 10 * 8));
        assertEquals(14, bytes.getLong(record + 64 + 11 * 8));
        assertEquals(16, bytes.getLong(record + 64 + 12 * 8));
        assertEquals(17, bytes.getLong(record + 64 + 13 * 8));

        record += 64 + 128 + 256;
        record(bytes, record, 64 + 64 + 512, 3, 3, 4, "nqn.a", "nqn.host", 6, 0);
        final long[] values = {20, 18, 4096, 8192, 2, 128};
        for (int i = 0; i < values.length; i++)
        {
            assertEquals(values[i], bytes.getLong(record + 64 + 8 * i));
        }

        record += 64 + 64 + 512;
        record(bytes, record, 64 + 64 + 256 + 3 * HISTOGRAM, 4, 9, 0, "nqn.a", "", 1, 3);
        assertEquals(1, bytes.getLong(record + 64), "media errors");
        final int write = record + 64 + 64 + 256 + HISTOGRAM;
        assertEquals(512, bytes.getLong(write));
        assertEquals(0, bytes.getLong(write + 8));
        assertEquals(5_000, bytes.getLong(write + 16));
        assertEquals(5_000, bytes.getLong(write + 24));
        // 5 µs: eighths of 4 µs to 8 µs begin at bucket 24.
        assertEquals(1, bytes.getLong(write + 64 + 26 * 8));
        assertEquals(1, bytes.getLong(write + HISTOGRAM + 8), "errors of others");

        record += 64 + 64 + 256 + 3 * HISTOGRAM;
        record(bytes, record, 64 + 64 + 256 + 3 * HISTOGRAM, 5, 0, 0, "nqn.hé", "", 1, 3);
        assertEquals(record + 64 + 64 + 256 + 3 * HISTOGRAM - part, bytes.getLong(part + 24));

        record(bytes, PARTS + 64 + 512, 64 + 1408 + 256, 8, 0, 0, "mlx5_0", "", 176, 0);

        record(bytes, PARTS + 64, 64 + 192 + 256, 1, 0, 0, "no pages", "", 22, 0);
        assertEquals(13, bytes.getLong(PARTS + 64 + 64 + 11 * 8));
        assertEquals(15, bytes.getLong(PARTS + 64 + 64 + 13 * 8));
    }

    private static void header(final ByteBuffer bytes, final long beforeMs)
    {
        assertEquals("MILLSTAT", text(bytes, 0, 8));
        assertEquals(1, bytes.getInt(8));
        assertEquals(4096, bytes.getInt(12));
        assertEquals(ProcessHandle.current().pid(), bytes.getLong(16));
        final long startMs = bytes.getLong(24);
        assertEquals(true, beforeMs <= startMs && startMs <= bytes.getLong(32), "stopped after it was started");
        assertEquals(4096, bytes.getLong(40));
        assertEquals(65536, bytes.getLong(48));
        assertEquals(PARTS, bytes.getLong(56));
        assertEquals(PART_BYTES, bytes.getLong(64));
        assertEquals(2, bytes.getInt(72));
        assertEquals(216, bytes.getInt(76));
        assertEquals(3, bytes.getInt(80));
        assertEquals(125, bytes.getInt(84));
        assertEquals("millrace 1.2.3", text(bytes, 92, bytes.getInt(88)));
    }

    private static void record(
        final ByteBuffer bytes,
        final int offset,
        final int lengthBytes,
        final int type,
        final int number0,
        final int number1,
        final String text0,
        final String text1,
        final int values,
        final int histograms)
    {
        assertEquals(lengthBytes, bytes.getInt(offset));
        assertEquals(1, bytes.getInt(offset + 4));
        assertEquals(type, bytes.getInt(offset + 8));
        assertEquals(1, bytes.getInt(offset + 12));
        assertEquals(number0, bytes.getInt(offset + 24));
        assertEquals(number1, bytes.getInt(offset + 28));
        final int texts = bytes.getInt(offset + 40);
        assertEquals(text0, text(bytes, offset + texts, bytes.getInt(offset + 32)));
        assertEquals(text1, text(bytes, offset + texts + 256, bytes.getInt(offset + 36)));
        assertEquals(64, bytes.getInt(offset + 44));
        assertEquals(values, bytes.getInt(offset + 48));
        assertEquals(lengthBytes - histograms * HISTOGRAM, bytes.getInt(offset + 52));
        assertEquals(histograms, bytes.getInt(offset + 56));
    }

    private static String text(final ByteBuffer bytes, final int offset, final int lengthBytes)
    {
        if (0 == lengthBytes)
        {
            return "";
        }
        final byte[] text = new byte[lengthBytes];
        bytes.get(offset, text);
        return new String(text, StandardCharsets.UTF_8);
    }
}
