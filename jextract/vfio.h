/*
 * How the kernel hands devices to a process. vfio.includes says which of the symbols are taken.
 */
#include <linux/ioctl.h>
#include <linux/types.h>
#include <linux/vfio.h>

/*
 * iommufd came with Linux 6.2 and files of single functions with 6.6; headers of Linux 6.1 know neither. Their layout is fixed by
 * the kernel's promise to programs, so what is used of it is declared here: what is generated is the same with headers of any
 * kernel, and linux/iommufd.h is never included beside this.
 */
struct iommu_ioas_alloc
{
    __u32 size;
    __u32 flags;
    __u32 out_ioas_id;
};

struct iommu_iova_range
{
    __aligned_u64 start;
    __aligned_u64 last;
};

struct iommu_ioas_iova_ranges
{
    __u32 size;
    __u32 ioas_id;
    __u32 num_iovas;
    __u32 __reserved;
    __aligned_u64 allowed_iovas;
    __aligned_u64 out_iova_alignment;
};

struct iommu_ioas_map
{
    __u32 size;
    __u32 flags;
    __u32 ioas_id;
    __u32 __reserved;
    __aligned_u64 user_va;
    __aligned_u64 length;
    __aligned_u64 iova;
};

struct iommu_ioas_unmap
{
    __u32 size;
    __u32 ioas_id;
    __aligned_u64 iova;
    __aligned_u64 length;
};

#define IOMMU_IOAS_ALLOC _IO(';', 0x81)
#define IOMMU_IOAS_IOVA_RANGES _IO(';', 0x84)
#define IOMMU_IOAS_MAP _IO(';', 0x85)
#define IOMMU_IOAS_UNMAP _IO(';', 0x86)
#define IOMMU_IOAS_MAP_FIXED_IOVA 1
#define IOMMU_IOAS_MAP_WRITEABLE 2
#define IOMMU_IOAS_MAP_READABLE 4

#ifndef VFIO_DEVICE_BIND_IOMMUFD
struct vfio_device_bind_iommufd
{
    __u32 argsz;
    __u32 flags;
    __s32 iommufd;
    __u32 out_devid;
};

#define VFIO_DEVICE_BIND_IOMMUFD _IO(VFIO_TYPE, VFIO_BASE + 18)
#endif

#ifndef VFIO_DEVICE_ATTACH_IOMMUFD_PT
struct vfio_device_attach_iommufd_pt
{
    __u32 argsz;
    __u32 flags;
    __u32 pt_id;
};

#define VFIO_DEVICE_ATTACH_IOMMUFD_PT _IO(VFIO_TYPE, VFIO_BASE + 19)
#endif
