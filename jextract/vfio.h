/*
 * How the kernel hands devices to a process. vfio.includes says which of the symbols are taken. Of type 1 alone: headers of
 * Linux 6.1 know neither iommufd nor the character devices of single functions.
 */
#include <linux/vfio.h>
