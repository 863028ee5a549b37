# A drive without an IOMMU: refused, unless the risk is taken out loud and the kernel was built for it.
# usage: noiommu.sh "JVM COMMAND"
. "$(dirname "$0")/common.sh"
jvm=$1

# ask CODE PATTERN WORD...: a command for the session; fails unless exit code and output are as expected.
ask()
{
    local code=$1 pattern=$2 line answer=
    shift 2
    echo "$*" >&3
    while read -r line <&4
    do
        case $line in
            "END "*) break ;;
            *) answer="$answer$line"$'\n' ;;
        esac
    done
    printf '%s: %s\n%s' "$line" "$*" "$answer" >&2
    [ "$line" = "END $code" ] && [[ $answer =~ $pattern ]] || { echo "expected $code: $pattern" >&2; return 1; }
}

driver() { [ "$(basename "$(readlink -f "/sys/bus/pci/devices/$drive/driver")")" = "$1" ]; }

refuse()
{
    [ ! -e "/sys/bus/pci/devices/$drive/iommu_group" ]
    ask 1 "$drive has no IOMMU, which prevents.*with --unsafe-noiommu" drive bind "$drive" --yes
    driver nvme
}

risk()
{
    modprobe vfio-pci
    if [ ! -e /sys/module/vfio/parameters/enable_unsafe_noiommu_mode ]
    then
        ask 1 'this kernel was built without CONFIG_VFIO_NOIOMMU' drive bind "$drive" --unsafe-noiommu --yes
        driver nvme
        return
    fi
    ask 0 'allow VFIO without an IOMMU.*done' drive bind "$drive" --unsafe-noiommu --yes
    driver vfio-pci
    ls /dev/vfio/noiommu-*
    ask 1 "$drive has no IOMMU" drive log "$drive"
    # Ordinary pages may be moved by the kernel.
    ask 1 'hugepages are needed' drive log "$drive" --unsafe-noiommu
    echo 32 > /proc/sys/vm/nr_hugepages
    ask 0 'QEMU NVMe Ctrl, serial LAB0.*health: good' drive log "$drive" --unsafe-noiommu
    ask 0 ' 256 MiB ' drive namespaces "$drive" --unsafe-noiommu
    ask 0 'done' drive reset "$drive" --unsafe-noiommu --yes
    ask 0 'done' drive unbind "$drive" --yes
    driver nvme
}

drive=$(basename "$(readlink -f /sys/class/nvme/nvme0/device)")
mkfifo /tmp/session.in /tmp/session.out
# shellcheck disable=SC2086
$jvm io.millrace.lab.guest.DriveSession < /tmp/session.in > /tmp/session.out &
exec 3> /tmp/session.in 4< /tmp/session.out
step refuse refuse
step risk risk
finish
