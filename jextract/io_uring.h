/*
 * The kernel's io_uring interface. io_uring.includes says which of the symbols are taken.
 */
#include <linux/io_uring.h>
#include <linux/version.h>

/* Flags of kernels newer than the oldest headers that this is generated from; a kernel without one answers EINVAL. */
#ifndef IORING_SETUP_NO_SQARRAY /* Linux 6.6 */
#define IORING_SETUP_NO_SQARRAY (1U << 16)
#endif
#ifndef IORING_SETUP_HYBRID_IOPOLL /* Linux 6.13 */
#define IORING_SETUP_HYBRID_IOPOLL (1U << 17)
#endif
#ifndef IORING_RECVSEND_BUNDLE /* Linux 6.10 */
#define IORING_RECVSEND_BUNDLE (1U << 4)
#endif
#ifndef IORING_FEAT_RECVSEND_BUNDLE /* Linux 6.10 */
#define IORING_FEAT_RECVSEND_BUNDLE (1U << 14)
#endif

/* Which headers the bindings come from: version and patch level as LINUX_VERSION_CODE has them, without the sublevel. */
#define LINUX_HEADERS_VERSION (LINUX_VERSION_CODE >> 8)
