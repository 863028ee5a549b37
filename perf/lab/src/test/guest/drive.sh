# NVMe drives and VFIO: which are in use, giving them to VFIO and back, what a process gets then, with and without root.
# usage: drive.sh "JVM COMMAND"
# Drives: nvme0 to nvme3; GROUP0 and GROUP1 are two functions of one device; HOT can be unplugged.
. "$(dirname "$0")/common.sh"
jvm=$1

# open_session INPUT OUTPUT COMMAND...: a JVM that takes commands on one of this shell's descriptors and answers on another.
open_session()
{
    local input=$1 output=$2
    shift 2
    mkfifo "/tmp/session$input.in" "/tmp/session$input.out"
    # shellcheck disable=SC2086
    "$@" $jvm io.millrace.lab.guest.DriveSession < "/tmp/session$input.in" > "/tmp/session$input.out" &
    eval "exec $input> /tmp/session$input.in $output< /tmp/session$input.out"
}

# ask INPUT OUTPUT WORD...: a command for a session; sets ANSWER and CODE.
ask()
{
    local input=$1 output=$2 line
    shift 2
    echo "$*" >&"$input"
    ANSWER=
    while read -r line <&"$output"
    do
        case $line in
            "END "*) CODE=${line#END }; break ;;
            *) ANSWER="$ANSWER$line"$'\n' ;;
        esac
    done
    printf '%s: %s\n%s' "$CODE" "$*" "$ANSWER" >&2
}

# as_root CODE PATTERN WORD..., as_nobody CODE PATTERN WORD...: asks; fails unless exit code and output are as expected.
as_root() { expect 3 4 "$@"; }
as_nobody() { expect 5 6 "$@"; }

expect()
{
    local code=$3 pattern=$4
    ask "$1" "$2" "${@:5}"
    [ "$CODE" = "$code" ] && [[ $ANSWER =~ $pattern ]] || { echo "expected $code: $pattern" >&2; return 1; }
}

# address SERIAL: prints where a drive is that the kernel drives.
address()
{
    local controller serial
    for controller in /sys/class/nvme/nvme*
    do
        read -r serial < "$controller/serial"
        [ "$serial" != "$1" ] || { basename "$(readlink -f "$controller/device")"; return; }
    done
    return 1
}

# driver ADDRESS NAME: whether a driver has it.
driver() { [ "$(basename "$(readlink -f "/sys/bus/pci/devices/$1/driver")")" = "$2" ]; }

lvm_() { LVM_SUPPRESS_FD_WARNINGS=1 lvm "$@" --config 'activation { udev_sync=0 udev_rules=0 } devices { use_devicesfile=0 }' > /dev/null 2>&1; }

