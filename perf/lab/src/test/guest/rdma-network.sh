# Our target over NVMe/RDMA on a network that loses and reorders packets, on one where nothing passes for longer than the keep
# alive timeout, without its device for a while, with 64 connected queue pairs that do nothing, and killed amid I/O. Two devices in
# software at the ends of a cable of this machine: what goes from one address to the other leaves by one end and arrives at the other.
# usage: rdma-network.sh "JVM COMMAND" NQN KEEP_ALIVE_SECONDS IDLE_SECONDS
# Namespaces: 1 of the kernel's host, 2 of our own. A second subsystem is for the kernel's host over TCP, which nothing of this disturbs.
# The kernel's connection manager has soft-RoCE send again after 2.1 s where nothing behind a lost packet tells of it. So whatever
# is lossy moves little: some 130 commands of each host.
. "$(dirname "$0")/common.sh"
jvm=$1
nqn=$2
keep_alive_s=$3
idle_s=$4
config=/tmp/target.yaml
log=/tmp/serve.log

makes_network()
{
    modprobe rdma_rxe
    modprobe ib_uverbs
    modprobe rdma_ucm
    # Soft-RoCE of Linux 6.1 registers memory again when it sends again, which fails ("rxe_reg_fast_mr: ... not free") and stops the
    # host's queue until its commands time out, with the kernel's own target as well. A block of one page needs no registration.
    modprobe nvme-rdma register_always=N
    modprobe nvme-tcp
    modprobe sch_netem
    ip link set lo up
    ip link add lab0 type veth peer name lab1
    local each
    # Each end is a neighbour of the other, though both are this machine's.
    for each in 0 1
    do
        sysctl -q -w net.ipv4.conf.lab$each.rp_filter=0 net.ipv4.conf.lab$each.accept_local=1 \
            net.ipv4.conf.lab$each.arp_ignore=1
        ip link set lab$each mtu 4200 up
        ip addr add 192.0.2.$((each + 1))/24 dev lab$each
        ip rule add pref 10 iif lab$each lookup local
    done
    sysctl -q -w net.ipv4.conf.all.rp_filter=0
    ip rule add pref 20 to 192.0.2.2 lookup 101
    ip rule add pref 20 to 192.0.2.1 lookup 102
    ip rule add pref 100 lookup local
    ip rule del pref 0
    ip route add 192.0.2.2 dev lab0 src 192.0.2.1 table 101
    ip route add 192.0.2.1 dev lab1 src 192.0.2.2 table 102
    rdma link add rxe0 type rxe netdev lab0
    rdma link add rxe1 type rxe netdev lab1
    await 20 "[ \$(ibv_devinfo -v -d rxe1 | grep -c 'GID\[') = 2 ]"
}

serves()
{
    cat > $config << Y
reactors: [{name: r0}, {name: r1}]
memory: {size: 32MiB}
warm-up: false
control: {enabled: false}
devices:
  - {name: kernels, type: memory, size: 16MiB, block-size: 4096}
  - {name: ours, type: memory, size: 16MiB, block-size: 4096}
  - {name: undisturbed, type: memory, size: 8MiB, block-size: 4096}
subsystems:
  - nqn: $nqn
    allow-any-host: true
    namespaces: [{nsid: 1, device: kernels}, {nsid: 2, device: ours}]
  - nqn: $nqn-tcp
    allow-any-host: true
    namespaces: [{nsid: 1, device: undisturbed}]
listeners: [{transport: rdma, address: 192.0.2.2, port: 4420}, {transport: tcp, address: 127.0.0.1, port: 4420}]
discovery: false
Y
    # shellcheck disable=SC2086
    $jvm io.millrace.cli.Millrace serve --config $config > $log 2>&1 &
    echo $! > /tmp/serve.pid
    await 240 "grep -q '^ready' $log || ! kill -0 $!"
    grep -q '^ready' $log || { cat $log; return 1; }
}

# pairs: sets PAIRS to the queue pairs that the target has connected.
pairs()
{
    PAIRS=$(rdma resource show qp link rxe1 | grep -c "type RC state RTS.* comm millrace-r") || true
}

