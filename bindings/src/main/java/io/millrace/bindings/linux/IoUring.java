package io.millrace.bindings.linux;

import io.millrace.bindings.generated.iouring.io_uring_h;

/**
 * Constants of {@code linux/io_uring.h}; the same on x86-64 and aarch64. In order: set-up flags, features, operations,
 * submission entry flags, completion entry flags, ring flags, enter flags, register operations, map offsets, flags of
 * single operations. {@link IoUringProbe} detects the operations of the running kernel.
 */
public final class IoUring
{
    /** Completions are polled from the device; direct I/O on a device with poll queues only. */
    public static final int IORING_SETUP_IOPOLL = io_uring_h.IORING_SETUP_IOPOLL();
    /** A kernel thread takes submissions, no call is made. */
    public static final int IORING_SETUP_SQPOLL = io_uring_h.IORING_SETUP_SQPOLL();
    /** That kernel thread is bound to a CPU. */
    public static final int IORING_SETUP_SQ_AFF = io_uring_h.IORING_SETUP_SQ_AFF();
    /** The caller says how large the completion queue is. */
    public static final int IORING_SETUP_CQSIZE = io_uring_h.IORING_SETUP_CQSIZE();
    /** Sizes above the limit are cut instead of refused. */
    public static final int IORING_SETUP_CLAMP = io_uring_h.IORING_SETUP_CLAMP();
    /** Shares worker threads with another ring. */
    public static final int IORING_SETUP_ATTACH_WQ = io_uring_h.IORING_SETUP_ATTACH_WQ();
    /** The ring starts when {@link #IORING_REGISTER_ENABLE_RINGS} says so. */
    public static final int IORING_SETUP_R_DISABLED = io_uring_h.IORING_SETUP_R_DISABLED();
    /** An entry in error does not stop the entries behind it. Linux 5.18. */
    public static final int IORING_SETUP_SUBMIT_ALL = io_uring_h.IORING_SETUP_SUBMIT_ALL();
    /** Completions do not interrupt the submitting thread. Linux 5.19. */
    public static final int IORING_SETUP_COOP_TASKRUN = io_uring_h.IORING_SETUP_COOP_TASKRUN();
    /** {@link #IORING_SQ_TASKRUN} tells of completions to be collected. Linux 5.19. */
    public static final int IORING_SETUP_TASKRUN_FLAG = io_uring_h.IORING_SETUP_TASKRUN_FLAG();
    /** One thread only submits. Linux 6.0. */
    public static final int IORING_SETUP_SINGLE_ISSUER = io_uring_h.IORING_SETUP_SINGLE_ISSUER();
    /** Completions are made when the thread asks; with {@link #IORING_SETUP_SINGLE_ISSUER}. Linux 6.1. */
    public static final int IORING_SETUP_DEFER_TASKRUN = io_uring_h.IORING_SETUP_DEFER_TASKRUN();
    /** Submission entries are taken in order, without an index array. Linux 6.6. */
    public static final int IORING_SETUP_NO_SQARRAY = io_uring_h.IORING_SETUP_NO_SQARRAY();
    /** Sleeps a while before it polls; with {@link #IORING_SETUP_IOPOLL}. Linux 6.13. */
    public static final int IORING_SETUP_HYBRID_IOPOLL = io_uring_h.IORING_SETUP_HYBRID_IOPOLL();

    /** One mapping holds both rings. */
    public static final int IORING_FEAT_SINGLE_MMAP = io_uring_h.IORING_FEAT_SINGLE_MMAP();
    /** Completions are kept when the queue is full. */
    public static final int IORING_FEAT_NODROP = io_uring_h.IORING_FEAT_NODROP();
    /** Arguments may be reused as soon as they are submitted. */
    public static final int IORING_FEAT_SUBMIT_STABLE = io_uring_h.IORING_FEAT_SUBMIT_STABLE();
    /** Sockets are waited for without a worker thread. */
    public static final int IORING_FEAT_FAST_POLL = io_uring_h.IORING_FEAT_FAST_POLL();
    /** A wait takes a time-out. */
    public static final int IORING_FEAT_EXT_ARG = io_uring_h.IORING_FEAT_EXT_ARG();
    /** Worker threads belong to the process. */
    public static final int IORING_FEAT_NATIVE_WORKERS = io_uring_h.IORING_FEAT_NATIVE_WORKERS();
    /** Registered resources can be updated. */
    public static final int IORING_FEAT_RSRC_TAGS = io_uring_h.IORING_FEAT_RSRC_TAGS();
    /** {@link #IOSQE_CQE_SKIP_SUCCESS} is known. */
    public static final int IORING_FEAT_CQE_SKIP = io_uring_h.IORING_FEAT_CQE_SKIP();
    /** One receive or send takes several provided buffers. */
    public static final int IORING_FEAT_RECVSEND_BUNDLE = io_uring_h.IORING_FEAT_RECVSEND_BUNDLE();

