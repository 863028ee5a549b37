package io.millrace.spdk;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.millrace.bindings.Errno;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Messages are those of SPDK v26.05's sources. */
class StartRemedyTest
{
    private static final SpdkConfig CONFIG = new SpdkConfig(Path.of("spdk.json"), SpdkConfig.MEMORY_MIB_DEFAULT, false,
        List.of(), null);

    @ParameterizedTest
    @ValueSource(strings = {
        // bdev, malloc, iobuf, accel, threads
        "could not allocate spdk_bdev_io pool", "create bdev zero buffer failed", "Unable to allocate alias",
        "malloc_buf spdk_zmalloc() failed", "mdisk calloc() failed", "Failed to create small iobuf pool",
        "Unable to allocate requested large iobuf pool size",
        "Failed to populate 'bdev' iobuf small buffer cache at 0/32 entries", "no memory",
        "Couldn't allocate buffer descriptor", "Can't allocate aux data structure", "could not calloc spdk_io_channel",
        "Poller memory allocation failed", "Malloc0: out of memory while allocating claim",
        // nvmf, nvme, blobstore, gpt
        "Unable to create an iobuf channel in the poll group", "alloc qpair_cmd failed", "can not allocate rdma rsps",
        "Failed to reallocate active_ns_list!", "nvmf_data allocation error", "Cannot alloc buf",
        // strerror(ENOMEM), of methods
        "Cannot allocate memory"})
    void shouldRaiseMemoryForAMessageOfSpdk(final String message)
    {
        assertEquals("raise spdk.memory, 512 MiB, or make what spdk.json has in it smaller (malloc bdevs, " +
            "bdev_set_options, iobuf_set_options)",
            StartRemedy.ofSubsystems(CONFIG, Errno.EINVAL, SpdkMessages.sentenceEnd(List.of(message))));
        assertEquals("raise spdk.memory, 512 MiB",
            StartRemedy.ofSubsystems(SpdkConfig.defaults(), 0, SpdkMessages.sentenceEnd(List.of(message))));
    }

    @ParameterizedTest
    @ValueSource(strings = {"Method 'bdev_malloc_creat' was not found", "bdev Malloc0 already exists", "File exists",
        "Transport type 'TCP' already exists", "Failed to parse subsystem configuration", "No such device",
        "Data block size must be 512 bytes aligned", "bdev_io_pool_size must be at least 513"})
    void shouldCorrectTheConfigurationForOtherMessages(final String message)
    {
        assertTrue(StartRemedy.ofSubsystems(CONFIG, Errno.EINVAL, SpdkMessages.sentenceEnd(List.of(message)))
            .startsWith("correct what spdk.json has of it"));
        assertEquals("see what SPDK wrote to the log",
            StartRemedy.ofSubsystems(SpdkConfig.defaults(), Errno.EINVAL, ""));
    }

    @Test
    void shouldRaiseMemoryForAnErrorWithoutAMessage()
    {
        assertTrue(StartRemedy.ofSubsystems(CONFIG, Errno.ENOMEM, "").startsWith("raise spdk.memory"));
    }
}
