# Sourced by every script. Programs start slowly in emulation: what the shell can do itself, it does.

# A pipe that nothing comes out of: to wait for it is to sleep without another program.
exec {NOTHING}<> <(:)

# await SECONDS CONDITION: evaluates the condition until it holds; fails when it did not in that time on a quiet host, or in
# three times of it on any.
await()
{
    local deadline=$((SECONDS + 3 * $1))
    until eval "$2" > /dev/null 2>&1
    do
        [ $SECONDS -lt $deadline ] || { echo "waited $((3 * $1)) s in vain for: $2" >&2; return 1; }
        read -rt 0.1 -u "$NOTHING" || true
    done
}

# step NAME COMMAND...: runs a part of the script up to its first command that fails; says how it ended, and goes on.
step()
{
    local name=$1 began=${EPOCHREALTIME/./} ended status
    shift
    # Not as the condition of the if: there the shell would go on after a command that failed.
    (set -e; "$@")
    status=$?
    if [ $status = 0 ]
    then
        echo "STEP $name ok"
    else
        echo "STEP $name failed"
        FAILED=yes
    fi
    ended=${EPOCHREALTIME/./}
    echo "$name: $(((ended - began) / 1000)) ms" >&2
}

# finish: ends the script, with failure when a step failed.
finish()
{
    [ -z "${FAILED:-}" ]
    exit
}

# not COMMAND...: fails when the command succeeds. With '! COMMAND' a step would go on, since set -e ignores its status.
not()
{
    ! "$@" || { echo "succeeded: $*" >&2; return 1; }
}

# connect PORT NQN OPTION...: connects the kernel's initiator to a target on the host.
connect()
{
    local port=$1 nqn=$2
    shift 2
    modprobe nvme-tcp
    nvme connect -t tcp -a "$LAB_HOST" -s "$port" -n "$nqn" "$@"
}

# disconnect NQN: ends the kernel's association with a subsystem, and fails with the place where the kernel waits when that
# takes too long.
disconnect()
{
    local pid
    nvme disconnect -n "$1" > /tmp/disconnect &
    pid=$!
    await 40 "! kill -0 $pid" || { cat "/proc/$pid/stack" >&2; return 1; }
    wait $pid
    grep -q 'disconnected 1 controller' /tmp/disconnect
    not find_controller "$1"
}

# find_controller NQN: sets CONTROLLER to the name of the kernel's controller of a subsystem, such as nvme2.
find_controller()
{
    local directory nqn
    for directory in /sys/class/nvme/nvme*
    do
        if read -r nqn < "$directory/subsysnqn" && [ "$nqn" = "$1" ]
        then
            CONTROLLER=${directory##*/}
            return 0
        fi
    done 2> /dev/null
    return 1
}

# is_state NQN STATE: whether the kernel's controller of a subsystem is in a state, such as live.
is_state()
{
    local state
    find_controller "$1" && read -r state < "/sys/class/nvme/$CONTROLLER/state" && [ "$state" = "$2" ]
}

# find_namespace NQN NSID: sets NAMESPACE to the block device of a namespace, such as /dev/nvme2n1.
find_namespace()
{
    local directory nqn nsid
    for directory in /sys/block/nvme*
    do
        if read -r nqn < "$directory/device/subsysnqn" && [ "$nqn" = "$1" ] && read -r nsid < "$directory/nsid" &&
            [ "$nsid" = "$2" ] && [ -b "/dev/${directory##*/}" ]
        then
            NAMESPACE=/dev/${directory##*/}
            return 0
        fi
    done 2> /dev/null
    return 1
}

# namespace NQN NSID: as find_namespace, waiting for it to be there.
namespace()
{
    await 20 "find_namespace '$1' '$2'"
}

# count NQN NSID: sets COUNT to the reads and writes of a namespace that the kernel's initiator has behind it.
count()
{
    local way reads writes
    find_controller "$1" || return 1
    for way in "/sys/class/nvme/$CONTROLLER/$CONTROLLER"*n"$2"
    do
        read -r reads _ _ _ writes _ < "$way/stat" && COUNT=$((reads + writes))
    done
}

counted() { count "$1" "$2" && [ "$COUNT" -gt "$3" ]; }

# goes_on NQN NSID: waits until a good deal more is done than now.
goes_on()
{
    count "$1" "$2" || return 1
    await 40 "counted '$1' $2 $((COUNT + 100))"
}

# has_written PID BYTES: whether a process and its threads have written that much to block devices. A multipath device
# has no statistics of its own.
has_written()
{
    local key value
    while read -r key value
    do
        [ "$key" != write_bytes: ] || [ "$value" -lt "$2" ] || return 0
    done < "/proc/$1/io"
    return 1
}

# block SERIAL NSID: prints the block device of a namespace.
block()
{
    local controller
    controller=$(basename "$(dirname "$(grep -l "^$1 *$" /sys/class/nvme/nvme*/serial)")")
    echo "/dev/${controller}n$2"
}

# load_polled: loads the driver of drives again, with a queue for polled completions. The machine loads it before its
# script runs.
load_polled()
{
    modprobe -r nvme
    modprobe nvme poll_queues=1
}

# kernel_warnings: what the kernel has to complain of about NVMe, warnings and worse.
kernel_warnings()
{
    dmesg --level=emerg,alert,crit,err,warn | grep -iE 'nvme|blk_update_request|I/O error|hung task|BUG:|WARNING:'
}