    /** Nothing, completes. */
    public static final int IORING_OP_NOP = io_uring_h.IORING_OP_NOP();
    /** Reads into vectors. */
    public static final int IORING_OP_READV = io_uring_h.IORING_OP_READV();
    /** Writes from vectors. */
    public static final int IORING_OP_WRITEV = io_uring_h.IORING_OP_WRITEV();
    /** Makes a file's data stable. */
    public static final int IORING_OP_FSYNC = io_uring_h.IORING_OP_FSYNC();
    /** Reads into a registered buffer. */
    public static final int IORING_OP_READ_FIXED = io_uring_h.IORING_OP_READ_FIXED();
    /** Writes from a registered buffer. */
    public static final int IORING_OP_WRITE_FIXED = io_uring_h.IORING_OP_WRITE_FIXED();
    /** Waits for readiness. */
    public static final int IORING_OP_POLL_ADD = io_uring_h.IORING_OP_POLL_ADD();
    /** Ends such a wait. */
    public static final int IORING_OP_POLL_REMOVE = io_uring_h.IORING_OP_POLL_REMOVE();
    /** Sends from vectors. */
    public static final int IORING_OP_SENDMSG = io_uring_h.IORING_OP_SENDMSG();
    /** Receives into vectors. */
    public static final int IORING_OP_RECVMSG = io_uring_h.IORING_OP_RECVMSG();
    /** Completes at a time or after so many completions. */
    public static final int IORING_OP_TIMEOUT = io_uring_h.IORING_OP_TIMEOUT();
    /** Ends or changes such a time-out. */
    public static final int IORING_OP_TIMEOUT_REMOVE = io_uring_h.IORING_OP_TIMEOUT_REMOVE();
    /** Takes a connection. */
    public static final int IORING_OP_ACCEPT = io_uring_h.IORING_OP_ACCEPT();
    /** Cancels operations under way. */
    public static final int IORING_OP_ASYNC_CANCEL = io_uring_h.IORING_OP_ASYNC_CANCEL();
    /** Bounds the entry that it is linked to. */
    public static final int IORING_OP_LINK_TIMEOUT = io_uring_h.IORING_OP_LINK_TIMEOUT();
    /** Makes a connection. */
    public static final int IORING_OP_CONNECT = io_uring_h.IORING_OP_CONNECT();
    /** Allocates, zeroes or frees a range of a file. */
    public static final int IORING_OP_FALLOCATE = io_uring_h.IORING_OP_FALLOCATE();
    /** Closes a descriptor. */
    public static final int IORING_OP_CLOSE = io_uring_h.IORING_OP_CLOSE();
    /** Reads into one buffer. */
    public static final int IORING_OP_READ = io_uring_h.IORING_OP_READ();
    /** Writes from one buffer. */
    public static final int IORING_OP_WRITE = io_uring_h.IORING_OP_WRITE();
    /** Says how memory will be used. */
    public static final int IORING_OP_MADVISE = io_uring_h.IORING_OP_MADVISE();
    /** Sends from one buffer. */
    public static final int IORING_OP_SEND = io_uring_h.IORING_OP_SEND();
    /** Receives into one buffer. */
    public static final int IORING_OP_RECV = io_uring_h.IORING_OP_RECV();
    /** Hands buffers to the kernel one by one. */
    public static final int IORING_OP_PROVIDE_BUFFERS = io_uring_h.IORING_OP_PROVIDE_BUFFERS();
    /** Ends one or both directions of a socket. */
    public static final int IORING_OP_SHUTDOWN = io_uring_h.IORING_OP_SHUTDOWN();
    /** Posts a completion to another ring. */
    public static final int IORING_OP_MSG_RING = io_uring_h.IORING_OP_MSG_RING();
    /** A device's own command, such as NVMe passthrough or block discard. */
    public static final int IORING_OP_URING_CMD = io_uring_h.IORING_OP_URING_CMD();
    /** Sends without a copy; a second completion gives the buffer back. */
    public static final int IORING_OP_SEND_ZC = io_uring_h.IORING_OP_SEND_ZC();
    /** Sends from vectors without a copy. */
    public static final int IORING_OP_SENDMSG_ZC = io_uring_h.IORING_OP_SENDMSG_ZC();

