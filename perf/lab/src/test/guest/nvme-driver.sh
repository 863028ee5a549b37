# The driver on drives of this machine: what it writes the kernel reads after the drive was given back, and the other way round;
# namespaces of several formats.
# usage: nvme-driver.sh "JVM COMMAND"
# Drive FORMATS has namespaces 1 with blocks of 512 bytes, 2 with 4096, 3 with 4096 and 8 bytes of metadata.
. "$(dirname "$0")/common.sh"
jvm=$1
address=$(basename "$(readlink -f "$(dirname "$(grep -l FORMATS /sys/class/nvme/nvme*/serial)")/device")")
bytes=524288

# block NSID: prints the kernel's block device of a namespace.
block() { echo /dev/"$(basename /sys/bus/pci/devices/"$address"/nvme/nvme*/nvme*n"$1")"; }

# move DRIVER: what millrace drive does, without a JVM.
move()
{
    echo "$1" > "/sys/bus/pci/devices/$address/driver_override"
    echo "$address" > "/sys/bus/pci/devices/$address/driver/unbind"
    echo "$address" > /sys/bus/pci/drivers_probe
}

kernel_writes()
{
    for nsid in 1 2
    do
        dd if=/dev/urandom of="/tmp/kernel$nsid" bs=$bytes count=1 status=none
        dd if="/tmp/kernel$nsid" of="$(block $nsid)" bs=$bytes oflag=direct status=none
        dd if=/dev/urandom of="/tmp/driver$nsid" bs=$bytes count=1 status=none
    done
    dd if=/dev/urandom of=/tmp/driver3 bs=$bytes count=1 status=none
}

driver_reads_and_writes()
{
    modprobe vfio-pci
    move vfio-pci
    # shellcheck disable=SC2086
    $jvm io.millrace.lab.guest.NvmeTransfer "$address" smart read=1=/tmp/read1=$bytes read=2=/tmp/read2=$bytes reset \
        write=1=/tmp/driver1 write=2=/tmp/driver2 write=3=/tmp/driver3 read=3=/tmp/read3=$bytes
    cmp /tmp/kernel1 /tmp/read1
    cmp /tmp/kernel2 /tmp/read2
    cmp /tmp/driver3 /tmp/read3
}

kernel_reads()
{
    move nvme
    for nsid in 1 2
    do
        await 20 "[ -b \"\$(block $nsid)\" ]"
        dd if="$(block $nsid)" of="/tmp/back$nsid" bs=$bytes count=1 iflag=direct status=none
        cmp "/tmp/driver$nsid" "/tmp/back$nsid"
    done
}

step kernel-writes kernel_writes
step driver driver_reads_and_writes
step kernel-reads kernel_reads
finish
