# Sourced by scripts whose data plane serves a drive to the kernel's initiator in the machine. They set nqn.
. "$(dirname "${BASH_SOURCE[0]}")/common.sh"
export MILLRACE_CONTROL=/dev/shm/millrace-lab

# begin_session COMMAND...: starts the session that ask talks to.
begin_session()
{
    mkfifo /tmp/session.in /tmp/session.out
    "$@" io.millrace.lab.guest.DriveSession < /tmp/session.in > /tmp/session.out &
    exec 3> /tmp/session.in 4< /tmp/session.out
}

# ask WORD...: a command for the session; fails when the command does.
ask()
{
    local line
    echo "$*" >&3
    while read -r line <&4
    do
        case $line in
            "END 0") return 0 ;;
            END*) return 1 ;;
        esac
        echo "$line" >&2
    done
    return 1
}

# find_drive SERIAL: sets ADDRESS to where a drive is that the kernel drives.
find_drive()
{
    local controller serial
    for controller in /sys/class/nvme/nvme*
    do
        read -r serial < "$controller/serial"
        [ "$serial" != "$1" ] || { ADDRESS=$(basename "$(readlink -f "$controller/device")"); return; }
    done 2> /dev/null
    return 1
}

# data FILE OPTION...: blocks of random length all over the first 16 MiB, whose content is known.
data()
{
    local file=$1
    shift
    fio --output=/tmp/fio.data --name=data --filename="$file" --ioengine=libaio --direct=1 --rw=randwrite --iodepth=16 \
        --bsrange=4k-192k --size=16M --randseed=7 --verify=crc32c --verify_fatal=1 "$@" ||
        { cat /tmp/fio.data; return 1; }
}

# load NAME NSID: verifies all that it writes behind the first 16 MiB, until /tmp/stop is there. Sets LOAD to its
# process.
load()
{
    local name=$1
    namespace "$nqn" "$2"
    (
        until [ -e /tmp/stop ]
        do
            fio --output="/tmp/fio.$name" --name="$name" --filename="$NAMESPACE" --ioengine=libaio --direct=1 \
                --rw=randwrite --bsrange=4k-64k --offset=16M --size=8M --iodepth=8 --verify=crc32c --verify_fatal=1 \
                --do_verify=1 --verify_backlog=64 || exit 1
        done
    ) &
    LOAD=$!
}
