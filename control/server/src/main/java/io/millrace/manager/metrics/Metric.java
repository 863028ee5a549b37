package io.millrace.manager.metrics;

import java.util.List;

/**
 * Every metric there is: name, type, labels, unit. {@code docs/metrics.md} describes each; a test compares it with a
 * scrape. Counters have {@code _total} behind their names when they are scraped.
 */
enum Metric
{
    UP(Type.GAUGE, "millrace_up", "Whether the manager is connected to the data plane.", Labels.PLANE),
    INFO(Type.GAUGE, "millrace_data_plane_info", "Always 1, with the version of the program and the id of this start.",
        "data_plane", "version", "id"),
    UPTIME(Type.GAUGE, "millrace_data_plane_uptime_seconds", "Since the data plane was started.", Labels.PLANE),
    STATE(Type.GAUGE, "millrace_data_plane_state", "1 for the state that the data plane is in.", "data_plane", "state"),
    MEMORY(Type.GAUGE, "millrace_memory_bytes", "Arena of I/O buffers.", Labels.PLANE),
    DMA(Type.GAUGE, "millrace_dma_memory_bytes", "Memory that devices and the kernel reach, by its pages.",
        "data_plane", "pages"),

    CONNECTIONS_ACCEPTED(Type.COUNTER, "millrace_connections_accepted", "Connections accepted.", Labels.PLANE),
    CONNECTIONS_CLOSED(Type.COUNTER, "millrace_connections_closed", "Connections closed, whatever the reason.",
        Labels.PLANE),
    CONNECTIONS_REFUSED(Type.COUNTER, "millrace_connections_refused", "Connections closed when they were accepted.",
        Labels.PLANE),
    CONNECTIONS_REFUSED_PENDING(Type.COUNTER, "millrace_connections_refused_pending",
        "Part of millrace_connections_refused: refused because too many connections were pending.", Labels.PLANE),
    CONNECTIONS_PENDING(Type.GAUGE, "millrace_pending_connections", "Connections that have not become queues.",
        Labels.PLANE),
    CONNECTS_REFUSED(Type.COUNTER, "millrace_connects_refused",
        "Connect commands refused because there were too many connections.", Labels.PLANE),
    DISCOVERY_CONNECTIONS(Type.GAUGE, "millrace_discovery_connections", "Discovery controllers.", Labels.PLANE),
    DISCOVERY_REFUSED(Type.COUNTER, "millrace_discovery_connects_refused",
        "Connect commands refused because there were too many discovery controllers.", Labels.PLANE),
    ACCEPT_PAUSES(Type.COUNTER, "millrace_accept_pauses",
        "How often accepting paused because the process had no descriptors or memory left.", Labels.PLANE),
    CONNECT_TIMEOUTS(Type.COUNTER, "millrace_connect_timeouts",
        "Connections closed because no Connect command succeeded in time.", Labels.PLANE),
    DATA_TIMEOUTS(Type.COUNTER, "millrace_data_timeouts",
        "Connections closed because data of a write did not come in time.", Labels.PLANE),
    SEND_TIMEOUTS(Type.COUNTER, "millrace_send_timeouts",
        "Connections closed because the host did not take answers in time.", Labels.PLANE),
    HOST_TERMINATIONS(Type.COUNTER, "millrace_host_terminations",
        "Connections that the host ended with H2CTermReq.", Labels.PLANE),
    HEADER_DIGEST_ERRORS(Type.COUNTER, "millrace_header_digest_errors", "PDUs with a wrong header digest.",
        Labels.PLANE),
    DATA_DIGEST_ERRORS(Type.COUNTER, "millrace_data_digest_errors", "PDUs with a wrong data digest.", Labels.PLANE),
    STALLED_CAPSULES(Type.COUNTER, "millrace_stalled_capsules",
        "Capsules that waited for a buffer, a request slot or a turn.", Labels.PLANE),
    DEFERRED_CAPSULES(Type.COUNTER, "millrace_deferred_capsules",
        "Capsules deferred until there was a request slot, so that data behind them was reached.", Labels.PLANE),
    COPIED_LOANS(Type.COUNTER, "millrace_copied_answers",
        "Answers whose data was copied because the host did not read them.", Labels.PLANE),

