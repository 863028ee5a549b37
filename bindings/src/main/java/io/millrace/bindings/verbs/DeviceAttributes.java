package io.millrace.bindings.verbs;

import io.millrace.bindings.NativeMemory;
import io.millrace.bindings.generated.verbs.ibv_device_attr;
import io.millrace.bindings.generated.verbs.ibv_odp_caps;
import io.millrace.bindings.generated.verbs.verbs_h;

/**
 * {@code struct ibv_device_attr_ex} as far as it is read here, by address: what {@link VerbsCalls#queryDevice} fills.
 * Set-up only.
 */
public final class DeviceAttributes
{
    /** Size of the structure. */
    public static final int SIZE_BYTES = (int)verbs_h.IBV_DEVICE_ATTR_EX_READ();
    private static final long FIRMWARE_VERSION = ibv_device_attr.fw_ver$offset();
    private static final long NODE_GUID = ibv_device_attr.node_guid$offset();
    private static final long SYSTEM_IMAGE_GUID = ibv_device_attr.sys_image_guid$offset();
    private static final long MAX_MEMORY_REGION_BYTES = ibv_device_attr.max_mr_size$offset();
    private static final long VENDOR_ID = ibv_device_attr.vendor_id$offset();
    private static final long VENDOR_PART_ID = ibv_device_attr.vendor_part_id$offset();
    private static final long MAX_QUEUE_PAIRS = ibv_device_attr.max_qp$offset();
    private static final long MAX_QUEUE_PAIR_REQUESTS = ibv_device_attr.max_qp_wr$offset();
    private static final long MAX_SEGMENTS = ibv_device_attr.max_sge$offset();
    private static final long MAX_READ_SEGMENTS = ibv_device_attr.max_sge_rd$offset();
    private static final long MAX_COMPLETION_QUEUES = ibv_device_attr.max_cq$offset();
    private static final long MAX_COMPLETIONS = ibv_device_attr.max_cqe$offset();
    private static final long MAX_MEMORY_REGIONS = ibv_device_attr.max_mr$offset();
    private static final long MAX_READS_AS_TARGET = ibv_device_attr.max_qp_rd_atom$offset();
    private static final long MAX_READS_AS_INITIATOR = ibv_device_attr.max_qp_init_rd_atom$offset();
    private static final long ATOMIC_CAPABILITY = ibv_device_attr.atomic_cap$offset();
    private static final long MAX_SHARED_RECEIVE_QUEUES = ibv_device_attr.max_srq$offset();
    private static final long MAX_SHARED_RECEIVE_REQUESTS = ibv_device_attr.max_srq_wr$offset();
    private static final long MAX_SHARED_RECEIVE_SEGMENTS = ibv_device_attr.max_srq_sge$offset();
    private static final long MAX_WINDOWS = ibv_device_attr.max_mw$offset();
    private static final long CAPABILITIES = ibv_device_attr.device_cap_flags$offset();
    private static final long PORT_COUNT = ibv_device_attr.phys_port_cnt$offset();
    private static final long ON_DEMAND_PAGING =
        verbs_h.IBV_DEVICE_ATTR_EX_ODP_CAPS() + ibv_odp_caps.general_caps$offset();
    private static final long ON_DEMAND_PAGING_OF_RELIABLE_CONNECTIONS =
        verbs_h.IBV_DEVICE_ATTR_EX_ODP_CAPS() + ibv_odp_caps.per_transport_caps$offset();
    private static final int FIRMWARE_BYTES = (int)ibv_device_attr.fw_ver$layout().byteSize();

    private DeviceAttributes()
    {
    }

    /**
     * {@return the revision of the firmware; empty when the device reports none}
     *
     * @param address of the structure.
     */
    public static String firmwareVersion(final long address)
    {
        return NativeMemory.getString(address + FIRMWARE_VERSION, FIRMWARE_BYTES);
    }

    /**
     * {@return the GUID of the device}
     *
     * @param address of the structure.
     */
    public static long nodeGuid(final long address)
    {
        return Long.reverseBytes(NativeMemory.getLong(address + NODE_GUID));
    }

    /**
     * {@return the GUID that devices of one adapter have in common}
     *
     * @param address of the structure.
     */
    public static long systemImageGuid(final long address)
    {
        return Long.reverseBytes(NativeMemory.getLong(address + SYSTEM_IMAGE_GUID));
    }

    /**
     * {@return the largest memory region, unsigned}
     *
     * @param address of the structure.
     */
    public static long maxMemoryRegionBytes(final long address)
    {
        return NativeMemory.getLong(address + MAX_MEMORY_REGION_BYTES);
    }

    /**
     * {@return the IEEE number of the vendor}
     *
     * @param address of the structure.
     */
    public static int vendorId(final long address)
    {
        return NativeMemory.getInt(address + VENDOR_ID);
    }

