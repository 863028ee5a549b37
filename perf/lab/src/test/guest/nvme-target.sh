# A drive that the data plane drives itself, served to the kernel's initiator in this machine: verified I/O, resets under
# load, the drive unplugged under load and plugged in again, and what the kernel's own driver reads afterwards.
# usage: nvme-target.sh "JVM COMMAND" NQN
# Drive HOT can be unplugged.
. "$(dirname "$0")/common.sh"
jvm=$1
nqn=$2
port=4420
config=/tmp/target.yaml
log=/tmp/serve.log
export MILLRACE_CONTROL=/dev/shm/millrace-lab

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

# count NSID: sets COUNT to the reads and writes of a namespace that the initiator has behind it.
count()
{
    local way reads writes
    find_controller "$nqn" || return 1
    for way in "/sys/class/nvme/$CONTROLLER/$CONTROLLER"*n"$1"
    do
        read -r reads _ _ _ writes _ < "$way/stat" && COUNT=$((reads + writes))
    done
}

# flushes NSID: prints how many flushes the block layer of the initiator had answered.
flushes()
{
    local way stat
    find_controller "$nqn" || return 1
    for way in "/sys/class/nvme/$CONTROLLER/$CONTROLLER"*n"$1"
    do
        read -r -a stat < "$way/stat" && echo "VALUE flushes ${stat[15]}"
    done
}

counted() { count "$1" && [ "$COUNT" -gt "$2" ]; }

# goes_on NSID: waits until a good deal more is done than now.
goes_on()
{
    count "$1" || return 1
    await 30 "counted $1 $((COUNT + 100))"
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

serves()
{
    echo "will flush"
    ask drive bind "$address" --yes
    cat > $config << Y
reactors: [{name: r0}]
memory: {size: 32MiB}
warm-up: false
control: {directory: $MILLRACE_CONTROL}
devices:
  - {name: drive, type: nvme, address: "$address"}
  - {name: other, type: memory, size: 32MiB, block-size: 4096}
subsystems:
  - nqn: $nqn
    allow-any-host: true
    namespaces: [{nsid: 1, device: drive}, {nsid: 2, device: other}]
listeners: [{transport: tcp, address: 127.0.0.1, port: $port}]
discovery: false
Y
    # shellcheck disable=SC2086
    $jvm io.millrace.cli.Millrace serve --config $config > $log 2>&1 &
    echo $! > /tmp/serve.pid
    await 90 "(: < /dev/tcp/127.0.0.1/$port)" || { cat $log; return 1; }
    LAB_HOST=127.0.0.1 connect $port "$nqn" --nr-io-queues=1 --ctrl-loss-tmo=10
    namespace "$nqn" 1
    namespace "$nqn" 2
}

file_system()
{
    namespace "$nqn" 1
    mkfs.ext4 -q "$NAMESPACE"
    mkdir -p /tmp/mounted
    mount "$NAMESPACE" /tmp/mounted
    head -c 8000001 /dev/urandom > /tmp/mounted/file
    cksum < /tmp/mounted/file > /tmp/cksum
    umount /tmp/mounted
    mount "$NAMESPACE" /tmp/mounted
    cksum < /tmp/mounted/file | cmp - /tmp/cksum
    umount /tmp/mounted
    fsck.ext4 -fn "$NAMESPACE" > /dev/null
    flushes 1
}

verified()
{
    namespace "$nqn" 1
    data "$NAMESPACE"
}

# By the kernel, under the driver's hands: registers and queues are as after power-on.
reset_under_load()
{
    rm -f /tmp/stop
    load reset 1
    goes_on 1
    for round in 1 2
    do
        echo 1 > "/sys/bus/pci/devices/$address/reset"
        await 30 "[ \$(grep -c 'it is reset' $log) = $round ]"
        goes_on 1
    done
    touch /tmp/stop
    wait $LOAD || { cat /tmp/fio.reset; return 1; }
    namespace "$nqn" 1
    data "$NAMESPACE" --verify_only
    kernel_warnings | not grep -iE 'I/O error|timeout|BUG:|WARNING:|hung'
}

unplugged_under_load()
{
    local lost status=0
    rm -f /tmp/stop
    load unplug 1
    lost=$LOAD
    load beside 2
    goes_on 1
    goes_on 2
    echo "ready to unplug"
    await 60 "! kill -0 $lost"
    wait "$lost" || status=$?
    [ $status != 0 ]
    grep -q 'Input/output error' /tmp/fio.unplug || { cat /tmp/fio.unplug; return 1; }
    await 10 "[ ! -e /sys/bus/pci/devices/$address ]"
    namespace "$nqn" 1
    not timeout 10 dd if="$NAMESPACE" of=/dev/null bs=4096 count=1 iflag=direct status=none 2> /tmp/dd.err
    grep -q 'Input/output error' /tmp/dd.err
    goes_on 2
    touch /tmp/stop
    wait $LOAD || { cat /tmp/fio.beside; return 1; }
    [ "$(grep -c "drive $address was removed, or is to be; its requests end with errors until" $log)" = 1 ]
    is_state "$nqn" live
    echo "ready to plug"
}

plugged_in_again()
{
    await 30 "find_drive again"
    find_drive again
    [ "$ADDRESS" = "$address" ]
    ask drive bind "$address" --yes
    ask namespace remove "$nqn" 1 --yes
    ask device delete drive --yes
    ask create-nvme drive "$address" 1
    ask namespace add "$nqn" drive --nsid 1
    await 30 "! find_namespace '$nqn' 1 || dd if=\$NAMESPACE of=/dev/null bs=4096 count=1 iflag=direct"
    namespace "$nqn" 1
    data "$NAMESPACE" --verify_only
    rm -f /tmp/stop
    load again 1
    goes_on 1
    touch /tmp/stop
    wait $LOAD || { cat /tmp/fio.again; return 1; }
}

# What the data plane wrote is on the drive for the kernel's driver, read back without it.
given_back()
{
    local pid
    namespace "$nqn" 1
    dd if="$NAMESPACE" of=/tmp/read bs=1M count=32 iflag=direct status=none
    disconnect "$nqn"
    pid=$(cat /tmp/serve.pid)
    kill "$pid"
    await 30 "! kill -0 $pid"
    ask drive unbind "$address" --yes
    await 20 "ls -d /sys/bus/pci/devices/$address/nvme/nvme*/nvme*n1"
    block=/dev/$(basename /sys/bus/pci/devices/"$address"/nvme/nvme*/nvme*n1)
    await 20 "[ -b $block ]"
    dd if="$block" bs=1M count=32 iflag=direct status=none | cmp - /tmp/read
    data "$block" --verify_only
}

mkfifo /tmp/session.in /tmp/session.out
# shellcheck disable=SC2086
$jvm io.millrace.lab.guest.DriveSession < /tmp/session.in > /tmp/session.out &
exec 3> /tmp/session.in 4< /tmp/session.out
find_drive HOT
address=$ADDRESS
for each in serve:serves file-system:file_system verify:verified reset:reset_under_load unplug:unplugged_under_load \
    plug:plugged_in_again give-back:given_back
do
    step "${each%:*}" "${each#*:}"
    [ -z "${FAILED:-}" ] || break
done
sed 's/^/LOG /' $log
finish