has_pairs() { pairs && [ "$PAIRS" = "$1" ]; }

# await_pairs SECONDS COUNT
await_pairs()
{
    await "$1" "has_pairs $2" || { rdma resource show qp link rxe1 >&2; return 1; }
}

lossy()
{
    local each
    for each in lab0 lab1
    do
        tc qdisc add dev $each root netem limit 10000 loss 5% delay 500us reorder 10% 50%
    done
}

# What was lost is counted: an emulation that loses nothing shows nothing. So is what the devices noticed.
lossless()
{
    local each noticed=0
    for each in lab0 lab1
    do
        tc -s qdisc show dev $each | sed -n "s/.*Sent .* \([0-9]*\) pkt (dropped \([0-9]*\),.*/NETEM $each \1 \2/p"
        tc qdisc del dev $each root
    done
    for each in /sys/class/infiniband/rxe*/ports/1/hw_counters/{completer_retry_err,out_of_seq_request,duplicate_request}
    do
        noticed=$((noticed + $(< "$each")))
    done
    echo "NOTICED $noticed"
}

connects()
{
    nvme connect -t rdma -a 192.0.2.2 -s 4420 -n "$nqn" --nr-io-queues=2 --queue-size=16 \
        --keep-alive-tmo="$keep_alive_s" --reconnect-delay=1 --ctrl-loss-tmo=600
    namespace "$nqn" 1
    is_state "$nqn" live
    await_pairs 20 3
}

# It asks for changes by files.
starts_our_host()
{
    # shellcheck disable=SC2086
    $jvm io.millrace.lab.guest.RdmaNetworkRun 192.0.2.2 4420 "$nqn" > /tmp/run 2>&1 &
    echo $! > /tmp/run.pid
    await 120 "[ -e /tmp/want-loss ] || ! kill -0 $!"
    [ -e /tmp/want-loss ] || { cat /tmp/run; return 1; }
    await_pairs 20 6
}

# verifies BYTES: by the kernel's host. One that lost its connection meanwhile sends again what was not answered.
verifies()
{
    namespace "$nqn" 1
    fio --output=/tmp/fio --name=verify --filename="$NAMESPACE" --ioengine=libaio --direct=1 --rw=randwrite \
        --bs=4k --size="$1" --iodepth=16 --thread --verify=crc32c --verify_fatal=1 --do_verify=1 || { cat /tmp/fio; return 1; }
}

# load NAME NQN: writes and verifies on namespace 1 until /tmp/stop is there or I/O fails. Sets LOAD to its process.
load()
{
    namespace "$2" 1
    (
        until [ -e /tmp/stop ]
        do
            fio --output="/tmp/fio.$1" --name="$1" --filename="$NAMESPACE" --ioengine=libaio --direct=1 --rw=randwrite \
                --bs=4k --size=512k --iodepth=8 --thread --verify=crc32c --verify_fatal=1 --do_verify=1 || exit 1
        done
    ) &
    LOAD=$!
}

# Both hosts at once.
loses()
{
    lossy
    rm /tmp/want-loss
    verifies 256k
    await 240 "grep -q 'DONE loss' /tmp/run || ! kill -0 $(cat /tmp/run.pid)"
    grep -q 'DONE loss' /tmp/run || { cat /tmp/run; return 1; }
    lossless
}

# For longer than the keep alive timeout the link drops all packets. An interface that is down would not do: after that nothing connects by
# soft-RoCE of Linux 6.1 any more, rping of rdma-core neither. The target disconnects hosts that it does not hear; they come back by
# themselves, and so do their loads.
is_cut()
{
    local each
    load cut "$nqn"
    sleep 1
    for each in lab0 lab1
    do
        tc qdisc add dev $each root netem loss 100%
    done
    await 60 "is_state '$nqn' connecting"
    await_pairs 60 0
    echo "CUT $PAIRS"
    for each in lab0 lab1
    do
        tc qdisc del dev $each root
    done
    await 120 "is_state '$nqn' live"
    await_pairs 60 6
    touch /tmp/stop
    wait $LOAD || { cat /tmp/fio.cut; return 1; }
    verifies 256k
}

