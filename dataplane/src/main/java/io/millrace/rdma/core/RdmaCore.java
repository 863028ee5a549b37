package io.millrace.rdma.core;

import io.millrace.bindings.Capability;
import java.net.InetAddress;

/**
 * The functions of libibverbs and librdmacm that RDMA endpoints call. Production has one implementation,
 * {@link LinuxRdmaCore}; tests have a model in memory. Whoever posts and polls keeps it in a final field. Calls are
 * those of the manual pages, with the structures of {@code io.millrace.bindings.verbs} and
 * {@code io.millrace.bindings.rdmacm} at native addresses; each answers a value or a negated {@code errno}. Threads as
 * rdma-core has it: one at a time for a queue, a completion queue and an event channel with its identifiers; any for
 * the rest.
 */
public interface RdmaCore
{
    /**
     * {@return whether connections can be made, and which package to install when not}
     */
    Capability capability();

    /**
     * {@code ibv_poll_cq(3)}.
     *
     * @param cqAddress          completion queue.
     * @param max                how many fit.
     * @param completionsAddress of an array of {@link io.millrace.bindings.verbs.WorkCompletion}, filled.
     * @return their number; negative when the queue has failed.
     */
    int poll(long cqAddress, int max, long completionsAddress);

    /**
     * {@code ibv_req_notify_cq(3)} of any completion, once.
     *
     * @param cqAddress completion queue with a channel.
     * @return 0 or negated errno.
     */
    int requestNotification(long cqAddress);

    /**
     * {@code ibv_post_send(3)}.
     *
     * @param qpAddress      queue pair.
     * @param requestAddress first {@link io.millrace.bindings.verbs.SendRequest} of the list.
     * @param badAddress     64 bits that take the address of the first request that was not taken.
     * @return 0 or negated errno.
     */
    int postSend(long qpAddress, long requestAddress, long badAddress);

    /**
     * {@code ibv_post_recv(3)}.
     *
     * @param qpAddress      queue pair.
     * @param requestAddress first {@link io.millrace.bindings.verbs.ReceiveRequest} of the list.
     * @param badAddress     64 bits that take the address of the first request that was not taken.
     * @return 0 or negated errno.
     */
    int postReceive(long qpAddress, long requestAddress, long badAddress);

    /**
     * {@code ibv_query_device_ex(3)}.
     *
     * @param contextAddress    open device.
     * @param attributesAddress of {@link io.millrace.bindings.verbs.DeviceAttributes}, filled.
     * @return 0 or negated errno.
     */
    int queryDevice(long contextAddress, long attributesAddress);

    /**
     * {@return the index of a GID that is an IP address, of RoCE v2 before RoCE v1; -1 for none}
     *
     * @param contextAddress open device.
     * @param port           number, from 1.
     * @param address        of this machine.
     */
    int gidIndex(long contextAddress, int port, InetAddress address);

    /**
     * {@return {@code IBV_TRANSPORT_*} of a device}
     *
     * @param contextAddress open device.
     */
    int transportType(long contextAddress);

    /**
     * {@return the kernel's name of a device, such as {@code mlx5_0}}
     *
     * @param contextAddress open device.
     */
    String deviceName(long contextAddress);

    /**
     * Makes the descriptor of a device's asynchronous events one that does not block.
     *
     * @param contextAddress open device.
     * @return the descriptor, which is readable while there are events, or negated errno.
     */
    int asyncDescriptor(long contextAddress);

    /**
     * {@code ibv_get_async_event(3)}.
     *
     * @param contextAddress open device.
     * @param eventAddress   of an {@link io.millrace.bindings.verbs.AsyncEvent}, filled.
     * @return 0 or negated errno; {@code EAGAIN} when there is none.
     */
    int asyncEvent(long contextAddress, long eventAddress);

    /**
     * {@code ibv_ack_async_event(3)}.
     *
     * @param eventAddress as {@link #asyncEvent} filled it.
     */
    void acknowledgeAsyncEvent(long eventAddress);

    /**
     * {@code ibv_modify_qp(3)}.
     *
     * @param qpAddress         queue pair.
     * @param attributesAddress of {@link io.millrace.bindings.verbs.QueuePairState}.
     * @param mask              {@code IBV_QP_*} of the attributes that are changed.
     * @return 0 or negated errno.
     */
    int modifyQp(long qpAddress, long attributesAddress, int mask);

