/*
 * Prints what the C compiler makes of the structures and constants that the bindings take, for the layout test:
 *
 *     struct 0 size
 *     struct.field offset size     (size 0 for an array of any length)
 *     CONSTANT value
 */
#include "linux.h"
#include "io_uring.h"
#include "vfio.h"
#if __has_include(<infiniband/verbs.h>) /* libibverbs-dev */
#include "verbs.h"
#endif
#if __has_include(<rdma/rdma_cma.h>) /* librdmacm-dev */
#include "rdmacm.h"
#endif

#include <stddef.h>
#include <stdio.h>

#define TYPE(type, name) printf(#name " 0 %zu\n", sizeof(type))
/* A structure whose newer versions have more fields behind the last one that is known here. */
#define GROWING(type, name, last) \
    printf(#name " 0 %zu\n", (offsetof(type, last) + sizeof(((type *)0)->last) + _Alignof(type) - 1) \
        / _Alignof(type) * _Alignof(type))
#define FIELD(type, name, field) \
    printf(#name "." #field " %zu %zu\n", offsetof(type, field), sizeof(((type *)0)->field))
#define FLEXIBLE(type, name, field) printf(#name "." #field " %zu 0\n", offsetof(type, field))
#define CONSTANT(name) printf(#name " %lld\n", (long long)(name))

static void linux_structures(void)
{
    TYPE(struct msghdr, msghdr);
    FIELD(struct msghdr, msghdr, msg_name);
    FIELD(struct msghdr, msghdr, msg_namelen);
    FIELD(struct msghdr, msghdr, msg_iov);
    FIELD(struct msghdr, msghdr, msg_iovlen);
    FIELD(struct msghdr, msghdr, msg_control);
    FIELD(struct msghdr, msghdr, msg_controllen);
    FIELD(struct msghdr, msghdr, msg_flags);
    TYPE(struct iovec, iovec);
    FIELD(struct iovec, iovec, iov_base);
    FIELD(struct iovec, iovec, iov_len);
    TYPE(struct sockaddr_in, sockaddr_in);
    FIELD(struct sockaddr_in, sockaddr_in, sin_family);
    FIELD(struct sockaddr_in, sockaddr_in, sin_port);
    FIELD(struct sockaddr_in, sockaddr_in, sin_addr);
    TYPE(struct sockaddr_in6, sockaddr_in6);
    FIELD(struct sockaddr_in6, sockaddr_in6, sin6_family);
    FIELD(struct sockaddr_in6, sockaddr_in6, sin6_port);
    FIELD(struct sockaddr_in6, sockaddr_in6, sin6_flowinfo);
    FIELD(struct sockaddr_in6, sockaddr_in6, sin6_addr);
    FIELD(struct sockaddr_in6, sockaddr_in6, sin6_scope_id);
    TYPE(struct in_addr, in_addr);
    FIELD(struct in_addr, in_addr, s_addr);
    TYPE(struct in6_addr, in6_addr);
    FIELD(struct in6_addr, in6_addr, __in6_u);
    TYPE(struct epoll_event, epoll_event);
    FIELD(struct epoll_event, epoll_event, events);
    FIELD(struct epoll_event, epoll_event, data);
    TYPE(union epoll_data, epoll_data);
    FIELD(union epoll_data, epoll_data, ptr);
    FIELD(union epoll_data, epoll_data, fd);
    FIELD(union epoll_data, epoll_data, u32);
    FIELD(union epoll_data, epoll_data, u64);
    TYPE(struct statx, statx);
    FIELD(struct statx, statx, stx_mask);
    FIELD(struct statx, statx, stx_blksize);
    FIELD(struct statx, statx, stx_attributes);
    FIELD(struct statx, statx, stx_nlink);
    FIELD(struct statx, statx, stx_uid);
    FIELD(struct statx, statx, stx_gid);
    FIELD(struct statx, statx, stx_mode);
    FIELD(struct statx, statx, stx_ino);
    FIELD(struct statx, statx, stx_size);
    FIELD(struct statx, statx, stx_blocks);
    FIELD(struct statx, statx, stx_attributes_mask);
    FIELD(struct statx, statx, stx_atime);
    FIELD(struct statx, statx, stx_btime);
    FIELD(struct statx, statx, stx_ctime);
    FIELD(struct statx, statx, stx_mtime);
    FIELD(struct statx, statx, stx_rdev_major);
    FIELD(struct statx, statx, stx_rdev_minor);
    FIELD(struct statx, statx, stx_dev_major);
    FIELD(struct statx, statx, stx_dev_minor);
    FIELD(struct statx, statx, stx_mnt_id);
#ifdef STATX_DIOALIGN /* Linux 6.1 */
    FIELD(struct statx, statx, stx_dio_mem_align);
    FIELD(struct statx, statx, stx_dio_offset_align);
#endif
    TYPE(struct statx_timestamp, statx_timestamp);
    FIELD(struct statx_timestamp, statx_timestamp, tv_sec);
    FIELD(struct statx_timestamp, statx_timestamp, tv_nsec);
    FIELD(struct statx_timestamp, statx_timestamp, __reserved);
    TYPE(struct nvme_passthru_cmd, nvme_passthru_cmd);
    FIELD(struct nvme_passthru_cmd, nvme_passthru_cmd, opcode);
    FIELD(struct nvme_passthru_cmd, nvme_passthru_cmd, flags);
    FIELD(struct nvme_passthru_cmd, nvme_passthru_cmd, rsvd1);
    FIELD(struct nvme_passthru_cmd, nvme_passthru_cmd, nsid);
    FIELD(struct nvme_passthru_cmd, nvme_passthru_cmd, cdw2);
    FIELD(struct nvme_passthru_cmd, nvme_passthru_cmd, cdw3);
    FIELD(struct nvme_passthru_cmd, nvme_passthru_cmd, metadata);
    FIELD(struct nvme_passthru_cmd, nvme_passthru_cmd, addr);
    FIELD(struct nvme_passthru_cmd, nvme_passthru_cmd, metadata_len);
    FIELD(struct nvme_passthru_cmd, nvme_passthru_cmd, data_len);
    FIELD(struct nvme_passthru_cmd, nvme_passthru_cmd, cdw10);
    FIELD(struct nvme_passthru_cmd, nvme_passthru_cmd, cdw11);
    FIELD(struct nvme_passthru_cmd, nvme_passthru_cmd, cdw12);
    FIELD(struct nvme_passthru_cmd, nvme_passthru_cmd, cdw13);
    FIELD(struct nvme_passthru_cmd, nvme_passthru_cmd, cdw14);
    FIELD(struct nvme_passthru_cmd, nvme_passthru_cmd, cdw15);
    FIELD(struct nvme_passthru_cmd, nvme_passthru_cmd, timeout_ms);
    FIELD(struct nvme_passthru_cmd, nvme_passthru_cmd, result);
    TYPE(struct rlimit, rlimit);
    FIELD(struct rlimit, rlimit, rlim_cur);
    FIELD(struct rlimit, rlimit, rlim_max);
}

static void linux_constants(void)
{
    CONSTANT(AF_INET);
    CONSTANT(AF_INET6);
    CONSTANT(SOCK_STREAM);
    CONSTANT(SOCK_NONBLOCK);
    CONSTANT(SOCK_CLOEXEC);
    CONSTANT(SOL_SOCKET);
    CONSTANT(SO_REUSEADDR);
    CONSTANT(SO_ERROR);
    CONSTANT(SO_SNDBUF);
    CONSTANT(SO_RCVBUF);
    CONSTANT(SO_KEEPALIVE);
    CONSTANT(SO_BUSY_POLL);
    CONSTANT(IPPROTO_TCP);
    CONSTANT(TCP_NODELAY);
    CONSTANT(TCP_QUICKACK);
    CONSTANT(TCP_USER_TIMEOUT);
    CONSTANT(IPPROTO_IPV6);
    CONSTANT(IPV6_V6ONLY);
    CONSTANT(MSG_DONTWAIT);
    CONSTANT(MSG_NOSIGNAL);
    CONSTANT(MSG_MORE);
    CONSTANT(SHUT_WR);
    CONSTANT(SHUT_RDWR);
    CONSTANT(UIO_MAXIOV);
    CONSTANT(EPOLLIN);
    CONSTANT(EPOLLOUT);
    CONSTANT(EPOLLERR);
    CONSTANT(EPOLLHUP);
    CONSTANT(EPOLLRDHUP);
    CONSTANT(EPOLLET);
    CONSTANT(EPOLL_CTL_ADD);
    CONSTANT(EPOLL_CTL_DEL);
    CONSTANT(EPOLL_CTL_MOD);
    CONSTANT(EPOLL_CLOEXEC);
    CONSTANT(EFD_NONBLOCK);
    CONSTANT(EFD_CLOEXEC);
    CONSTANT(O_RDONLY);
    CONSTANT(O_RDWR);
    CONSTANT(O_CREAT);
    CONSTANT(O_EXCL);
    CONSTANT(O_CLOEXEC);
    CONSTANT(O_DIRECT);
    CONSTANT(FALLOC_FL_KEEP_SIZE);
    CONSTANT(FALLOC_FL_PUNCH_HOLE);
    CONSTANT(FALLOC_FL_ZERO_RANGE);
    CONSTANT(LOCK_EX);
    CONSTANT(LOCK_NB);
    CONSTANT(AT_FDCWD);
    CONSTANT(AT_EMPTY_PATH);
    CONSTANT(STATX_BASIC_STATS);
#ifdef STATX_DIOALIGN /* Linux 6.1 */
    CONSTANT(STATX_DIOALIGN);
#endif
    CONSTANT(BLKDISCARD);
    CONSTANT(BLKZEROOUT);
    CONSTANT(BLKGETSIZE64);
    CONSTANT(BLKSSZGET);
    CONSTANT(BLKPBSZGET);
    CONSTANT(BLKROGET);
    CONSTANT(NVME_IOCTL_ADMIN_CMD);
    CONSTANT(NVME_IOCTL_RESET);
    CONSTANT(PROT_READ);
    CONSTANT(PROT_WRITE);
    CONSTANT(MAP_SHARED);
    CONSTANT(MAP_PRIVATE);
    CONSTANT(MAP_ANONYMOUS);
    CONSTANT(MAP_POPULATE);
    CONSTANT(MAP_HUGETLB);
    CONSTANT(MAP_HUGE_SHIFT);
    CONSTANT(MADV_HUGEPAGE);
    CONSTANT(MADV_DONTDUMP);
    CONSTANT(MADV_POPULATE_WRITE);
    CONSTANT(RLIMIT_NOFILE);
    CONSTANT(RLIMIT_MEMLOCK);
    CONSTANT(SYS_io_uring_setup);
    CONSTANT(SYS_io_uring_enter);
    CONSTANT(SYS_io_uring_register);
    CONSTANT(EPERM);
    CONSTANT(ENOENT);
    CONSTANT(EINTR);
    CONSTANT(EIO);
    CONSTANT(ENXIO);
    CONSTANT(EBADF);
    CONSTANT(EAGAIN);
    CONSTANT(ENOMEM);
    CONSTANT(EACCES);
    CONSTANT(EBUSY);
    CONSTANT(EFAULT);
    CONSTANT(EEXIST);
    CONSTANT(ENODEV);
    CONSTANT(EINVAL);
    CONSTANT(EMFILE);
    CONSTANT(EFBIG);
    CONSTANT(ENOSPC);
    CONSTANT(EROFS);
    CONSTANT(EPIPE);
    CONSTANT(ENOSYS);
    CONSTANT(ENODATA);
    CONSTANT(ETIME);
    CONSTANT(ENOLINK);
    CONSTANT(EBADMSG);
    CONSTANT(EILSEQ);
    CONSTANT(EOPNOTSUPP);
    CONSTANT(EADDRINUSE);
    CONSTANT(EADDRNOTAVAIL);
    CONSTANT(ECONNRESET);
    CONSTANT(ETIMEDOUT);
    CONSTANT(ECONNREFUSED);
    CONSTANT(EINPROGRESS);
    CONSTANT(EREMOTEIO);
    CONSTANT(EDQUOT);
    CONSTANT(ECANCELED);
}

/* Older headers lack part of it; what they have lies the same. */
#if LINUX_VERSION_CODE >= KERNEL_VERSION(6, 1, 0)
static void io_uring_structures(void)
{
    TYPE(struct io_uring_sqe, io_uring_sqe);
    FIELD(struct io_uring_sqe, io_uring_sqe, opcode);
    FIELD(struct io_uring_sqe, io_uring_sqe, flags);
    FIELD(struct io_uring_sqe, io_uring_sqe, ioprio);
    FIELD(struct io_uring_sqe, io_uring_sqe, fd);
    FIELD(struct io_uring_sqe, io_uring_sqe, off);
    FIELD(struct io_uring_sqe, io_uring_sqe, addr2);
    FIELD(struct io_uring_sqe, io_uring_sqe, cmd_op);
    FIELD(struct io_uring_sqe, io_uring_sqe, addr);
    FIELD(struct io_uring_sqe, io_uring_sqe, splice_off_in);
    FIELD(struct io_uring_sqe, io_uring_sqe, len);
    FIELD(struct io_uring_sqe, io_uring_sqe, rw_flags);
    FIELD(struct io_uring_sqe, io_uring_sqe, fsync_flags);
    FIELD(struct io_uring_sqe, io_uring_sqe, poll_events);
    FIELD(struct io_uring_sqe, io_uring_sqe, poll32_events);
    FIELD(struct io_uring_sqe, io_uring_sqe, sync_range_flags);
    FIELD(struct io_uring_sqe, io_uring_sqe, msg_flags);
    FIELD(struct io_uring_sqe, io_uring_sqe, timeout_flags);
    FIELD(struct io_uring_sqe, io_uring_sqe, accept_flags);
    FIELD(struct io_uring_sqe, io_uring_sqe, cancel_flags);
    FIELD(struct io_uring_sqe, io_uring_sqe, open_flags);
    FIELD(struct io_uring_sqe, io_uring_sqe, statx_flags);
    FIELD(struct io_uring_sqe, io_uring_sqe, fadvise_advice);
    FIELD(struct io_uring_sqe, io_uring_sqe, splice_flags);
    FIELD(struct io_uring_sqe, io_uring_sqe, rename_flags);
    FIELD(struct io_uring_sqe, io_uring_sqe, unlink_flags);
    FIELD(struct io_uring_sqe, io_uring_sqe, hardlink_flags);
    FIELD(struct io_uring_sqe, io_uring_sqe, xattr_flags);
    FIELD(struct io_uring_sqe, io_uring_sqe, msg_ring_flags);
    FIELD(struct io_uring_sqe, io_uring_sqe, uring_cmd_flags);
    FIELD(struct io_uring_sqe, io_uring_sqe, user_data);
    FIELD(struct io_uring_sqe, io_uring_sqe, buf_index);
    FIELD(struct io_uring_sqe, io_uring_sqe, buf_group);
    FIELD(struct io_uring_sqe, io_uring_sqe, personality);
    FIELD(struct io_uring_sqe, io_uring_sqe, splice_fd_in);
    FIELD(struct io_uring_sqe, io_uring_sqe, file_index);
    FIELD(struct io_uring_sqe, io_uring_sqe, addr_len);
    FIELD(struct io_uring_sqe, io_uring_sqe, addr3);
    TYPE(struct io_uring_cqe, io_uring_cqe);
    FIELD(struct io_uring_cqe, io_uring_cqe, user_data);
    FIELD(struct io_uring_cqe, io_uring_cqe, res);
    FIELD(struct io_uring_cqe, io_uring_cqe, flags);
    FLEXIBLE(struct io_uring_cqe, io_uring_cqe, big_cqe);
    TYPE(struct io_uring_params, io_uring_params);
    FIELD(struct io_uring_params, io_uring_params, sq_entries);
    FIELD(struct io_uring_params, io_uring_params, cq_entries);
    FIELD(struct io_uring_params, io_uring_params, flags);
    FIELD(struct io_uring_params, io_uring_params, sq_thread_cpu);
    FIELD(struct io_uring_params, io_uring_params, sq_thread_idle);
    FIELD(struct io_uring_params, io_uring_params, features);
    FIELD(struct io_uring_params, io_uring_params, wq_fd);
    FIELD(struct io_uring_params, io_uring_params, sq_off);
    FIELD(struct io_uring_params, io_uring_params, cq_off);
    TYPE(struct io_sqring_offsets, io_sqring_offsets);
    FIELD(struct io_sqring_offsets, io_sqring_offsets, head);
    FIELD(struct io_sqring_offsets, io_sqring_offsets, tail);
    FIELD(struct io_sqring_offsets, io_sqring_offsets, ring_mask);
    FIELD(struct io_sqring_offsets, io_sqring_offsets, ring_entries);
    FIELD(struct io_sqring_offsets, io_sqring_offsets, flags);
    FIELD(struct io_sqring_offsets, io_sqring_offsets, dropped);
    FIELD(struct io_sqring_offsets, io_sqring_offsets, array);
    TYPE(struct io_cqring_offsets, io_cqring_offsets);
    FIELD(struct io_cqring_offsets, io_cqring_offsets, head);
    FIELD(struct io_cqring_offsets, io_cqring_offsets, tail);
    FIELD(struct io_cqring_offsets, io_cqring_offsets, ring_mask);
    FIELD(struct io_cqring_offsets, io_cqring_offsets, ring_entries);
    FIELD(struct io_cqring_offsets, io_cqring_offsets, overflow);
    FIELD(struct io_cqring_offsets, io_cqring_offsets, cqes);
    FIELD(struct io_cqring_offsets, io_cqring_offsets, flags);
    TYPE(struct io_uring_probe, io_uring_probe);
    FIELD(struct io_uring_probe, io_uring_probe, last_op);
    FIELD(struct io_uring_probe, io_uring_probe, ops_len);
    FLEXIBLE(struct io_uring_probe, io_uring_probe, ops);
    TYPE(struct io_uring_probe_op, io_uring_probe_op);
    FIELD(struct io_uring_probe_op, io_uring_probe_op, op);
    FIELD(struct io_uring_probe_op, io_uring_probe_op, flags);
    TYPE(struct io_uring_buf, io_uring_buf);
    FIELD(struct io_uring_buf, io_uring_buf, addr);
    FIELD(struct io_uring_buf, io_uring_buf, len);
    FIELD(struct io_uring_buf, io_uring_buf, bid);
    FIELD(struct io_uring_buf, io_uring_buf, resv);
    TYPE(struct io_uring_buf_reg, io_uring_buf_reg);
    FIELD(struct io_uring_buf_reg, io_uring_buf_reg, ring_addr);
    FIELD(struct io_uring_buf_reg, io_uring_buf_reg, ring_entries);
    FIELD(struct io_uring_buf_reg, io_uring_buf_reg, bgid);
}

static void io_uring_constants(void)
{
    CONSTANT(IORING_SETUP_IOPOLL);
    CONSTANT(IORING_SETUP_SQPOLL);
    CONSTANT(IORING_SETUP_SQ_AFF);
    CONSTANT(IORING_SETUP_CQSIZE);
    CONSTANT(IORING_SETUP_CLAMP);
    CONSTANT(IORING_SETUP_ATTACH_WQ);
    CONSTANT(IORING_SETUP_R_DISABLED);
    CONSTANT(IORING_SETUP_SUBMIT_ALL);
    CONSTANT(IORING_SETUP_COOP_TASKRUN);
    CONSTANT(IORING_SETUP_TASKRUN_FLAG);
    CONSTANT(IORING_SETUP_SINGLE_ISSUER);
    CONSTANT(IORING_SETUP_DEFER_TASKRUN);
    CONSTANT(IORING_SETUP_NO_SQARRAY);
    CONSTANT(IORING_SETUP_HYBRID_IOPOLL);
    CONSTANT(IORING_FEAT_SINGLE_MMAP);
    CONSTANT(IORING_FEAT_NODROP);
    CONSTANT(IORING_FEAT_SUBMIT_STABLE);
    CONSTANT(IORING_FEAT_FAST_POLL);
    CONSTANT(IORING_FEAT_EXT_ARG);
    CONSTANT(IORING_FEAT_NATIVE_WORKERS);
    CONSTANT(IORING_FEAT_RSRC_TAGS);
    CONSTANT(IORING_FEAT_CQE_SKIP);
    CONSTANT(IORING_FEAT_RECVSEND_BUNDLE);
    CONSTANT(IORING_OP_NOP);
    CONSTANT(IORING_OP_READV);
    CONSTANT(IORING_OP_WRITEV);
    CONSTANT(IORING_OP_FSYNC);
    CONSTANT(IORING_OP_READ_FIXED);
    CONSTANT(IORING_OP_WRITE_FIXED);
    CONSTANT(IORING_OP_POLL_ADD);
    CONSTANT(IORING_OP_POLL_REMOVE);
    CONSTANT(IORING_OP_SENDMSG);
    CONSTANT(IORING_OP_RECVMSG);
    CONSTANT(IORING_OP_TIMEOUT);
    CONSTANT(IORING_OP_TIMEOUT_REMOVE);
    CONSTANT(IORING_OP_ACCEPT);
    CONSTANT(IORING_OP_ASYNC_CANCEL);
    CONSTANT(IORING_OP_LINK_TIMEOUT);
    CONSTANT(IORING_OP_CONNECT);
    CONSTANT(IORING_OP_FALLOCATE);
    CONSTANT(IORING_OP_CLOSE);
    CONSTANT(IORING_OP_READ);
    CONSTANT(IORING_OP_WRITE);
    CONSTANT(IORING_OP_MADVISE);
    CONSTANT(IORING_OP_SEND);
    CONSTANT(IORING_OP_RECV);
    CONSTANT(IORING_OP_PROVIDE_BUFFERS);
    CONSTANT(IORING_OP_SHUTDOWN);
    CONSTANT(IORING_OP_MSG_RING);
    CONSTANT(IORING_OP_URING_CMD);
    CONSTANT(IORING_OP_SEND_ZC);
    CONSTANT(IORING_OP_SENDMSG_ZC);
    CONSTANT(IOSQE_FIXED_FILE);
    CONSTANT(IOSQE_IO_DRAIN);
    CONSTANT(IOSQE_IO_LINK);
    CONSTANT(IOSQE_IO_HARDLINK);
    CONSTANT(IOSQE_ASYNC);
    CONSTANT(IOSQE_BUFFER_SELECT);
    CONSTANT(IOSQE_CQE_SKIP_SUCCESS);
    CONSTANT(IORING_CQE_BUFFER_SHIFT);
    CONSTANT(IORING_CQE_F_BUFFER);
    CONSTANT(IORING_CQE_F_MORE);
    CONSTANT(IORING_CQE_F_NOTIF);
    CONSTANT(IORING_CQE_F_SOCK_NONEMPTY);
    CONSTANT(IORING_SQ_NEED_WAKEUP);
    CONSTANT(IORING_SQ_CQ_OVERFLOW);
    CONSTANT(IORING_SQ_TASKRUN);
    CONSTANT(IORING_ENTER_GETEVENTS);
    CONSTANT(IORING_ENTER_SQ_WAKEUP);
    CONSTANT(IORING_ENTER_SQ_WAIT);
    CONSTANT(IORING_ENTER_EXT_ARG);
    CONSTANT(IORING_ENTER_REGISTERED_RING);
    CONSTANT(IORING_REGISTER_BUFFERS);
    CONSTANT(IORING_UNREGISTER_BUFFERS);
    CONSTANT(IORING_REGISTER_FILES);
    CONSTANT(IORING_UNREGISTER_FILES);
    CONSTANT(IORING_REGISTER_EVENTFD);
    CONSTANT(IORING_UNREGISTER_EVENTFD);
    CONSTANT(IORING_REGISTER_FILES_UPDATE);
    CONSTANT(IORING_REGISTER_PROBE);
    CONSTANT(IORING_REGISTER_ENABLE_RINGS);
    CONSTANT(IORING_REGISTER_FILES2);
    CONSTANT(IORING_REGISTER_BUFFERS2);
    CONSTANT(IORING_REGISTER_IOWQ_AFF);
    CONSTANT(IORING_REGISTER_IOWQ_MAX_WORKERS);
    CONSTANT(IORING_REGISTER_RING_FDS);
    CONSTANT(IORING_UNREGISTER_RING_FDS);
    CONSTANT(IORING_REGISTER_PBUF_RING);
    CONSTANT(IORING_UNREGISTER_PBUF_RING);
    CONSTANT(IORING_REGISTER_SYNC_CANCEL);
    CONSTANT(IORING_RSRC_REGISTER_SPARSE);
    CONSTANT(IORING_REGISTER_FILES_SKIP);
    CONSTANT(IO_URING_OP_SUPPORTED);
    CONSTANT(IORING_OFF_SQ_RING);
    CONSTANT(IORING_OFF_CQ_RING);
    CONSTANT(IORING_OFF_SQES);
    CONSTANT(IORING_FSYNC_DATASYNC);
    CONSTANT(IORING_TIMEOUT_ABS);
    CONSTANT(IORING_TIMEOUT_ETIME_SUCCESS);
    CONSTANT(IORING_POLL_ADD_MULTI);
    CONSTANT(IORING_ASYNC_CANCEL_ALL);
    CONSTANT(IORING_ASYNC_CANCEL_FD);
    CONSTANT(IORING_ASYNC_CANCEL_ANY);
    CONSTANT(IORING_RECVSEND_POLL_FIRST);
    CONSTANT(IORING_RECV_MULTISHOT);
    CONSTANT(IORING_RECVSEND_FIXED_BUF);
    CONSTANT(IORING_RECVSEND_BUNDLE);
    CONSTANT(IORING_SEND_ZC_REPORT_USAGE);
    CONSTANT(IORING_NOTIF_USAGE_ZC_COPIED);
    CONSTANT(IORING_ACCEPT_MULTISHOT);
    CONSTANT(IORING_MSG_DATA);
    CONSTANT(IORING_MSG_SEND_FD);
}

static void vfio_structures(void)
{
    TYPE(struct vfio_info_cap_header, vfio_info_cap_header);
    FIELD(struct vfio_info_cap_header, vfio_info_cap_header, id);
    FIELD(struct vfio_info_cap_header, vfio_info_cap_header, version);
    FIELD(struct vfio_info_cap_header, vfio_info_cap_header, next);
    TYPE(struct vfio_group_status, vfio_group_status);
    FIELD(struct vfio_group_status, vfio_group_status, argsz);
    FIELD(struct vfio_group_status, vfio_group_status, flags);
#if LINUX_VERSION_CODE < KERNEL_VERSION(6, 6, 0) /* Then it grew. */
    TYPE(struct vfio_device_info, vfio_device_info);
#endif
    FIELD(struct vfio_device_info, vfio_device_info, argsz);
    FIELD(struct vfio_device_info, vfio_device_info, flags);
    FIELD(struct vfio_device_info, vfio_device_info, num_regions);
    FIELD(struct vfio_device_info, vfio_device_info, num_irqs);
    FIELD(struct vfio_device_info, vfio_device_info, cap_offset);
    TYPE(struct vfio_region_info, vfio_region_info);
    FIELD(struct vfio_region_info, vfio_region_info, argsz);
    FIELD(struct vfio_region_info, vfio_region_info, flags);
    FIELD(struct vfio_region_info, vfio_region_info, index);
    FIELD(struct vfio_region_info, vfio_region_info, cap_offset);
    FIELD(struct vfio_region_info, vfio_region_info, size);
    FIELD(struct vfio_region_info, vfio_region_info, offset);
    TYPE(struct vfio_region_info_cap_sparse_mmap, vfio_region_info_cap_sparse_mmap);
    FIELD(struct vfio_region_info_cap_sparse_mmap, vfio_region_info_cap_sparse_mmap, header);
    FIELD(struct vfio_region_info_cap_sparse_mmap, vfio_region_info_cap_sparse_mmap, nr_areas);
    FIELD(struct vfio_region_info_cap_sparse_mmap, vfio_region_info_cap_sparse_mmap, reserved);
    FLEXIBLE(struct vfio_region_info_cap_sparse_mmap, vfio_region_info_cap_sparse_mmap, areas);
    TYPE(struct vfio_region_sparse_mmap_area, vfio_region_sparse_mmap_area);
    FIELD(struct vfio_region_sparse_mmap_area, vfio_region_sparse_mmap_area, offset);
    FIELD(struct vfio_region_sparse_mmap_area, vfio_region_sparse_mmap_area, size);
    TYPE(struct vfio_irq_info, vfio_irq_info);
    FIELD(struct vfio_irq_info, vfio_irq_info, argsz);
    FIELD(struct vfio_irq_info, vfio_irq_info, flags);
    FIELD(struct vfio_irq_info, vfio_irq_info, index);
    FIELD(struct vfio_irq_info, vfio_irq_info, count);
    TYPE(struct vfio_irq_set, vfio_irq_set);
    FIELD(struct vfio_irq_set, vfio_irq_set, argsz);
    FIELD(struct vfio_irq_set, vfio_irq_set, flags);
    FIELD(struct vfio_irq_set, vfio_irq_set, index);
    FIELD(struct vfio_irq_set, vfio_irq_set, start);
    FIELD(struct vfio_irq_set, vfio_irq_set, count);
    FLEXIBLE(struct vfio_irq_set, vfio_irq_set, data);
    TYPE(struct vfio_iommu_type1_info, vfio_iommu_type1_info);
    FIELD(struct vfio_iommu_type1_info, vfio_iommu_type1_info, argsz);
    FIELD(struct vfio_iommu_type1_info, vfio_iommu_type1_info, flags);
    FIELD(struct vfio_iommu_type1_info, vfio_iommu_type1_info, iova_pgsizes);
    FIELD(struct vfio_iommu_type1_info, vfio_iommu_type1_info, cap_offset);
    TYPE(struct vfio_iova_range, vfio_iova_range);
    FIELD(struct vfio_iova_range, vfio_iova_range, start);
    FIELD(struct vfio_iova_range, vfio_iova_range, end);
    TYPE(struct vfio_iommu_type1_info_cap_iova_range, vfio_iommu_type1_info_cap_iova_range);
    FIELD(struct vfio_iommu_type1_info_cap_iova_range, vfio_iommu_type1_info_cap_iova_range, header);
    FIELD(struct vfio_iommu_type1_info_cap_iova_range, vfio_iommu_type1_info_cap_iova_range, nr_iovas);
    FIELD(struct vfio_iommu_type1_info_cap_iova_range, vfio_iommu_type1_info_cap_iova_range, reserved);
    FLEXIBLE(struct vfio_iommu_type1_info_cap_iova_range, vfio_iommu_type1_info_cap_iova_range, iova_ranges);
    TYPE(struct vfio_iommu_type1_info_dma_avail, vfio_iommu_type1_info_dma_avail);
    FIELD(struct vfio_iommu_type1_info_dma_avail, vfio_iommu_type1_info_dma_avail, header);
    FIELD(struct vfio_iommu_type1_info_dma_avail, vfio_iommu_type1_info_dma_avail, avail);
    TYPE(struct vfio_iommu_type1_dma_map, vfio_iommu_type1_dma_map);
    FIELD(struct vfio_iommu_type1_dma_map, vfio_iommu_type1_dma_map, argsz);
    FIELD(struct vfio_iommu_type1_dma_map, vfio_iommu_type1_dma_map, flags);
    FIELD(struct vfio_iommu_type1_dma_map, vfio_iommu_type1_dma_map, vaddr);
    FIELD(struct vfio_iommu_type1_dma_map, vfio_iommu_type1_dma_map, iova);
    FIELD(struct vfio_iommu_type1_dma_map, vfio_iommu_type1_dma_map, size);
    TYPE(struct vfio_iommu_type1_dma_unmap, vfio_iommu_type1_dma_unmap);
    FIELD(struct vfio_iommu_type1_dma_unmap, vfio_iommu_type1_dma_unmap, argsz);
    FIELD(struct vfio_iommu_type1_dma_unmap, vfio_iommu_type1_dma_unmap, flags);
    FIELD(struct vfio_iommu_type1_dma_unmap, vfio_iommu_type1_dma_unmap, iova);
    FIELD(struct vfio_iommu_type1_dma_unmap, vfio_iommu_type1_dma_unmap, size);
    FLEXIBLE(struct vfio_iommu_type1_dma_unmap, vfio_iommu_type1_dma_unmap, data);
    TYPE(struct iommu_ioas_alloc, iommu_ioas_alloc);
    FIELD(struct iommu_ioas_alloc, iommu_ioas_alloc, size);
    FIELD(struct iommu_ioas_alloc, iommu_ioas_alloc, flags);
    FIELD(struct iommu_ioas_alloc, iommu_ioas_alloc, out_ioas_id);
    TYPE(struct iommu_iova_range, iommu_iova_range);
    FIELD(struct iommu_iova_range, iommu_iova_range, start);
    FIELD(struct iommu_iova_range, iommu_iova_range, last);
    TYPE(struct iommu_ioas_iova_ranges, iommu_ioas_iova_ranges);
    FIELD(struct iommu_ioas_iova_ranges, iommu_ioas_iova_ranges, size);
    FIELD(struct iommu_ioas_iova_ranges, iommu_ioas_iova_ranges, ioas_id);
    FIELD(struct iommu_ioas_iova_ranges, iommu_ioas_iova_ranges, num_iovas);
    FIELD(struct iommu_ioas_iova_ranges, iommu_ioas_iova_ranges, __reserved);
    FIELD(struct iommu_ioas_iova_ranges, iommu_ioas_iova_ranges, allowed_iovas);
    FIELD(struct iommu_ioas_iova_ranges, iommu_ioas_iova_ranges, out_iova_alignment);
    TYPE(struct iommu_ioas_map, iommu_ioas_map);
    FIELD(struct iommu_ioas_map, iommu_ioas_map, size);
    FIELD(struct iommu_ioas_map, iommu_ioas_map, flags);
    FIELD(struct iommu_ioas_map, iommu_ioas_map, ioas_id);
    FIELD(struct iommu_ioas_map, iommu_ioas_map, __reserved);
    FIELD(struct iommu_ioas_map, iommu_ioas_map, user_va);
    FIELD(struct iommu_ioas_map, iommu_ioas_map, length);
    FIELD(struct iommu_ioas_map, iommu_ioas_map, iova);
    TYPE(struct iommu_ioas_unmap, iommu_ioas_unmap);
    FIELD(struct iommu_ioas_unmap, iommu_ioas_unmap, size);
    FIELD(struct iommu_ioas_unmap, iommu_ioas_unmap, ioas_id);
    FIELD(struct iommu_ioas_unmap, iommu_ioas_unmap, iova);
    FIELD(struct iommu_ioas_unmap, iommu_ioas_unmap, length);
    TYPE(struct vfio_device_bind_iommufd, vfio_device_bind_iommufd);
    FIELD(struct vfio_device_bind_iommufd, vfio_device_bind_iommufd, argsz);
    FIELD(struct vfio_device_bind_iommufd, vfio_device_bind_iommufd, flags);
    FIELD(struct vfio_device_bind_iommufd, vfio_device_bind_iommufd, iommufd);
    FIELD(struct vfio_device_bind_iommufd, vfio_device_bind_iommufd, out_devid);
    TYPE(struct vfio_device_attach_iommufd_pt, vfio_device_attach_iommufd_pt);
    FIELD(struct vfio_device_attach_iommufd_pt, vfio_device_attach_iommufd_pt, argsz);
    FIELD(struct vfio_device_attach_iommufd_pt, vfio_device_attach_iommufd_pt, flags);
    FIELD(struct vfio_device_attach_iommufd_pt, vfio_device_attach_iommufd_pt, pt_id);
}

static void vfio_constants(void)
{
    CONSTANT(VFIO_API_VERSION);
    CONSTANT(VFIO_TYPE1v2_IOMMU);
    CONSTANT(VFIO_NOIOMMU_IOMMU);
    CONSTANT(VFIO_GET_API_VERSION);
    CONSTANT(VFIO_CHECK_EXTENSION);
    CONSTANT(VFIO_SET_IOMMU);
    CONSTANT(VFIO_GROUP_FLAGS_VIABLE);
    CONSTANT(VFIO_GROUP_GET_STATUS);
    CONSTANT(VFIO_GROUP_SET_CONTAINER);
    CONSTANT(VFIO_GROUP_UNSET_CONTAINER);
    CONSTANT(VFIO_GROUP_GET_DEVICE_FD);
    CONSTANT(VFIO_DEVICE_GET_INFO);
    CONSTANT(VFIO_DEVICE_FLAGS_RESET);
    CONSTANT(VFIO_DEVICE_FLAGS_PCI);
    CONSTANT(VFIO_DEVICE_RESET);
    CONSTANT(VFIO_DEVICE_GET_REGION_INFO);
    CONSTANT(VFIO_REGION_INFO_FLAG_READ);
    CONSTANT(VFIO_REGION_INFO_FLAG_WRITE);
    CONSTANT(VFIO_REGION_INFO_FLAG_MMAP);
    CONSTANT(VFIO_REGION_INFO_FLAG_CAPS);
    CONSTANT(VFIO_REGION_INFO_CAP_SPARSE_MMAP);
    CONSTANT(VFIO_PCI_BAR0_REGION_INDEX);
    CONSTANT(VFIO_PCI_CONFIG_REGION_INDEX);
    CONSTANT(VFIO_DEVICE_GET_IRQ_INFO);
    CONSTANT(VFIO_DEVICE_SET_IRQS);
    CONSTANT(VFIO_IRQ_INFO_EVENTFD);
    CONSTANT(VFIO_IRQ_SET_DATA_NONE);
    CONSTANT(VFIO_IRQ_SET_DATA_EVENTFD);
    CONSTANT(VFIO_IRQ_SET_ACTION_TRIGGER);
    CONSTANT(VFIO_PCI_MSIX_IRQ_INDEX);
    CONSTANT(VFIO_PCI_REQ_IRQ_INDEX);
    CONSTANT(VFIO_IOMMU_GET_INFO);
    CONSTANT(VFIO_IOMMU_INFO_PGSIZES);
    CONSTANT(VFIO_IOMMU_INFO_CAPS);
    CONSTANT(VFIO_IOMMU_TYPE1_INFO_CAP_IOVA_RANGE);
    CONSTANT(VFIO_IOMMU_TYPE1_INFO_DMA_AVAIL);
    CONSTANT(VFIO_IOMMU_MAP_DMA);
    CONSTANT(VFIO_DMA_MAP_FLAG_READ);
    CONSTANT(VFIO_DMA_MAP_FLAG_WRITE);
    CONSTANT(VFIO_IOMMU_UNMAP_DMA);
    CONSTANT(IOMMU_IOAS_ALLOC);
    CONSTANT(IOMMU_IOAS_IOVA_RANGES);
    CONSTANT(IOMMU_IOAS_MAP);
    CONSTANT(IOMMU_IOAS_UNMAP);
    CONSTANT(IOMMU_IOAS_MAP_FIXED_IOVA);
    CONSTANT(IOMMU_IOAS_MAP_WRITEABLE);
    CONSTANT(IOMMU_IOAS_MAP_READABLE);
    CONSTANT(VFIO_DEVICE_BIND_IOMMUFD);
    CONSTANT(VFIO_DEVICE_ATTACH_IOMMUFD_PT);
}
#endif

#if __has_include(<infiniband/verbs.h>)
#include "rdma_probe.h"
#endif

int main(void)
{
    linux_structures();
    linux_constants();
#if LINUX_VERSION_CODE >= KERNEL_VERSION(6, 1, 0)
    io_uring_structures();
    io_uring_constants();
    vfio_structures();
    vfio_constants();
#endif
#if __has_include(<infiniband/verbs.h>)
    verbs_structures();
    verbs_constants();
#endif
#if __has_include(<rdma/rdma_cma.h>)
    rdmacm_structures();
    rdmacm_constants();
#endif
    return 0;
}