# The target's device is removed under load. What it had is given back: the kernel's removal ends while the process lives, which it
# would not if that had the device open. Both hosts come back with it; one over TCP has noticed nothing.
loses_device()
{
    local over_tcp deleting pid each
    pid=$(cat /tmp/serve.pid)
    rm -f /tmp/stop
    nvme connect -t tcp -a 127.0.0.1 -s 4420 -n "$nqn-tcp" --nr-io-queues=1 --keep-alive-tmo=60
    load tcp "$nqn-tcp"
    over_tcp=$LOAD
    goes_on "$nqn-tcp" 1
    load rdma "$nqn"
    goes_on "$nqn" 1
    rdma link delete rxe1 &
    deleting=$!
    await 60 "is_state '$nqn' connecting"
    await 30 "! kill -0 $deleting" || { cat /proc/$deleting/stack; ls -l "/proc/$pid/fd"; return 1; }
    wait $deleting
    [ ! -e /sys/class/infiniband/rxe1 ]
    not grep uverbs "/proc/$pid/maps"
    goes_on "$nqn-tcp" 1
    rdma link add rxe1 type rxe netdev lab1
    await 120 "is_state '$nqn' live"
    await_pairs 60 6
    goes_on "$nqn" 1
    goes_on "$nqn-tcp" 1
    touch /tmp/stop
    for each in $over_tcp $LOAD
    do
        wait "$each" || { cat /tmp/fio.rdma /tmp/fio.tcp; return 1; }
    done
    verifies 256k
    find_controller "$nqn-tcp"
    echo "REMOVED $(dmesg | grep -c "$CONTROLLER: .*\(econnecting\|error recovery\|timeout\)")"
    disconnect "$nqn-tcp"
}

# activity PID: sets WAKE_UPS to how often the threads of a process have slept, BUSY_NS to their CPU time.
activity()
{
    local each key value
    WAKE_UPS=0
    BUSY_NS=0
    for each in "/proc/$1/task/"*
    do
        read -r value _ < "$each/schedstat" || value=0
        BUSY_NS=$((BUSY_NS + value))
        while read -r key value
        do
            [ "$key" != voluntary_ctxt_switches: ] || WAKE_UPS=$((WAKE_UPS + value))
        done < "$each/status"
    done 2> /dev/null
}

# CPU time is that of the emulation, and of what the host does meanwhile; how often threads wake up is the program's own.
idles()
{
    local pid wake_ups busy_ns
    pid=$(cat /tmp/serve.pid)
    disconnect "$nqn"
    touch /tmp/connect-all
    await 120 "[ -e /tmp/want-idle ] || ! kill -0 $(cat /tmp/run.pid)"
    [ -e /tmp/want-idle ] || { cat /tmp/run; return 1; }
    await_pairs 20 64
    sleep 2
    activity "$pid"
    wake_ups=$WAKE_UPS
    busy_ns=$BUSY_NS
    sleep "$idle_s"
    activity "$pid"
    echo "IDLE $PAIRS $(((WAKE_UPS - wake_ups) / idle_s)) $(((BUSY_NS - busy_ns) / 1000 / idle_s))"
    rm /tmp/want-idle
}

# Each command of our host ends, with its data or an error.
is_killed()
{
    await 60 "[ -e /tmp/want-kill ] || ! kill -0 $(cat /tmp/run.pid)"
    [ -e /tmp/want-kill ] || { cat /tmp/run; return 1; }
    sleep 1
    kill -KILL "$(cat /tmp/serve.pid)"
    rm /tmp/want-kill
    await 60 "! kill -0 $(cat /tmp/run.pid)"
    grep -q 'DONE killed' /tmp/run || { cat /tmp/run; return 1; }
}

step make makes_network
[ -z "${FAILED:-}" ] || finish
for each in serve:serves connect:connects host:starts_our_host loss:loses cut:is_cut remove:loses_device idle:idles kill:is_killed
do
    step "${each%%:*}" "${each#*:}"
    [ -z "${FAILED:-}" ] || break
done
sed 's/^/LOG /' $log
sed 's/^/RUN /' /tmp/run 2> /dev/null
kernel_warnings | sed 's/^/KERNEL /'
finish