    REACTOR_SECONDS(Type.COUNTER, "millrace_reactor_seconds", "Time of the reactor with work and without.",
        "data_plane", "reactor", "mode"),
    REACTOR_CYCLES(Type.COUNTER, "millrace_reactor_cycles", "Cycles of the reactor.", Labels.REACTOR),
    REACTOR_LONGEST(Type.GAUGE, "millrace_reactor_longest_cycle_seconds", "Longest cycle since the start.",
        Labels.REACTOR),
    REACTOR_CONNECTIONS(Type.GAUGE, "millrace_reactor_connections", "Connections of hosts.", Labels.REACTOR),
    REACTOR_REQUESTS(Type.GAUGE, "millrace_reactor_requests", "Commands of hosts in progress.", Labels.REACTOR),
    POOL(Type.GAUGE, "millrace_reactor_pool_bytes", "Buffers of the reactor.", Labels.REACTOR),
    POOL_USED(Type.GAUGE, "millrace_reactor_pool_used_bytes", "Used part of the buffers.", Labels.REACTOR),
    POOL_PEAK(Type.GAUGE, "millrace_reactor_pool_peak_bytes",
        "Peak of used buffers since the start.", Labels.REACTOR),
    POOL_QUARANTINED(Type.GAUGE, "millrace_reactor_pool_quarantined_bytes",
        "Buffers that devices may still use though the commands have ended.", Labels.REACTOR),
    POOL_WAITING(Type.GAUGE, "millrace_reactor_pool_waiting_requests", "Commands that wait for a buffer.",
        Labels.REACTOR),
    POOL_WAITS(Type.COUNTER, "millrace_reactor_pool_waits", "How often a command had to wait for a buffer.",
        Labels.REACTOR),
    REACTOR_SLEEPS(Type.COUNTER, "millrace_reactor_sleeps", "How often the reactor slept in the kernel.",
        Labels.REACTOR),
    REQUEST_WAITS(Type.COUNTER, "millrace_reactor_request_waits",
        "How often a command had to wait for a request slot.", Labels.REACTOR),
    HOLDER_BYTES(Type.GAUGE, "millrace_buffer_holder_bytes",
        "While commands wait for buffers: those that a host or device holds.", Labels.HOLDER),
    HOLDER_WAITING(Type.GAUGE, "millrace_buffer_holder_waiting_requests",
        "Commands of the holder that wait for buffers.",
        Labels.HOLDER),
    HOLDER_LONGEST(Type.GAUGE, "millrace_buffer_holder_longest_hold_seconds",
        "Age of the holder's oldest command with a buffer.", Labels.HOLDER),

    DEVICE_ERRORS(Type.COUNTER, "millrace_device_errors", "I/O that a device failed.",
        "data_plane", "device", "operation", "status", "cause"),