    /** The descriptor is an index of registered files. */
    public static final int IOSQE_FIXED_FILE = io_uring_h.IOSQE_FIXED_FILE();
    /** Starts when everything before is complete. */
    public static final int IOSQE_IO_DRAIN = io_uring_h.IOSQE_IO_DRAIN();
    /** The next entry starts when this one succeeds. */
    public static final int IOSQE_IO_LINK = io_uring_h.IOSQE_IO_LINK();
    /** The next entry starts when this one completes, however it ends. */
    public static final int IOSQE_IO_HARDLINK = io_uring_h.IOSQE_IO_HARDLINK();
    /** Goes to a worker thread at once. */
    public static final int IOSQE_ASYNC = io_uring_h.IOSQE_ASYNC();
    /** The kernel takes a buffer of a provided group. */
    public static final int IOSQE_BUFFER_SELECT = io_uring_h.IOSQE_BUFFER_SELECT();
    /** No completion when it succeeds. */
    public static final int IOSQE_CQE_SKIP_SUCCESS = io_uring_h.IOSQE_CQE_SKIP_SUCCESS();

    /** The provided buffer's number starts at this bit. */
    public static final int IORING_CQE_BUFFER_SHIFT = io_uring_h.IORING_CQE_BUFFER_SHIFT();
    /** A provided buffer was taken. */
    public static final int IORING_CQE_F_BUFFER = io_uring_h.IORING_CQE_F_BUFFER();
    /** More completions of this entry follow. */
    public static final int IORING_CQE_F_MORE = io_uring_h.IORING_CQE_F_MORE();
    /** The buffer of a send without copy is free again. */
    public static final int IORING_CQE_F_NOTIF = io_uring_h.IORING_CQE_F_NOTIF();
    /** There is more to receive. */
    public static final int IORING_CQE_F_SOCK_NONEMPTY = io_uring_h.IORING_CQE_F_SOCK_NONEMPTY();

    /** The kernel thread sleeps and must be woken. */
    public static final int IORING_SQ_NEED_WAKEUP = io_uring_h.IORING_SQ_NEED_WAKEUP();
    /** Completions wait outside the full queue. */
    public static final int IORING_SQ_CQ_OVERFLOW = io_uring_h.IORING_SQ_CQ_OVERFLOW();
    /** Completions wait to be collected. */
    public static final int IORING_SQ_TASKRUN = io_uring_h.IORING_SQ_TASKRUN();

    /** Collects completions and waits for as many as asked. */
    public static final int IORING_ENTER_GETEVENTS = io_uring_h.IORING_ENTER_GETEVENTS();
    /** Wakes the kernel thread. */
    public static final int IORING_ENTER_SQ_WAKEUP = io_uring_h.IORING_ENTER_SQ_WAKEUP();
    /** Waits for room in the submission queue. */
    public static final int IORING_ENTER_SQ_WAIT = io_uring_h.IORING_ENTER_SQ_WAIT();
    /** The last argument is a {@code struct io_uring_getevents_arg}. */
    public static final int IORING_ENTER_EXT_ARG = io_uring_h.IORING_ENTER_EXT_ARG();
    /** The descriptor is an index of registered rings. */
    public static final int IORING_ENTER_REGISTERED_RING = io_uring_h.IORING_ENTER_REGISTERED_RING();

    /** Registers buffers, which pins them. */
    public static final int IORING_REGISTER_BUFFERS = io_uring_h.IORING_REGISTER_BUFFERS();
    /** Gives registered buffers back. */
    public static final int IORING_UNREGISTER_BUFFERS = io_uring_h.IORING_UNREGISTER_BUFFERS();
    /** Registers descriptors. */
    public static final int IORING_REGISTER_FILES = io_uring_h.IORING_REGISTER_FILES();
    /** Gives registered descriptors back. */
    public static final int IORING_UNREGISTER_FILES = io_uring_h.IORING_UNREGISTER_FILES();
    /** Counts completions in an event counter. */
    public static final int IORING_REGISTER_EVENTFD = io_uring_h.IORING_REGISTER_EVENTFD();
    /** Ends that. */
    public static final int IORING_UNREGISTER_EVENTFD = io_uring_h.IORING_UNREGISTER_EVENTFD();
    /** Replaces registered descriptors. */
    public static final int IORING_REGISTER_FILES_UPDATE = io_uring_h.IORING_REGISTER_FILES_UPDATE();
    /** Which operations the kernel knows. */
    public static final int IORING_REGISTER_PROBE = io_uring_h.IORING_REGISTER_PROBE();
    /** Starts a ring that was made stopped. */
    public static final int IORING_REGISTER_ENABLE_RINGS = io_uring_h.IORING_REGISTER_ENABLE_RINGS();
    /** Registers descriptors with tags, or an empty table. */
    public static final int IORING_REGISTER_FILES2 = io_uring_h.IORING_REGISTER_FILES2();
    /** Registers buffers with tags, or an empty table. */
    public static final int IORING_REGISTER_BUFFERS2 = io_uring_h.IORING_REGISTER_BUFFERS2();
    /** Binds worker threads to CPUs. */
    public static final int IORING_REGISTER_IOWQ_AFF = io_uring_h.IORING_REGISTER_IOWQ_AFF();
    /** Bounds the number of worker threads. */
    public static final int IORING_REGISTER_IOWQ_MAX_WORKERS = io_uring_h.IORING_REGISTER_IOWQ_MAX_WORKERS();
    /** Registers the ring's own descriptor. */
    public static final int IORING_REGISTER_RING_FDS = io_uring_h.IORING_REGISTER_RING_FDS();
    /** Ends that. */
    public static final int IORING_UNREGISTER_RING_FDS = io_uring_h.IORING_UNREGISTER_RING_FDS();
    /** Registers a ring of provided buffers. Linux 5.19. */
    public static final int IORING_REGISTER_PBUF_RING = io_uring_h.IORING_REGISTER_PBUF_RING();
    /** Gives that ring back. */
    public static final int IORING_UNREGISTER_PBUF_RING = io_uring_h.IORING_UNREGISTER_PBUF_RING();
    /** Cancels and waits. Linux 6.0. */
    public static final int IORING_REGISTER_SYNC_CANCEL = io_uring_h.IORING_REGISTER_SYNC_CANCEL();
    /** The table is empty and filled later. */
    public static final int IORING_RSRC_REGISTER_SPARSE = io_uring_h.IORING_RSRC_REGISTER_SPARSE();
    /** Leaves an entry of the table as it is. */
    public static final int IORING_REGISTER_FILES_SKIP = io_uring_h.IORING_REGISTER_FILES_SKIP();
    /** A probed operation is known. */
    public static final int IO_URING_OP_SUPPORTED = io_uring_h.IO_URING_OP_SUPPORTED();

