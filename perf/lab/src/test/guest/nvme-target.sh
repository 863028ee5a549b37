# A drive that the data plane drives itself, served to the kernel's initiator in this machine: verified I/O, resets under
# load, the drive unplugged under load and plugged in again, and what the kernel's own driver reads afterwards.
# usage: nvme-target.sh "JVM COMMAND" NQN
# Drive HOT can be unplugged.
. "$(dirname "$0")/served-drive.sh"
jvm=$1
nqn=$2
port=4420
config=/tmp/target.yaml
log=/tmp/serve.log

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
    goes_on "$nqn" 1
    for round in 1 2
    do
        echo 1 > "/sys/bus/pci/devices/$address/reset"
        await 30 "[ \$(grep -c 'it is reset' $log) = $round ]"
        goes_on "$nqn" 1
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
    goes_on "$nqn" 1
    goes_on "$nqn" 2
    echo "ready to unplug"
    await 60 "! kill -0 $lost"
    wait "$lost" || status=$?
    [ $status != 0 ]
    grep -q 'Input/output error' /tmp/fio.unplug || { cat /tmp/fio.unplug; return 1; }
    await 10 "[ ! -e /sys/bus/pci/devices/$address ]"
    namespace "$nqn" 1
    not timeout 10 dd if="$NAMESPACE" of=/dev/null bs=4096 count=1 iflag=direct status=none 2> /tmp/dd.err
    grep -q 'Input/output error' /tmp/dd.err
    goes_on "$nqn" 2
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
    goes_on "$nqn" 1
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

# shellcheck disable=SC2086
begin_session $jvm
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