    ARRAY_HEALTH(Type.GAUGE, "millrace_array_health", "1 for the health that the array has.",
        "data_plane", "array", "health"),
    ARRAY_SLOTS(Type.GAUGE, "millrace_array_slots", "Slots of the array.", Labels.ARRAY),
    ARRAY_SLOTS_NOT_IN_SYNC(Type.GAUGE, "millrace_array_slots_not_in_sync",
        "Slots without a member in sync.", Labels.ARRAY),
    ARRAY_SPARES(Type.GAUGE, "millrace_array_spares", "Spares that no slot has taken.", Labels.ARRAY),
    ARRAY_JOURNAL_DEVICE(Type.GAUGE, "millrace_array_journal_device",
        "1 for the state that the journal device of the array has.", "data_plane", "array", "device", "state"),
    SHARED_SPARE_FREE(Type.GAUGE, "millrace_shared_spare_free",
        "1 when the shared spare is online and no array has it, else 0.", "data_plane", "device"),
    ARRAY_PROGRESS(Type.GAUGE, "millrace_array_operation_progress_ratio",
        "Progress of a rebuild, replacement, resync, reshape, resize or scrub that runs.", "data_plane", "array",
        "operation"),
    ARRAY_DIRTY(Type.GAUGE, "millrace_array_dirty_bytes",
        "Bytes of each member in regions that the write-intent bitmap has set.", Labels.ARRAY),
    ARRAY_RESYNC(Type.GAUGE, "millrace_array_resync_bytes",
        "Bytes of each member in regions that need a resync.", Labels.ARRAY),
    ARRAY_CORRECTED_ERRORS(Type.COUNTER, "millrace_array_corrected_errors",
        "How often rows were rewritten on a device that could not read them, or read them wrongly.",
        "data_plane", "array", "device"),
    ARRAY_LOST_BLOCKS(Type.GAUGE, "millrace_array_lost_blocks",
        "Blocks of a device that a rebuild could not compute, and that were not written since.",
        "data_plane", "array", "device"),
    ARRAY_WRONG_BLOCKS(Type.COUNTER, "millrace_array_wrong_blocks",
        "Times that blocks of a device were found to have a checksum mismatch.", "data_plane", "array", "device"),
    ARRAY_INVALID_CHECKSUM_PAGES(Type.COUNTER, "millrace_array_invalid_checksum_pages",
        "Pages of checksums of a device that were not valid when they were read.", "data_plane", "array", "device"),
    ARRAY_SCRUB_WRONG_BLOCKS(Type.GAUGE, "millrace_array_scrub_wrong_blocks",
        "Blocks that the last scrub found to have a checksum mismatch.", Labels.ARRAY),
    ARRAY_KNOWN_MISMATCHES(Type.GAUGE, "millrace_array_known_mismatches",
        "1 while rows are known not to match since a scrub found them, else 0.", Labels.ARRAY),
    ARRAY_CHECKSUMS(Type.GAUGE, "millrace_array_checksums",
        "1 when blocks of the members have checksums, else 0.", Labels.ARRAY),
    ARRAY_HEDGED_READS(Type.COUNTER, "millrace_array_hedged_reads",
        "Late reads of a member that the other members were asked for as well.", Labels.ARRAY),
    ARRAY_HEDGES_WON(Type.COUNTER, "millrace_array_hedged_reads_won",
        "Hedged reads that the other members answered first.", Labels.ARRAY),
    ARRAY_STRIPE_WRITES(Type.COUNTER, "millrace_array_stripe_writes",
        "Writes of stripes or parts of them for hosts: whole, reconstruct or read-modify-write.",
        "data_plane", "array", "kind"),
    ARRAY_GATHERED_WRITES(Type.COUNTER, "millrace_array_gathered_writes",
        "Writes of hosts that were written with others at once.", Labels.ARRAY),
    ARRAY_SCRUBBED(Type.GAUGE, "millrace_array_last_scrub_timestamp_seconds",
        "End of the last complete scrub.", Labels.ARRAY),
    ARRAY_SCRUB_MISMATCHES(Type.GAUGE, "millrace_array_scrub_mismatches",
        "Rows that did not match in the scrub that runs, else in the last one.", Labels.ARRAY),
    ARRAY_SCRUB_REPAIRED(Type.GAUGE, "millrace_array_scrub_repaired",
        "Mismatches of that scrub that it repaired.", Labels.ARRAY),
    ARRAY_SCRUB_UNREADABLE(Type.GAUGE, "millrace_array_scrub_unreadable",
        "Rows of that scrub that could not be read, and not be rewritten.", Labels.ARRAY),

    RDMA_OPERATIONS(Type.COUNTER, "millrace_rdma_operations",
        "Requests posted to an RDMA device, and messages received by it.", "data_plane", "device", "operation"),
    RDMA_BYTES(Type.COUNTER, "millrace_rdma_bytes", "Bytes of these requests and messages.",
        "data_plane", "device", "operation"),
    RDMA_LATENCY(Type.HISTOGRAM, "millrace_rdma_latency_seconds",
        "Latency of requests that an RDMA device completed with success, where it is known.",
        "data_plane", "device", "operation"),
    RDMA_ERRORS(Type.COUNTER, "millrace_rdma_errors", "Requests that an RDMA device completed with an error.",
        "data_plane", "device", "status"),
    RDMA_QUEUE_PAIRS(Type.GAUGE, "millrace_rdma_queue_pairs", "Queue pairs on an RDMA device.",
        "data_plane", "device"),
    RDMA_CONNECTIONS(Type.COUNTER, "millrace_rdma_connections", "Connections established by an RDMA device.",
        "data_plane", "device"),
    RDMA_REMOVALS(Type.COUNTER, "millrace_rdma_device_removals", "How often an RDMA device was removed while in use.",
        "data_plane", "device"),

    SPDK_BDEV_OPERATIONS(Type.COUNTER, "millrace_spdk_bdev_operations", "Requests that a bdev of SPDK has ended.",
        "data_plane", "bdev", "operation"),
    SPDK_BDEV_BYTES(Type.COUNTER, "millrace_spdk_bdev_bytes", "Bytes of these requests.",
        "data_plane", "bdev", "operation"),
    SPDK_BDEV_SECONDS(Type.COUNTER, "millrace_spdk_bdev_operation_seconds", "Latencies of these requests, added up.",
        "data_plane", "bdev", "operation"),

    CONTROLLERS(Type.GAUGE, "millrace_controllers", "Controllers that a host has on a subsystem.",
        "data_plane", "subsystem", "host"),

