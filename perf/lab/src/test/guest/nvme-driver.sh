# The driver on drives of this machine: what it writes the kernel reads after the drive was given back, and the other way round;
# namespaces of several formats; addresses that are not mapped; the contract of block devices; many namespaces over few queues.
# usage: nvme-driver.sh "JVM COMMAND"
# Drives FORMATS and CONTRACT have namespaces 1 with blocks of 512 bytes, 2 with 4096, 3 with 4096 and 8 bytes of
# metadata; CONTRACT has 4 with 4096 and 8 bytes of protection information. MANY has namespaces 1 to 6, two I/O queue pairs and
# three interrupt vectors.
. "$(dirname "$0")/common.sh"
jvm=$1
# address SERIAL: prints where a drive is.
address() { basename "$(readlink -f "$(dirname "$(grep -l "$1" /sys/class/nvme/nvme*/serial)")/device")"; }
address=$(address FORMATS)
contract=$(address CONTRACT)
many=$(address MANY)
bytes=524288

# block NSID: prints the kernel's block device of a namespace.
block() { echo /dev/"$(basename /sys/bus/pci/devices/"$address"/nvme/nvme*/nvme*n"$1")"; }

# move ADDRESS DRIVER: what millrace drive does, without a JVM.
move()
{
    echo "$2" > "/sys/bus/pci/devices/$1/driver_override"
    echo "$1" > "/sys/bus/pci/devices/$1/driver/unbind"
    echo "$1" > /sys/bus/pci/drivers_probe
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
    move "$address" vfio-pci
    # shellcheck disable=SC2086
    $jvm io.millrace.lab.guest.NvmeTransfer "$address" smart read=1=/tmp/read1=$bytes read=2=/tmp/read2=$bytes reset \
        write=1=/tmp/driver1 write=2=/tmp/driver2 write=3=/tmp/driver3 read=3=/tmp/read3=$bytes \
        beside=1 > /tmp/transfer
    cat /tmp/transfer
    cmp /tmp/kernel1 /tmp/read1
    cmp /tmp/kernel2 /tmp/read2
    cmp /tmp/driver3 /tmp/read3
}

# The IOMMU stopped the drive where it was sent beside what is mapped, and the kernel says so.
beside()
{
    local wrong
    grep -q 'beside unchanged' /tmp/transfer
    wrong=$(sed -n 's/.*beside 0x//p' /tmp/transfer)
    dmesg | grep -i "DMAR.*DMA Write.*${address#0000:}.*fault addr 0x${wrong%000}"
}

# With interrupts in one of them.
keeps_the_contract()
{
    move "$contract" vfio-pci
    # shellcheck disable=SC2086
    $jvm io.millrace.lab.guest.ContractRun "$contract" 1 2+ 3 4 2>&1
}

# A queue pair and a vector for each of two reactors, whatever the namespaces.
shares_queues()
{
    move "$many" vfio-pci
    # shellcheck disable=SC2086
    $jvm io.millrace.lab.guest.NvmeNamespaces "$many" 6 2 2>&1
}

kernel_reads()
{
    move "$address" nvme
    for nsid in 1 2
    do
        await 20 "[ -b \"\$(block $nsid)\" ]"
        dd if="$(block $nsid)" of="/tmp/back$nsid" bs=$bytes count=1 iflag=direct status=none
        cmp "/tmp/driver$nsid" "/tmp/back$nsid"
    done
}

step kernel-writes kernel_writes
step driver driver_reads_and_writes
step beside beside
step kernel-reads kernel_reads
step sharing shares_queues
step contract keeps_the_contract
finish
