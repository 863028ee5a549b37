/*
 * What the data plane calls of the C library. linux.includes says which of the symbols are taken.
 */
#define _GNU_SOURCE
#include <features.h>

/* With GNU extensions the socket calls take a transparent union for the address, which FFM cannot express; without them a
 * plain pointer, but accept4 is not declared. */
#undef __USE_GNU
#include <sys/socket.h>
#define __USE_GNU 1
extern int accept4(int fd, struct sockaddr *address, socklen_t *length, int flags);

#include <errno.h>
#include <fcntl.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <sched.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <sys/file.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <unistd.h>
#include <linux/fs.h>
#include <linux/nvme_ioctl.h>

/* Which headers the bindings come from. */
#define GLIBC_HEADERS_VERSION ((__GLIBC__ << 8) | __GLIBC_MINOR__)
