# NVMe/RDMA by SPDK in this machine, on a device in software. One data plane serves memory devices by SPDK's target
# to the kernel's initiator; another has the device of a third, which our own target serves, by SPDK's NVMe driver.
# usage: spdk-rdma.sh "JVM COMMAND" NQN
. "$(dirname "$0")/common.sh"
jvm=$1
nqn=$2
far=$2:far

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

# starts NAME: runs a data plane until it listens.
starts()
{
    # shellcheck disable=SC2086
    $jvm io.millrace.cli.Millrace serve --config "/tmp/$1.yaml" > "/tmp/$1.log" 2>&1 &
    local pid=$!
    await 180 "grep -q '^ready' /tmp/$1.log || ! kill -0 $pid"
    grep -q '^ready' "/tmp/$1.log" || { cat "/tmp/$1.log"; return 1; }
    echo $pid > "/tmp/$1.pid"
}

has_far()
{
    cat > /tmp/far.yaml << Y
reactors: [{name: r0}]
memory: {size: 16MiB}
warm-up: false
control: {enabled: false}
devices: [{name: memory, type: memory, size: 24MiB, block-size: 4096}]
subsystems: [{nqn: "$far", allow-any-host: true, namespaces: [{nsid: 1, device: memory}]}]
listeners:
  - {transport: rdma, address: 192.0.2.1, port: 4420}
  - {transport: tcp, address: 127.0.0.1, port: 4420}
discovery: false
Y
    starts far
}

serves()
{
    cat > /tmp/spdk.json << J
{"subsystems": [
  {"subsystem": "iobuf", "config": [{"method": "iobuf_set_options",
    "params": {"small_pool_count": 512, "large_pool_count": 64}}]},
  {"subsystem": "bdev", "config": [{"method": "bdev_set_options",
    "params": {"bdev_io_pool_size": 2048, "bdev_io_cache_size": 64}},
    {"method": "bdev_nvme_set_options", "params": {"rdma_cm_event_timeout_ms": 30000}}]}]}
J
    cat > /tmp/near.yaml << Y
reactors: [{name: r0}]
memory: {size: 16MiB}
warm-up: false
control: {enabled: false}
spdk: {config: /tmp/spdk.json, memory: 256MiB}
devices:
  - {name: memory, type: memory, size: 24MiB, block-size: 4096}
  - {name: other, type: memory, size: 24MiB, block-size: 4096}
subsystems:
  - nqn: $nqn
    allow-any-host: true
    namespaces: [{nsid: 1, device: memory}, {nsid: 2, device: other}]
listeners: [{transport: rdma, address: 192.0.2.1, port: 4430, provider: spdk}]
discovery: false
Y
    starts near
}

connects()
{
    nvme connect -t rdma -a 192.0.2.1 -s 4430 -n "$nqn" --nr-io-queues=1 --keep-alive-tmo=20 --reconnect-delay=1 \
        --ctrl-loss-tmo=300
    namespace "$nqn" 1
    namespace "$nqn" 2
    is_state "$nqn" live
}

# data FILE... OPTION...: blocks of random length, whose content is known.
data()
{
    fio --output=/tmp/fio --ioengine=libaio --direct=1 --rw=randwrite --bsrange=4k-128k --size=4M --iodepth=8 --thread \
        --randseed=7 --verify=crc32c --verify_fatal=1 "$@" || { cat /tmp/fio; return 1; }
}

verifies()
{
    namespace "$nqn" 1
    local first=$NAMESPACE
    namespace "$nqn" 2
    data --do_verify=1 --name=n1 "--filename=$first" --name=n2 "--filename=$NAMESPACE"
}

# SPDK's NVMe driver as a host of our target: the data plane starts when it has the namespace.
attaches()
{
    cat > /tmp/host.yaml << Y
reactors: [{name: r0}]
memory: {size: 16MiB}
warm-up: false
control: {enabled: false}
spdk: {config: /tmp/spdk.json, memory: 256MiB}
devices:
  - {name: far, type: spdk-nvme, controller: "$far", addresses: ["rdma://192.0.2.1:4420"]}
subsystems: [{nqn: "$nqn", allow-any-host: true, namespaces: [{nsid: 1, device: far}]}]
listeners: [{transport: tcp, address: 127.0.0.1, port: 4440}]
discovery: false
Y
    # SPDK has 10 s to attach, which a machine beside others may exceed.
    local attempts
    for attempts in 1 2 3
    do
        if starts host
        then
            return 0
        fi
        grep -q 'not attached after' /tmp/host.log || break
        echo "not attached in attempt $attempts" >&2
    done
    return 1
}

# What the kernel writes goes over RDMA by SPDK's driver, and comes back from there.
uses()
{
    LAB_HOST=127.0.0.1 connect 4440 "$nqn" --nr-io-queues=1 --keep-alive-tmo=20 --ctrl-loss-tmo=300
    namespace "$nqn" 1
    data --do_verify=1 --name=far "--filename=$NAMESPACE"
    is_state "$nqn" live
}

# Our target has what SPDK's driver wrote.
checks()
{
    disconnect "$nqn"
    kill "$(cat /tmp/host.pid)"
    await 60 "! kill -0 $(cat /tmp/host.pid)"
    LAB_HOST=127.0.0.1 connect 4420 "$far" --nr-io-queues=1 --keep-alive-tmo=20 --ctrl-loss-tmo=300
    namespace "$far" 1
    data --verify_only --name=far "--filename=$NAMESPACE"
    disconnect "$far"
    not grep -iE 'exception|protocol error|not registered|failed' /tmp/host.log /tmp/far.log
}

# The commands that the host gives up leave nothing behind.
leaves_under_load()
{
    local status=0
    namespace "$nqn" 2
    fio --output=/tmp/fio.leave --name=leave --filename="$NAMESPACE" --ioengine=libaio --direct=1 --rw=randwrite --bsrange=4k-64k \
        --size=8M --time_based --runtime=600 --iodepth=8 &
    local load=$!
    goes_on "$nqn" 2
    disconnect "$nqn"
    wait $load || status=$?
    [ $status != 0 ]
    connects
    verifies
}

ends()
{
    disconnect "$nqn"
    kill "$(cat /tmp/near.pid)"
    await 60 "! kill -0 $(cat /tmp/near.pid)"
    not grep -iE 'exception|protocol error|not registered' /tmp/near.log /tmp/far.log
}

step make makes_device
[ -z "${FAILED:-}" ] || finish
for each in far:has_far serve:serves connect:connects verify:verifies leave:leaves_under_load end:ends attach:attaches \
    use:uses check:checks
do
    step "${each%:*}" "${each#*:}"
    [ -z "${FAILED:-}" ] || break
done
sed 's/^/LOG /' /tmp/far.log /tmp/near.log /tmp/host.log
kernel_warnings | sed 's/^/KERNEL /'
finish
