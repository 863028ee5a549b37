# A drive that SPDK drives in the data plane, served to the kernel's initiator in this machine: verified I/O, the drive
# unplugged under load and plugged in again, and what the kernel's own driver reads afterwards.
# usage: spdk-drive.sh "JVM COMMAND" NQN
# Drive HOT can be unplugged.
. "$(dirname "$0")/served-drive.sh"
jvm=$1
nqn=$2
port=4420
config=/tmp/target.yaml
log=/tmp/serve.log

serves()
{
    # For 256 MiB, the least that SPDK takes, though its default pools need more, and what DPDK leaves between pieces.
    echo 192 > /proc/sys/vm/nr_hugepages
    mkdir -p /dev/hugepages
    mount -t hugetlbfs none /dev/hugepages
    ask drive bind "$address" --yes
    cat > /tmp/spdk.json << J
{"subsystems": [
  {"subsystem": "iobuf", "config": [{"method": "iobuf_set_options",
    "params": {"small_pool_count": 512, "large_pool_count": 64}}]},
  {"subsystem": "bdev", "config": [{"method": "bdev_set_options",
    "params": {"bdev_io_pool_size": 2048, "bdev_io_cache_size": 64}}]}]}
J
    cat > $config << Y
reactors: [{name: r0}]
memory: {size: 32MiB}
warm-up: false
control: {directory: $MILLRACE_CONTROL}
spdk: {config: /tmp/spdk.json, memory: 256MiB, hugepages: true, pci: ["$address"]}
devices:
  - {name: drive, type: spdk-nvme, controller: "$address"}
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
    await 120 "(: < /dev/tcp/127.0.0.1/$port) || ! kill -0 $!"
    kill -0 $! || { cat $log; return 1; }
    LAB_HOST=127.0.0.1 connect $port "$nqn" --nr-io-queues=1 --ctrl-loss-tmo=10
    namespace "$nqn" 1
    namespace "$nqn" 2
}

verified()
{
    namespace "$nqn" 1
    data "$NAMESPACE"
    data "$NAMESPACE" --verify_only
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
    await 20 "[ ! -e /sys/bus/pci/devices/$address ]"
    goes_on "$nqn" 2
    touch /tmp/stop
    wait $LOAD || { cat /tmp/fio.beside; return 1; }
    await 20 "grep -q 'device drive is FAILED: bdev ${address}n1 was deleted or its drive removed' $log"
    grep -q "device drive: write failed .* SPDK ended it at bdev ${address}n1: see its messages" $log
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
    ask device create drive --controller "$address"
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

# What the data plane wrote is on the drive for the kernel's driver.
given_back()
{
    local pid
    disconnect "$nqn"
    pid=$(cat /tmp/serve.pid)
    kill "$pid"
    await 30 "! kill -0 $pid"
    ask drive unbind "$address" --yes
    await 20 "ls -d /sys/bus/pci/devices/$address/nvme/nvme*/nvme*n1"
    block=/dev/$(basename /sys/bus/pci/devices/"$address"/nvme/nvme*/nvme*n1)
    await 20 "[ -b $block ]"
    data "$block" --verify_only
}

# shellcheck disable=SC2086
begin_session $jvm
find_drive HOT
address=$ADDRESS
for each in serve:serves verify:verified unplug:unplugged_under_load plug:plugged_in_again give-back:given_back
do
    step "${each%:*}" "${each#*:}"
    [ -z "${FAILED:-}" ] || break
done
sed 's/^/LOG /' $log
finish