    /**
     * {@return the number of a queue pair}
     *
     * @param qpAddress queue pair.
     */
    int queuePairNumber(long qpAddress);

    /**
     * {@code ibv_alloc_pd(3)}.
     *
     * @param contextAddress open device.
     * @return address of the protection domain, or negated errno.
     */
    long allocatePd(long contextAddress);

    /**
     * {@code ibv_dealloc_pd(3)}.
     *
     * @param pdAddress protection domain without regions and queue pairs.
     * @return 0 or negated errno.
     */
    int deallocatePd(long pdAddress);

    /**
     * {@code ibv_reg_mr(3)}: pins memory, which takes milliseconds a gigabyte.
     *
     * @param pdAddress   protection domain.
     * @param address     of the memory.
     * @param lengthBytes of the memory.
     * @param access      {@code IBV_ACCESS_*}.
     * @return address of the region, or negated errno.
     */
    long registerMr(long pdAddress, long address, long lengthBytes, int access);

    /**
     * {@code ibv_dereg_mr(3)}.
     *
     * @param mrAddress region that no request uses.
     * @return 0 or negated errno.
     */
    int deregisterMr(long mrAddress);

    /**
     * {@return the key of a region for segments of requests}
     *
     * @param mrAddress region.
     */
    int localKey(long mrAddress);

    /**
     * {@return the key of a region for the peer}
     *
     * @param mrAddress region.
     */
    int remoteKey(long mrAddress);

    /**
     * {@code ibv_create_comp_channel(3)}.
     *
     * @param contextAddress open device.
     * @return address of the channel, or negated errno.
     */
    long createChannel(long contextAddress);

    /**
     * {@code ibv_destroy_comp_channel(3)}.
     *
     * @param channelAddress channel that no completion queue uses.
     * @return 0 or negated errno.
     */
    int destroyChannel(long channelAddress);

    /**
     * {@return the descriptor that is readable while a channel has events}
     *
     * @param channelAddress of {@link #createChannel}.
     */
    int channelDescriptor(long channelAddress);

    /**
     * {@code ibv_create_cq(3)}.
     *
     * @param contextAddress open device.
     * @param entries        at least; the device may make more.
     * @param channelAddress of {@link #createChannel}, or 0.
     * @return address of the completion queue, or negated errno.
     */
    long createCq(long contextAddress, int entries, long channelAddress);

    /**
     * {@code ibv_destroy_cq(3)}.
     *
     * @param cqAddress completion queue that no queue pair uses, all of whose events are acknowledged.
     * @return 0 or negated errno.
     */
    int destroyCq(long cqAddress);

    /**
     * {@return how many completions a queue holds}
     *
     * @param cqAddress of {@link #createCq}.
     */
    int entries(long cqAddress);

    /**
     * {@code ibv_get_cq_event(3)}. Call when the descriptor of the channel is readable: otherwise it blocks.
     *
     * @param channelAddress channel.
     * @param cqOutAddress   64 bits that take the address of the completion queue.
     * @param userOutAddress 64 bits that take a number without meaning.
     * @return 0 or negated errno.
     */
    int cqEvent(long channelAddress, long cqOutAddress, long userOutAddress);

    /**
     * {@code ibv_ack_cq_events(3)}.
     *
     * @param cqAddress completion queue.
     * @param count     of its events.
     */
    void acknowledgeCqEvents(long cqAddress, int count);

    /**
     * {@code rdma_create_event_channel(3)}, with a descriptor that does not block.
     *
     * @return address of the channel, or negated errno; {@code ENODEV} when the kernel has no {@code rdma_ucm}.
     */
    long createEventChannel();

    /**
     * {@code rdma_destroy_event_channel(3)}.
     *
     * @param channelAddress channel without identifiers.
     */
    void destroyEventChannel(long channelAddress);

    /**
     * {@code rdma_get_devices(3)} and {@code rdma_free_devices(3)}: librdmacm compares its devices with the kernel's.
     * It closes its context of one that was removed, now or with the last identifier on it, and opens all others. Any
     * thread but a reactor's: it takes milliseconds a device.
     *
     * @return whether it did; not when the kernel has no devices, or one of them cannot be opened.
     */
    boolean refreshDevices();