    /** Both rings, or the submission ring on kernels without {@link #IORING_FEAT_SINGLE_MMAP}. */
    public static final long IORING_OFF_SQ_RING = io_uring_h.IORING_OFF_SQ_RING();
    /** The completion ring. */
    public static final long IORING_OFF_CQ_RING = io_uring_h.IORING_OFF_CQ_RING();
    /** The submission entries. */
    public static final long IORING_OFF_SQES = io_uring_h.IORING_OFF_SQES();

    /** Data and what is needed to find it, not times. */
    public static final int IORING_FSYNC_DATASYNC = io_uring_h.IORING_FSYNC_DATASYNC();
    /** The time is absolute. */
    public static final int IORING_TIMEOUT_ABS = io_uring_h.IORING_TIMEOUT_ABS();
    /** Running out counts as success. */
    public static final int IORING_TIMEOUT_ETIME_SUCCESS = io_uring_h.IORING_TIMEOUT_ETIME_SUCCESS();
    /** Goes on waiting after the first event. */
    public static final int IORING_POLL_ADD_MULTI = io_uring_h.IORING_POLL_ADD_MULTI();
    /** Cancels all that match. */
    public static final int IORING_ASYNC_CANCEL_ALL = io_uring_h.IORING_ASYNC_CANCEL_ALL();
    /** Matches the descriptor. */
    public static final int IORING_ASYNC_CANCEL_FD = io_uring_h.IORING_ASYNC_CANCEL_FD();
    /** Matches everything. */
    public static final int IORING_ASYNC_CANCEL_ANY = io_uring_h.IORING_ASYNC_CANCEL_ANY();
    /** Waits for readiness before it tries. */
    public static final int IORING_RECVSEND_POLL_FIRST = io_uring_h.IORING_RECVSEND_POLL_FIRST();
    /** Goes on receiving after the first data. Linux 6.0. */
    public static final int IORING_RECV_MULTISHOT = io_uring_h.IORING_RECV_MULTISHOT();
    /** The buffer is a registered one. */
    public static final int IORING_RECVSEND_FIXED_BUF = io_uring_h.IORING_RECVSEND_FIXED_BUF();
    /** Takes several provided buffers. Linux 6.10. */
    public static final int IORING_RECVSEND_BUNDLE = io_uring_h.IORING_RECVSEND_BUNDLE();
    /** The notification tells whether data was copied after all. */
    public static final int IORING_SEND_ZC_REPORT_USAGE = io_uring_h.IORING_SEND_ZC_REPORT_USAGE();
    /** The kernel copied the data. */
    public static final int IORING_NOTIF_USAGE_ZC_COPIED = io_uring_h.IORING_NOTIF_USAGE_ZC_COPIED();
    /** Goes on accepting after the first connection. */
    public static final int IORING_ACCEPT_MULTISHOT = io_uring_h.IORING_ACCEPT_MULTISHOT();
    /** A value is posted. */
    public static final int IORING_MSG_DATA = io_uring_h.IORING_MSG_DATA();
    /** A registered descriptor is posted. */
    public static final int IORING_MSG_SEND_FD = io_uring_h.IORING_MSG_SEND_FD();

    private IoUring()
    {
    }
}