# let_everybody_in CLASSPATH: folders of the class path may be closed to other users, a home for example.
let_everybody_in()
{
    local entry folder
    local -A folders
    for entry in ${1//:/ }
    do
        folder=${entry%/*}
        while [ -n "$folder" ]
        do
            folders[$folder]=yes
            folder=${folder%/*}
        done
    done
    chmod a+x "${!folders[@]}"
}

use()
{
    mkfs.ext4 -q /dev/nvme0n1
    mkdir -p /tmp/mounted
    mount /dev/nvme0n1 /tmp/mounted
    mkswap /dev/nvme1n1 > /dev/null
    swapon /dev/nvme1n1
    mdadm --create /dev/md0 --run --force --level=0 --raid-devices=1 /dev/nvme2n1 2> /dev/null
    lvm_ pvcreate /dev/nvme3n1
    lvm_ vgcreate vg /dev/nvme3n1
    lvm_ lvcreate -n data -l 4 -Zn -Wn vg
}

list()
{
    as_root 0 'nvme0n1 is mounted on /tmp/mounted' drive list
    [[ $ANSWER =~ 'nvme1n1 is swap' ]]
    [[ $ANSWER =~ 'nvme2n1 is part of md0' ]]
    [[ $ANSWER =~ 'nvme3n1 is part of the LVM volume vg-data' ]]
    [[ $ANSWER =~ 'QEMU NVMe Ctrl'.*'LAB0'.*'256 MiB'.*'good, ' ]]
}

refuse()
{
    as_root 1 'cannot be bound: nvme0n1 is mounted on /tmp/mounted; end that' drive bind "$drive0" --yes
    as_root 1 'cannot be bound: nvme1n1 is swap' drive bind "$drive1" --yes
    as_root 1 'cannot be bound: nvme2n1 is part of md0' drive bind "$drive2" --yes
    as_root 1 'cannot be bound: nvme3n1 is part of the LVM volume vg-data' drive bind "$drive3" --yes
    as_root 2 'not a PCI address' drive bind nvme0 --yes
    as_root 1 'no PCI function is at 0000:99:00.0' drive bind 0000:99:00.0 --yes
    as_root 1 'is not an NVMe drive: its class is 06:00:00' drive bind 0000:00:00.0 --yes
    # A file system that this mount namespace does not see any more is noticed all the same.
    unshare --mount sh -c 'echo > /tmp/unshared; exec sleep 1000' &
    holder=$!
    await 20 '[ -e /tmp/unshared ]'
    umount /tmp/mounted
    as_root 1 'nvme0n1 is claimed by a file system that is not seen here' drive bind "$drive0" --yes
    kill $holder
    for drive in "$drive0" "$drive1" "$drive2" "$drive3"
    do
        driver "$drive" nvme
    done
}

bind()
{
    await 20 '! grep -q /tmp/mounted /proc/[0-9]*/mountinfo'
    dd if=/dev/urandom of=/tmp/data bs=1M count=1 status=none
    dd if=/tmp/data of=/dev/nvme0n1 bs=1M oflag=direct status=none
    as_root 0 'is driven by the kernel.s nvme' probe registers "$drive0"
    as_root 0 'load the module vfio-pci.*removes /dev/nvme0n1.*nothing was done' drive bind "$drive0" --dry-run
    as_root 2 'confirmation needed' drive bind "$drive0"
    driver "$drive0" nvme
    as_root 0 'done' drive bind "$drive0" --yes
    driver "$drive0" vfio-pci
    as_root 0 'driven by vfio-pci already' drive bind "$drive0" --yes
}

take()
{
    as_root 0 'version 0x10400' probe registers "$drive0"
    [[ $ANSWER =~ 'vector true true -1' ]]
    [[ $ANSWER =~ 'gone false' ]]
    as_root 0 'mapped 16 MiB, true, aligned true' probe map "$drive0=16"
    [[ $ANSWER =~ 'are not mapped so' ]]
    as_root 0 'in use by this process already' probe twice "$drive0"
}

# The IOMMU stops the drive beside the mapping, and the kernel says so; the drive goes on.
beside()
{
    local none="'\\.{40}'"
    as_root 0 "identify status 0x0 'QEMU NVMe Ctrl'" probe identify "$drive0"
    [[ $ANSWER =~ beside\ status\ 0x[0-9a-f]+\ $none ]]
    [[ ${ANSWER#*beside} =~ "identify status 0x0 'QEMU NVMe Ctrl'" ]]
    [[ $ANSWER =~ 'ready true, reset true, ready false' ]]
    await 10 "dmesg | grep -i 'DMAR.*DMA Write.*${drive0#0000:}.*fault addr 0x100200000'"
}

group()
{
    as_root 1 "shares IOMMU group [0-9]+ with ${drive5} .nvme., which has to be bound, too: add --group" drive bind "$drive4" --yes
    driver "$drive4" nvme
    # Half of a group cannot be taken.
    echo vfio-pci > "/sys/bus/pci/devices/$drive4/driver_override"
    echo "$drive4" > "/sys/bus/pci/devices/$drive4/driver/unbind"
    echo "$drive4" > /sys/bus/pci/drivers_probe
    as_root 0 "refused $drive4 shares IOMMU group [0-9]+ with $drive5 .nvme.: the kernel must drive none" \
        probe registers "$drive4"
    as_root 0 'back to the kernel' drive unbind "$drive4" --yes
    as_root 0 'done' drive bind "$drive4" --group --yes
    driver "$drive4" vfio-pci
    driver "$drive5" vfio-pci
    as_root 0 'version 0x10400' probe registers "$drive4" registers "$drive5"
    as_root 0 'done' drive unbind "$drive4" "$drive5" --yes
    driver "$drive5" nvme
}

without_root()
{
    local number
    number=$(basename "$(readlink -f "/sys/bus/pci/devices/$drive0/iommu_group")")
    as_nobody 0 "refused /dev/vfio/$number of $drive0 may not be opened by this user: as root, chown " probe registers "$drive0"
    as_nobody 1 'may not be written: it takes root' drive unbind "$drive0" --yes
    chown nobody "/dev/vfio/$number"
    as_nobody 0 'mapped 4 MiB, true' probe map "$drive0=4"
    as_nobody 0 'refused 16 MiB of memory cannot be mapped' probe map "$drive0=16"
    [[ $ANSWER =~ 'limit of this process is 8 MiB and 0 MiB are locked already'.*'to 16 MiB or more' ]]
}

# Held by another process until the drive is unplugged.
unplug()
{
    as_root 0 'done' drive bind "$drive6" --yes --owner nobody
    echo "probe hold $drive6" >&5
    local line
    read -r line <&6
    [ "$line" = "PROBE holding $drive6" ]
    as_root 0 "$drive6 .*in use by process [0-9]+" drive list
    as_root 1 "$drive6 is in use by process [0-9]+ .java.: stop that process first" drive unbind "$drive6" --yes
    as_root 0 "refused $drive6 is in use by process" probe registers "$drive6"
    echo "ready to unplug"
    read -r line <&6
    [ "$line" = "PROBE gone true" ]
    await 30 "[ ! -e /sys/bus/pci/devices/$drive6 ]"
}

give_back()
{
    as_root 0 'back to the kernel.*done' drive unbind "$drive0" --yes
    driver "$drive0" nvme
    # Its number may be another now.
    local block
    await 20 "ls -d /sys/bus/pci/devices/$drive0/nvme/nvme*/nvme*n1"
    block=$(basename /sys/bus/pci/devices/"$drive0"/nvme/nvme*/nvme*n1)
    await 20 "[ -b '/dev/$block' ]"
    dd if="/dev/$block" of=/tmp/read bs=1M count=1 iflag=direct status=none
    cmp /tmp/data /tmp/read
    as_root 0 'is driven by nvme already' drive unbind "$drive0" --yes
}

drive0=$(address LAB0)
drive1=$(address LAB1)
drive2=$(address LAB2)
drive3=$(address LAB3)
drive4=$(address GROUP0)
drive5=$(address GROUP1)
drive6=$(address HOT)
let_everybody_in "${jvm##* }"
open_session 3 4
open_session 5 6 prlimit --memlock=8388608 setpriv --reuid=65534 --regid=65534 --clear-groups
step use use
step list list
step refuse refuse
step bind bind
step take take
step beside beside
step group group
step without-root without_root
step unplug unplug
step give-back give_back
finish
