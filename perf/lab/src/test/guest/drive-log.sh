# A drive's logs and its reset, through the kernel and through VFIO; refused when the drive is in use.
# usage: drive-log.sh "JVM COMMAND"
. "$(dirname "$0")/common.sh"
jvm=$1

# open_session INPUT OUTPUT: a JVM that takes commands on one of this shell's descriptors and answers on another.
open_session()
{
    mkfifo "/tmp/session$1.in" "/tmp/session$1.out"
    # shellcheck disable=SC2086
    $jvm io.millrace.lab.guest.DriveSession < "/tmp/session$1.in" > "/tmp/session$1.out" &
    eval "exec $1> /tmp/session$1.in $2< /tmp/session$1.out"
}

# ask CODE PATTERN WORD...: a command for the first session; sets ANSWER; fails unless exit code and output are as expected.
ask()
{
    local code=$1 pattern=$2 line
    shift 2
    echo "$*" >&3
    ANSWER=
    while read -r line <&4
    do
        case $line in
            "END "*) break ;;
            *) ANSWER="$ANSWER$line"$'\n' ;;
        esac
    done
    printf '%s: %s\n%s' "$line" "$*" "$ANSWER" >&2
    [ "$line" = "END $code" ] && [[ $ANSWER =~ $pattern ]] || { echo "expected $code: $pattern" >&2; return 1; }
}

is_live() { read -r state < /sys/class/nvme/nvme0/state && [ "$state" = live ]; }

by_kernel()
{
    ask 0 "$drive: QEMU NVMe Ctrl, serial LAB0" drive log nvme0
    [[ $ANSWER =~ 'health: good, '.*'firmware slots:'.*'1  '[^$'\n']*'active'.*'errors: none' ]]
    ask 0 '"status-name"|"errors": \[\]' drive log /dev/nvme0n1 --page error --json
    [[ ! $ANSWER =~ firmwareSlots ]]
    ask 0 'good, ' drive smart nvme0n1
    ask 1 'nvme9 is not an NVMe drive of this machine' drive log nvme9
    ask 2 'not a PCI address' drive log sda
}

refuse()
{
    mkfs.ext4 -q /dev/nvme0n1
    mkdir -p /tmp/mounted
    mount /dev/nvme0n1 /tmp/mounted
    dmesg --clear
    ask 1 'cannot be reset: nvme0n1 is mounted on /tmp/mounted; end that first' drive reset nvme0 --yes
    dmesg | not grep 'nvme nvme0: resetting controller'
    umount /tmp/mounted
}

reset_by_kernel()
{
    dd if=/dev/urandom of=/tmp/data bs=1M count=1 status=none
    dd if=/tmp/data of=/dev/nvme0n1 bs=1M oflag=direct status=none
    ask 0 'have the kernel reset nvme0.*nothing was done' drive reset nvme0 --dry-run
    dmesg | not grep 'nvme nvme0: resetting controller'
    ask 0 'have the kernel reset nvme0.*done' drive reset nvme0 --yes
    dmesg | grep 'nvme nvme0: resetting controller'
    is_live
    dd if=/dev/nvme0n1 of=/tmp/read bs=1M count=1 iflag=direct status=none
    cmp /tmp/data /tmp/read
}

by_vfio()
{
    ask 0 ' 256 MiB .*  uuid 4ee8eebf-bb25-4a4e-9c5a-9d4d0fbc1d0e' drive namespaces nvme0
    namespaces=$ANSWER
    ask 0 'done' drive bind "$drive" --yes
    ask 0 'IDENTITY' drive namespaces "$drive"
    [ "$ANSWER" = "$namespaces" ]
    ask 0 "$drive: QEMU NVMe Ctrl, serial LAB0" drive log "$drive"
    [[ $ANSWER =~ 'health: good, '.*'firmware slots:'.*'errors: none' ]]
    ask 0 '"temperature-celsius"' drive smart "$drive" --json
    ask 0 'open it through VFIO, reset its controller and close it.*nothing was done' drive reset "$drive" --dry-run
    ask 0 'done' drive reset "$drive" --yes
    ask 0 "$drive.*free" drive list
}

in_use()
{
    local line
    echo "probe hold $drive" >&5
    read -r line <&6
    [ "$line" = "PROBE holding $drive" ]
    # Through iommufd where this kernel has it, else through the group.
    ls -l "/proc/$holder/fd" | grep "$([ -e /dev/iommu ] && echo /dev/vfio/devices/vfio || echo /dev/vfio/vfio)"
    ask 1 "$drive is in use by process [0-9]+ .java., which has exclusive access: stop that process first" drive log "$drive"
    ask 1 "$drive cannot be reset: in use by process [0-9]+ .java.; end that first" drive reset "$drive" --yes
    kill -9 "$holder"
    await 20 "! kill -0 $holder"
    ask 0 'health: good' drive log "$drive"
}

give_back()
{
    ask 0 'back to the kernel.*done' drive unbind "$drive" --yes
    await 20 '[ -b /dev/nvme0n1 ]'
    dd if=/dev/nvme0n1 of=/tmp/read bs=1M count=1 iflag=direct status=none
    cmp /tmp/data /tmp/read
}

drive=$(basename "$(readlink -f /sys/class/nvme/nvme0/device)")
open_session 3 4
open_session 5 6
holder=$!
# What comes with the kernel's vfio where it has been built with it.
modprobe iommufd || echo "this kernel has no iommufd: by the group" >&2
step by-kernel by_kernel
step refuse refuse
step reset-by-kernel reset_by_kernel
step by-vfio by_vfio
step in-use in_use
step give-back give_back
finish