    /**
     * {@return the descriptor that is readable while a channel has events}
     *
     * @param channelAddress of {@link #createEventChannel}.
     */
    int eventChannelDescriptor(long channelAddress);

    /**
     * {@code rdma_get_cm_event(3)}.
     *
     * @param channelAddress  channel.
     * @param eventOutAddress 64 bits that take the address of a
     *                        {@link io.millrace.bindings.rdmacm.ConnectionEvent}.
     * @return 0 or negated errno; {@code EAGAIN} when there is none, also after the descriptor was readable.
     */
    int event(long channelAddress, long eventOutAddress);

    /**
     * {@code rdma_ack_cm_event(3)}.
     *
     * @param eventAddress of {@link #event}.
     * @return 0 or negated errno.
     */
    int acknowledge(long eventAddress);

    /**
     * {@code rdma_create_id(3)} for reliable connections.
     *
     * @param channelAddress on which its events come.
     * @param idOutAddress   64 bits that take the address of a {@link io.millrace.bindings.rdmacm.ConnectionId}.
     * @return 0 or negated errno.
     */
    int createId(long channelAddress, long idOutAddress);

    /**
     * {@code rdma_destroy_id(3)}.
     *
     * @param idAddress identifier without queue pair, all of whose events are acknowledged.
     * @return 0 or negated errno.
     */
    int destroyId(long idAddress);

    /**
     * {@code rdma_bind_addr(3)}.
     *
     * @param idAddress     identifier.
     * @param socketAddress {@code sockaddr} of any family.
     * @return 0 or negated errno.
     */
    int bind(long idAddress, long socketAddress);

    /**
     * {@code rdma_listen(3)}.
     *
     * @param idAddress bound identifier.
     * @param backlog   requests that wait to be taken.
     * @return 0 or negated errno.
     */
    int listen(long idAddress, int backlog);

    /**
     * {@code rdma_resolve_addr(3)}; the answer is an event.
     *
     * @param idAddress          identifier.
     * @param sourceAddress      {@code sockaddr} of this machine, or 0.
     * @param destinationAddress {@code sockaddr} of the peer.
     * @param timeoutMs          in milliseconds.
     * @return 0 or negated errno.
     */
    int resolveAddress(long idAddress, long sourceAddress, long destinationAddress, int timeoutMs);

    /**
     * {@code rdma_resolve_route(3)}; the answer is an event.
     *
     * @param idAddress identifier with a device.
     * @param timeoutMs in milliseconds.
     * @return 0 or negated errno.
     */
    int resolveRoute(long idAddress, int timeoutMs);

    /**
     * {@code rdma_create_qp(3)}.
     *
     * @param idAddress         identifier with a device.
     * @param pdAddress         protection domain of that device.
     * @param attributesAddress of {@link io.millrace.bindings.verbs.QueuePairAttributes}; what was granted is written
     *                          back.
     * @return 0 or negated errno.
     */
    int createQueuePair(long idAddress, long pdAddress, long attributesAddress);

    /**
     * {@code rdma_destroy_qp(3)}. Does nothing without a queue pair.
     *
     * @param idAddress identifier.
     */
    void destroyQueuePair(long idAddress);

    /**
     * {@code rdma_connect(3)}; the answer is an event.
     *
     * @param idAddress         identifier with a route and a queue pair.
     * @param parametersAddress of {@link io.millrace.bindings.rdmacm.ConnectionParameters}.
     * @return 0 or negated errno.
     */
    int connect(long idAddress, long parametersAddress);

    /**
     * {@code rdma_accept(3)}.
     *
     * @param idAddress         of the request, with a queue pair.
     * @param parametersAddress of {@link io.millrace.bindings.rdmacm.ConnectionParameters}.
     * @return 0 or negated errno.
     */
    int accept(long idAddress, long parametersAddress);

    /**
     * {@code rdma_reject(3)}.
     *
     * @param idAddress      of the request.
     * @param privateAddress private data for the peer, or 0.
     * @param privateBytes   its length.
     * @return 0 or negated errno.
     */
    int reject(long idAddress, long privateAddress, int privateBytes);

    /**
     * {@code rdma_disconnect(3)}.
     *
     * @param idAddress connected identifier.
     * @return 0 or negated errno.
     */
    int disconnect(long idAddress);