    /**
     * {@return the number that the vendor gave to the part}
     *
     * @param address of the structure.
     */
    public static int vendorPartId(final long address)
    {
        return NativeMemory.getInt(address + VENDOR_PART_ID);
    }

    /**
     * {@return the number of queue pairs}
     *
     * @param address of the structure.
     */
    public static int maxQueuePairs(final long address)
    {
        return NativeMemory.getInt(address + MAX_QUEUE_PAIRS);
    }

    /**
     * {@return outstanding work requests of a queue of a queue pair}
     *
     * @param address of the structure.
     */
    public static int maxQueuePairRequests(final long address)
    {
        return NativeMemory.getInt(address + MAX_QUEUE_PAIR_REQUESTS);
    }

    /**
     * {@return segments of a work request}
     *
     * @param address of the structure.
     */
    public static int maxSegments(final long address)
    {
        return NativeMemory.getInt(address + MAX_SEGMENTS);
    }

    /**
     * {@return segments of an RDMA READ}
     *
     * @param address of the structure.
     */
    public static int maxReadSegments(final long address)
    {
        return NativeMemory.getInt(address + MAX_READ_SEGMENTS);
    }

    /**
     * {@return the number of completion queues}
     *
     * @param address of the structure.
     */
    public static int maxCompletionQueues(final long address)
    {
        return NativeMemory.getInt(address + MAX_COMPLETION_QUEUES);
    }

    /**
     * {@return entries of a completion queue}
     *
     * @param address of the structure.
     */
    public static int maxCompletions(final long address)
    {
        return NativeMemory.getInt(address + MAX_COMPLETIONS);
    }

    /**
     * {@return the number of memory regions}
     *
     * @param address of the structure.
     */
    public static int maxMemoryRegions(final long address)
    {
        return NativeMemory.getInt(address + MAX_MEMORY_REGIONS);
    }

    /**
     * {@return RDMA READs and atomics of the peer that a queue pair serves at a time}
     *
     * @param address of the structure.
     */
    public static int maxReadsAsTarget(final long address)
    {
        return NativeMemory.getInt(address + MAX_READS_AS_TARGET);
    }

    /**
     * {@return RDMA READs and atomics that a queue pair has under way at a time}
     *
     * @param address of the structure.
     */
    public static int maxReadsAsInitiator(final long address)
    {
        return NativeMemory.getInt(address + MAX_READS_AS_INITIATOR);
    }

    /**
     * {@return {@code IBV_ATOMIC_*}}
     *
     * @param address of the structure.
     */
    public static int atomicCapability(final long address)
    {
        return NativeMemory.getInt(address + ATOMIC_CAPABILITY);
    }

    /**
     * {@return the number of shared receive queues; 0: there are none}
     *
     * @param address of the structure.
     */
    public static int maxSharedReceiveQueues(final long address)
    {
        return NativeMemory.getInt(address + MAX_SHARED_RECEIVE_QUEUES);
    }

    /**
     * {@return outstanding requests of a shared receive queue}
     *
     * @param address of the structure.
     */
    public static int maxSharedReceiveRequests(final long address)
    {
        return NativeMemory.getInt(address + MAX_SHARED_RECEIVE_REQUESTS);
    }

    /**
     * {@return the number of ports}
     *
     * @param address of the structure.
     */
    public static int portCount(final long address)
    {
        return Byte.toUnsignedInt(NativeMemory.getByte(address + PORT_COUNT));
    }

    /**
     * {@return {@code IBV_ODP_SUPPORT*} of the device}
     *
     * @param address of the structure.
     */
    public static long onDemandPaging(final long address)
    {
        return NativeMemory.getLong(address + ON_DEMAND_PAGING);
    }

    /**
     * {@return {@code IBV_ODP_SUPPORT_*} of RC queue pairs}
     *
     * @param address of the structure.
     */
    public static int onDemandPagingOfReliableConnections(final long address)
    {
        return NativeMemory.getInt(address + ON_DEMAND_PAGING_OF_RELIABLE_CONNECTIONS);
    }

    /**
     * {@return segments of a request of a shared receive queue}
     *
     * @param address of the structure.
     */
    public static int maxSharedReceiveSegments(final long address)
    {
        return NativeMemory.getInt(address + MAX_SHARED_RECEIVE_SEGMENTS);
    }

    /**
     * {@return the number of memory windows; 0: there are none}
     *
     * @param address of the structure.
     */
    public static int maxWindows(final long address)
    {
        return NativeMemory.getInt(address + MAX_WINDOWS);
    }

    /**
     * {@return {@code IBV_DEVICE_*} capabilities}
     *
     * @param address of the structure.
     */
    public static int capabilities(final long address)
    {
        return NativeMemory.getInt(address + CAPABILITIES);
    }
}
