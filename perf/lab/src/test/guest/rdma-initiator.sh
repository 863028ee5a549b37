# Serves two RAM disks with the kernel's own target over NVMe/RDMA, on a device in software, to our host in this machine.
# usage: rdma-initiator.sh "JVM COMMAND" "MILLRACE COMMAND" NQN
. "$(dirname "$0")/common.sh"
jvm=$1
millrace=$2
nqn=$3
nvmet=/sys/kernel/config/nvmet
subsystem=$nvmet/subsystems/$nqn
port=$nvmet/ports/1

makes_target()
{
    modprobe rdma_rxe
    modprobe ib_uverbs
    modprobe rdma_ucm
    modprobe nvmet-rdma
    modprobe brd rd_nr=2 rd_size=16384
    ip link add lab0 type dummy
    ip link set lab0 mtu 4200 up
    ip addr add 192.0.2.1/24 dev lab0
    ip link set lo up
    rdma link add rxe0 type rxe netdev lab0
    await 20 "[ \$(ibv_devinfo -v -d rxe0 | grep -c 'GID\[') = 2 ]"
    head -c 4M /dev/urandom > /dev/ram1
    mkdir -p "$subsystem/namespaces/1" "$subsystem/namespaces/2" $port
    echo 1 > "$subsystem/attr_allow_any_host"
    echo /dev/ram0 > "$subsystem/namespaces/1/device_path"
    echo 1 > "$subsystem/namespaces/1/enable"
    echo /dev/ram1 > "$subsystem/namespaces/2/device_path"
    echo 1 > "$subsystem/namespaces/2/enable"
    echo rdma > $port/addr_trtype
    echo ipv4 > $port/addr_adrfam
    echo 192.0.2.1 > $port/addr_traddr
    echo 4420 > $port/addr_trsvcid
    ln -s "$subsystem" $port/subsystems/"$nqn"
}

json()
{
    local text=
    read -r -d '' text < /tmp/json || true
    echo "JSON $1 ${text//$'\n'/}"
}

# What a person types; blocks that are written are verified by a second run, and the kernel has them on its disk.
commands_work()
{
    $millrace discover rdma://192.0.2.1 --connect-timeout 60s --json > /tmp/json
    json discover
    $millrace identify rdma://192.0.2.1/"$nqn" --connect-timeout 60s --json > /tmp/json
    json identify
    $millrace perf --transport rdma --address 192.0.2.1 --nqn "$nqn" --pattern write --verify --region 2MiB --size 16KiB \
        --queues 2 --depth 8 --count 256 --warmup 0s --destroy --connect-timeout 60s --json > /tmp/json
    json write
    $millrace perf rdma://192.0.2.1/"$nqn" --pattern read --verify --region 2MiB --size 16KiB --count 128 --warmup 0s \
        --connect-timeout 60s --json > /tmp/json
    json read
}

moves_data()
{
    local pid
    $jvm io.millrace.lab.guest.RdmaHostRun 192.0.2.1 4420 "$nqn" > /tmp/run 2>&1 &
    pid=$!
    await 250 "grep -q 'DONE unregistered' /tmp/run || ! kill -0 $pid"
    await 60 "[ -e /tmp/want-cut ] || ! kill -0 $pid"
    if kill -0 $pid
    then
        sleep 1
        rm "$port/subsystems/$nqn"
        sleep 1
        ln -s "$subsystem" "$port/subsystems/$nqn"
        await 100 "[ -e /tmp/want-removal ] || ! kill -0 $pid"
        sleep 1
        rm -f "$port/subsystems/$nqn"
    fi
    wait $pid || { cat /tmp/run; return 1; }
    cat /tmp/run
}

step make makes_target
[ -z "${FAILED:-}" ] || finish
step move moves_data
echo "SHA-disk2 $(dd if=/dev/ram1 bs=1M count=4 status=none | sha256sum | cut -d ' ' -f 1)"
ln -s "$subsystem" "$port/subsystems/$nqn"
step commands commands_work
kernel_warnings | sed 's/^/KERNEL /'
finish