    NAMESPACE_SIZE(Type.GAUGE, "millrace_namespace_size_bytes", "Size as hosts see it.", Labels.NAMESPACE),
    NAMESPACE_READS(Type.COUNTER, "millrace_namespace_reads_completed", "Reads and compares that succeeded.",
        Labels.NAMESPACE),
    NAMESPACE_READ_BYTES(Type.COUNTER, "millrace_namespace_read_bytes",
        "Bytes of reads that succeeded.", Labels.NAMESPACE),
    NAMESPACE_WRITES(Type.COUNTER, "millrace_namespace_writes_completed", "Writes that succeeded.", Labels.NAMESPACE),
    NAMESPACE_WRITTEN_BYTES(Type.COUNTER, "millrace_namespace_written_bytes",
        "Bytes of writes that succeeded.", Labels.NAMESPACE),
    NAMESPACE_OTHERS(Type.COUNTER, "millrace_namespace_others_completed", "Other I/O commands that succeeded.",
        Labels.NAMESPACE),
    NAMESPACE_ERRORS(Type.COUNTER, "millrace_namespace_errors",
    "Commands that failed though their parameters were right.",
        Labels.NAMESPACE),
    NAMESPACE_READ_LATENCY(Type.HISTOGRAM, "millrace_namespace_read_latency_seconds",
        "Latency of reads that succeeded.",
        Labels.NAMESPACE),
    NAMESPACE_WRITE_LATENCY(Type.HISTOGRAM, "millrace_namespace_write_latency_seconds",
        "Latency of writes that succeeded.",
        Labels.NAMESPACE),
    NAMESPACE_OTHER_LATENCY(Type.HISTOGRAM, "millrace_namespace_other_latency_seconds",
        "Latency of other I/O commands that succeeded.",
        Labels.NAMESPACE),

    HOST_BYTES(Type.COUNTER, "millrace_host_bytes", "Bytes of reads and writes that succeeded.",
        "data_plane", "host", "operation"),
    HOST_ERRORS(Type.COUNTER, "millrace_host_errors", "I/O commands that failed.", "data_plane", "host", "operation"),
    HOST_LATENCY(Type.HISTOGRAM, "millrace_host_latency_seconds", "Latency of I/O commands that succeeded.",
        "data_plane", "host", "operation"),

    HEALTH(Type.GAUGE, "millrace_manager_health", "1 for the health of the data plane as the manager sees it.",
        "data_plane", "health"),
    DRIFT_STEPS(Type.GAUGE, "millrace_manager_drift_steps", "Differences between actual and desired state, in steps.",
        Labels.PLANE),
    DESIRED_VERSION(Type.GAUGE, "millrace_manager_desired_version", "Version of the desired state.",
        Labels.PLANE),
    APPLIED_VERSION(Type.GAUGE, "millrace_manager_applied_version", "Version that the data plane was last in sync " +
    "with.",
        Labels.PLANE),
    TERM(Type.GAUGE, "millrace_manager_term", "Term of the manager for the data plane.", Labels.PLANE),
    REFUSED(Type.GAUGE, "millrace_manager_refused",
        "1 while the data plane refuses a step to the desired state, else 0.", Labels.PLANE),
    LAST_SEEN(Type.GAUGE, "millrace_manager_last_seen_timestamp_seconds",
        "Time of the last message from the data plane.", Labels.PLANE),
    SCRAPES(Type.COUNTER, "millrace_scrapes", "Scrapes, by how they ended.", "result");

    /** Kinds of metric. */
    enum Type
    {
        /** Goes up only, until the data plane is started again. */
        COUNTER,
        /** Goes up and down. */
        GAUGE,
        /** Latencies by bucket. */
        HISTOGRAM
    }

    /** Labels that several have. */
    private static final class Labels
    {
        private static final String[] PLANE = {"data_plane"};
        private static final String[] REACTOR = {"data_plane", "reactor"};
        private static final String[] HOLDER = {"data_plane", "reactor", "kind", "holder"};
        private static final String[] ARRAY = {"data_plane", "array"};
        private static final String[] NAMESPACE = {"data_plane", "subsystem", "nsid"};
    }

    private final Type type;
    private final String metricName;
    private final String help;
    private final List<String> labels;

    Metric(final Type type, final String metricName, final String help, final String... labels)
    {
        this.type = type;
        this.metricName = metricName;
        this.help = help;
        this.labels = List.of(labels);
    }

    Type type()
    {
        return type;
    }

    /** Without the suffix of counters. */
    String metricName()
    {
        return metricName;
    }

    String help()
    {
        return help;
    }

    List<String> labels()
    {
        return labels;
    }
}
