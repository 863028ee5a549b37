# Our target over NVMe/RDMA under the kernel's initiator in this machine, on a device in software: data in capsules and by
# RDMA READ and WRITE, a file system, hosts that leave under load, and our process killed under load and started again.
# usage: rdma-target.sh "JVM COMMAND" NQN
# Namespaces: 1 memory of 4096-byte blocks, whose reads are lent, 2 a file, which outlives the process.
. "$(dirname "$0")/common.sh"
jvm=$1
nqn=$2
config=/tmp/target.yaml
log=/tmp/serve.log

makes_device()
{
    modprobe rdma_rxe
    modprobe ib_uverbs
    modprobe rdma_ucm
    modprobe nvme-rdma
    ip link add lab0 type dummy
    ip link set lab0 mtu 4200 up
    ip addr add 192.0.2.1/24 dev lab0
    ip link set lo up
    rdma link add rxe0 type rxe netdev lab0
    await 20 "[ \$(ibv_devinfo -v -d rxe0 | grep -c 'GID\[') = 2 ]"
}

# starts: runs the target until it listens.
starts()
{
    : > $log
    # shellcheck disable=SC2086
    $jvm io.millrace.cli.Millrace serve --config $config >> $log 2>&1 &
    SERVE=$!
    await 180 "grep -q '^ready' $log || ! kill -0 $SERVE"
    grep -q '^ready' $log || { cat $log; return 1; }
    echo $SERVE > /tmp/serve.pid
}

serves()
{
    cat > $config << Y
reactors: [{name: r0}, {name: r1}]
memory: {size: 32MiB}
warm-up: false
control: {enabled: false}
devices:
  - {name: memory, type: memory, size: 24MiB, block-size: 4096}
  - {name: file, type: file, path: /dev/shm/file.img, size: 24MiB, block-size: 4096}
subsystems:
  - nqn: $nqn
    allow-any-host: true
    namespaces: [{nsid: 1, device: memory}, {nsid: 2, device: file}]
listeners: [{transport: rdma, address: 192.0.2.1, port: 4420}]
discovery: false
Y
    starts
}

discovers()
{
    nvme discover -t rdma -a 192.0.2.1 -s 4420 > /tmp/discovery
    grep -q "subnqn: *$nqn\$" /tmp/discovery
    grep -q 'trtype: *rdma' /tmp/discovery
    grep -q 'rdma_prtype: *not specified' /tmp/discovery
    grep -q 'rdma_qptype: *connected' /tmp/discovery
    grep -q 'rdma_cms: *rdma-cm' /tmp/discovery
    not grep -i unrecognized /tmp/discovery
}

connects()
{
    nvme connect -t rdma -a 192.0.2.1 -s 4420 -n "$nqn" --nr-io-queues=2 --keep-alive-tmo=20 --reconnect-delay=1 \
        --ctrl-loss-tmo=300
    namespace "$nqn" 1
    namespace "$nqn" 2
    is_state "$nqn" live
}

# What makes the host send a block within its capsule: 260 times 16 bytes, its data at once behind the entry.
offers_capsules()
{
    find_controller "$nqn"
    nvme id-ctrl "/dev/$CONTROLLER" > /tmp/id-ctrl
    local each
    for each in ioccsz:260 icdoff:0 msdbd:1
    do
        grep -q "^${each%:*} *: ${each#*:}\$" /tmp/id-ctrl || { echo "$each"; cat /tmp/id-ctrl; return 1; }
    done
}

# Before anything is cut the kernel has nothing to complain of.
is_quiet()
{
    kernel_warnings > /tmp/warnings || true
    [ ! -s /tmp/warnings ] || { cat /tmp/warnings; return 1; }
}

# Blocks of random length: those of one block go in the capsule, larger ones by RDMA READ; what is compared comes by WRITE.
verifies()
{
    local jobs=() nsid
    for nsid in 1 2
    do
        namespace "$nqn" $nsid
        jobs+=(--name=n$nsid "--filename=$NAMESPACE")
    done
    fio --output=/tmp/fio --ioengine=libaio --direct=1 --rw=randwrite "$@" --iodepth=16 --thread --verify=crc32c \
        --verify_fatal=1 --do_verify=1 "${jobs[@]}" || { cat /tmp/fio; return 1; }
}

file_system()
{
    namespace "$nqn" 1
    mkfs.ext4 -q -F "$NAMESPACE"
    mkdir -p /tmp/mounted
    mount "$NAMESPACE" /tmp/mounted
    head -c 4000001 /dev/urandom > /tmp/mounted/file
    cksum < /tmp/mounted/file > /tmp/cksum
    umount /tmp/mounted
    mount "$NAMESPACE" /tmp/mounted
    cksum < /tmp/mounted/file | cmp - /tmp/cksum
    umount /tmp/mounted
    fsck.ext4 -fn "$NAMESPACE" > /tmp/fsck 2>&1 || { cat /tmp/fsck; return 1; }
}

# load NAME NSID: writes and verifies until /tmp/stop is there or I/O fails. Sets LOAD to its process.
load()
{
    local name=$1
    rm -f /tmp/stop
    namespace "$nqn" "$2"
    (
        until [ -e /tmp/stop ]
        do
            fio --output="/tmp/fio.$name" --name="$name" --filename="$NAMESPACE" --ioengine=libaio --direct=1 \
                --rw=randwrite --bsrange=4k-64k --size=8M --iodepth=8 --verify=crc32c --verify_fatal=1 --do_verify=1 \
                --verify_backlog=64 || exit 1
        done
    ) &
    LOAD=$!
}

# The commands that the host gives up end at the target without a trace: the next host finds it as before.
leaves_under_load()
{
    local status=0
    load leave 1
    goes_on "$nqn" 1
    disconnect "$nqn"
    wait $LOAD || status=$?
    [ $status != 0 ]
    connects
    verifies --bsrange=4k-64k --size=2M
}

# What was acknowledged is in the file, and fio reads it back; what was not is sent again by the kernel.
is_killed_under_load()
{
    load kill 2
    goes_on "$nqn" 2
    kill -KILL "$(cat /tmp/serve.pid)"
    await 30 "is_state '$nqn' connecting"
    starts
    await 60 "is_state '$nqn' live"
    goes_on "$nqn" 2
    touch /tmp/stop
    wait $LOAD || { cat /tmp/fio.kill; return 1; }
}

ends()
{
    disconnect "$nqn"
    kill "$(cat /tmp/serve.pid)"
    await 30 "! kill -0 $(cat /tmp/serve.pid)"
    not grep -iE 'exception|protocol error|not registered' $log
}

step make makes_device
[ -z "${FAILED:-}" ] || finish
for each in serve:serves discover:discovers connect:connects offer:offers_capsules \
    "verify:verifies --bsrange=4k-192k --size=4M" "capsules:verifies --bs=4k --size=1M" file-system:file_system \
    quiet:is_quiet leave:leaves_under_load kill:is_killed_under_load end:ends
do
    # shellcheck disable=SC2086
    step "${each%%:*}" ${each#*:}
    [ -z "${FAILED:-}" ] || break
done
sed 's/^/LOG /' $log
kernel_warnings | sed 's/^/KERNEL /'
finish