    /**
     * {@code rdma_migrate_id(3)}: further events of an identifier come on another channel.
     *
     * @param idAddress      identifier, all of whose events are acknowledged.
     * @param channelAddress of {@link #createEventChannel}.
     * @return 0 or negated errno.
     */
    int migrateId(long idAddress, long channelAddress);

    /**
     * {@code ibv_post_srq_recv(3)}.
     *
     * @param srqAddress     shared receive queue.
     * @param requestAddress first {@link io.millrace.bindings.verbs.ReceiveRequest} of the list.
     * @param badAddress     64 bits that take the address of the first request that was not taken.
     * @return 0 or negated errno.
     */
    int postSharedReceive(long srqAddress, long requestAddress, long badAddress);

    /**
     * {@code ibv_create_srq(3)}.
     *
     * @param pdAddress         protection domain.
     * @param attributesAddress of {@link io.millrace.bindings.verbs.VerbsSharedReceiveQueues#attributes}; what was
     *                          granted is written back.
     * @return address of the shared receive queue, or negated errno.
     */
    long createSharedReceiveQueue(long pdAddress, long attributesAddress);

    /**
     * {@code ibv_modify_srq(3)} of the limit, which is disarmed by its event.
     *
     * @param srqAddress        shared receive queue.
     * @param attributesAddress whose {@link io.millrace.bindings.verbs.VerbsSharedReceiveQueues#limit} is taken.
     * @return 0 or negated errno.
     */
    int limitSharedReceiveQueue(long srqAddress, long attributesAddress);

    /**
     * {@code ibv_destroy_srq(3)}.
     *
     * @param srqAddress shared receive queue without queue pairs.
     * @return 0 or negated errno.
     */
    int destroySharedReceiveQueue(long srqAddress);

    /**
     * {@code rdma_create_id(3)} for datagrams.
     *
     * @param channelAddress on which its events come.
     * @param idOutAddress   64 bits that take the address of a {@link io.millrace.bindings.rdmacm.ConnectionId}.
     * @return 0 or negated errno.
     */
    int createDatagramId(long channelAddress, long idOutAddress);

    /**
     * {@code ibv_create_ah(3)}.
     *
     * @param pdAddress         protection domain.
     * @param attributesAddress {@code struct ibv_ah_attr}.
     * @return address of the handle, or negated errno.
     */
    long createAddressHandle(long pdAddress, long attributesAddress);

    /**
     * {@code ibv_destroy_ah(3)}.
     *
     * @param handleAddress address handle that no outstanding request uses.
     * @return 0 or negated errno.
     */
    int destroyAddressHandle(long handleAddress);

    /**
     * {@code ibv_alloc_mw(3)} of type 2.
     *
     * @param pdAddress protection domain.
     * @return address of the memory window, or negated errno.
     */
    long allocateWindow(long pdAddress);

    /**
     * {@code ibv_dealloc_mw(3)}.
     *
     * @param windowAddress memory window.
     * @return 0 or negated errno.
     */
    int deallocateWindow(long windowAddress);

    /**
     * {@return the key of a memory window, as it was allocated or bound last}
     *
     * @param windowAddress memory window.
     */
    int windowKey(long windowAddress);

    /**
     * Sets the key of a memory window that a request has bound, by which the provider knows it.
     *
     * @param windowAddress memory window.
     * @param value         key of the binding.
     */
    void windowKey(long windowAddress, int value);

    /**
     * {@code ibv_reg_dmabuf_mr(3)}.
     *
     * @param pdAddress   protection domain.
     * @param offset      in the dma-buf.
     * @param lengthBytes of the region.
     * @param address     by which requests name its begin.
     * @param fd          dma-buf.
     * @param access      {@code IBV_ACCESS_*}.
     * @return address of the region, or negated errno; {@code EOPNOTSUPP} when library, kernel or device cannot.
     */
    long registerDmaBuf(long pdAddress, long offset, long lengthBytes, long address, int fd, int access);

    /**
     * {@return the largest datagram by a port, in bytes: the MTU of its link; 0 when it cannot be asked}
     *
     * @param contextAddress open device.
     * @param port           number, from 1.
     */
    int mtuBytes(long contextAddress, int port);
}
