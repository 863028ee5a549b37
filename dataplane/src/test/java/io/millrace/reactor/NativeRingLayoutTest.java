package io.millrace.reactor;

import static io.millrace.reactor.NativeRingLayout.HEADER_BYTES;
import static io.millrace.reactor.NativeRingLayout.LINE_BYTES;
import static io.millrace.testing.Requirement.requireProgram;
import static org.junit.jupiter.api.Assertions.assertEquals;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.agrona.concurrent.ringbuffer.RecordDescriptor;
import org.agrona.concurrent.ringbuffer.RingBuffer;
import org.agrona.concurrent.ringbuffer.RingBufferDescriptor;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * C and Java mean the same places. The committed table is what the probe prints, on both processors.
 */
class NativeRingLayoutTest
{
    private static final int BODY = RecordDescriptor.HEADER_LENGTH;
    private static final Path EXPECTED = NativeRingTesting.RING.resolve("test/layout.txt");

    @TempDir
    private Path folder;

    @Test
    void shouldMatchTheCommittedTable() throws Exception
    {
        assertEquals(numbers(Files.readAllLines(EXPECTED)), ours());
    }

    @Test
    void shouldMatchWhatTheCompilerOfThisMachineMakesOfTheHeader() throws Exception
    {
        requireProgram("cc", "gcc");
        final String program = folder.resolve("layout").toString();
        NativeRingTesting.run(folder, "cc", "-std=gnu11", "-Wall", "-Wextra", "-Werror", "-o", program,
            NativeRingTesting.RING.resolve("test/layout.c").toString());
        assertEquals(ours(), numbers(NativeRingTesting.run(folder, program)));
    }

    private static Map<String, Long> numbers(final List<String> lines)
    {
        final Map<String, Long> numbers = new TreeMap<>();
        for (final String line : lines)
        {
            final String[] words = line.split(" ");
            numbers.put(words[0], Long.parseLong(words[1]));
        }
        return numbers;
    }

    private static Map<String, Long> ours()
    {
        final Map<String, Long> ours = new TreeMap<>();
        ours.put("MILLRACE_RING_MAGIC", NativeRingLayout.MAGIC);
        ours.put("MILLRACE_RING_VERSION", (long)NativeRingLayout.VERSION);
        ours.put("MILLRACE_RING_RECORD_BYTES", (long)DescriptorRecord.RECORD_BYTES);
        ours.put("MILLRACE_RING_LINE_BYTES", (long)LINE_BYTES);
        ours.put("MILLRACE_RING_TAIL_OFFSET", (long)RingBufferDescriptor.TAIL_POSITION_OFFSET);
        ours.put("MILLRACE_RING_HEAD_CACHE_OFFSET", (long)RingBufferDescriptor.HEAD_CACHE_POSITION_OFFSET);
        ours.put("MILLRACE_RING_HEAD_OFFSET", (long)RingBufferDescriptor.HEAD_POSITION_OFFSET);
        ours.put("MILLRACE_RING_TRAILER_BYTES", (long)RingBufferDescriptor.TRAILER_LENGTH);
        ours.put("MILLRACE_RING_PLACES_MIN", (long)NativeRingLayout.PLACES_MIN);
        ours.put("MILLRACE_RING_PLACES_MAX", (long)NativeRingLayout.PLACES_MAX);
        ours.put("MILLRACE_RING_PADDING", (long)RingBuffer.PADDING_MSG_TYPE_ID);
        ours.put("MILLRACE_RING_ONE_PRODUCER", (long)NativeRingLayout.ONE_PRODUCER);
        ours.put("MILLRACE_RING_MANY_PRODUCERS", (long)NativeRingLayout.MANY_PRODUCERS);
        ours.put("MILLRACE_RING_CLOSED", (long)NativeRingLayout.CLOSED);
        ours.put("millrace_descriptor", (long)DescriptorRecord.RECORD_BYTES);
        ours.put("millrace_descriptor.record_bytes", (long)RecordDescriptor.lengthOffset(0));
        ours.put("millrace_descriptor.type", (long)RecordDescriptor.typeOffset(0));
        ours.put("millrace_descriptor.address", (long)BODY + DescriptorRecord.ADDRESS_OFFSET);
        ours.put("millrace_descriptor.length", (long)BODY + DescriptorRecord.LENGTH_OFFSET);
        ours.put("millrace_descriptor.slot", (long)BODY + DescriptorRecord.SLOT_OFFSET);
        ours.put("millrace_descriptor.word0", (long)BODY + DescriptorRecord.WORD0_OFFSET);
        ours.put("millrace_descriptor.word1", (long)BODY + DescriptorRecord.WORD1_OFFSET);
        ours.put("millrace_ring_header", (long)HEADER_BYTES);
        ours.put("millrace_ring_header.magic", (long)NativeRingLayout.MAGIC_OFFSET);
        ours.put("millrace_ring_header.version", (long)NativeRingLayout.VERSION_OFFSET);
        ours.put("millrace_ring_header.header_bytes", (long)NativeRingLayout.HEADER_BYTES_OFFSET);
        ours.put("millrace_ring_header.record_bytes", (long)NativeRingLayout.RECORD_BYTES_OFFSET);
        ours.put("millrace_ring_header.trailer_bytes", (long)NativeRingLayout.TRAILER_BYTES_OFFSET);
        ours.put("millrace_ring_header.total_bytes", (long)NativeRingLayout.TOTAL_BYTES_OFFSET);
        ours.put("millrace_ring_header.to_native_offset", (long)NativeRingLayout.TO_NATIVE_OFFSET_OFFSET);
        ours.put("millrace_ring_header.to_native_capacity", (long)NativeRingLayout.TO_NATIVE_CAPACITY_OFFSET);
        ours.put("millrace_ring_header.to_java_offset", (long)NativeRingLayout.TO_JAVA_OFFSET_OFFSET);
        ours.put("millrace_ring_header.to_java_capacity", (long)NativeRingLayout.TO_JAVA_CAPACITY_OFFSET);
        ours.put("millrace_ring_header.java_sleeping", (long)NativeRingLayout.JAVA_SLEEPING_OFFSET);
        ours.put("millrace_ring_header.java_event", (long)NativeRingLayout.JAVA_EVENT_OFFSET);
        ours.put("millrace_ring_header.native_event", (long)NativeRingLayout.NATIVE_EVENT_OFFSET);
        ours.put("millrace_ring_header.to_java_producers", (long)NativeRingLayout.TO_JAVA_PRODUCERS_OFFSET);
        ours.put("millrace_ring_header.attachments", (long)NativeRingLayout.ATTACHMENTS_OFFSET);
        ours.put("millrace_ring_header.native_sleeping", (long)NativeRingLayout.NATIVE_SLEEPING_OFFSET);
        return ours;
    }
}
