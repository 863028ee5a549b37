# Messaging between processes over an RDMA device in software, and over TCP when it is gone or not permitted.
# usage: rdma-messaging.sh "JVM COMMAND"
. "$(dirname "$0")/common.sh"
jvm=$1

makes_network()
{
    modprobe rdma_rxe
    modprobe ib_uverbs
    modprobe rdma_ucm
    ip link add lab0 type dummy
    ip link set lab0 mtu 4200 up
    ip addr add 192.0.2.1/24 dev lab0
    ip link set lo up
}

makes_device()
{
    rdma link add rxe0 type rxe netdev lab0
    await 20 "[ \$(ibv_devinfo -v -d rxe0 | grep -c 'GID\[') = 2 ]"
}

removes_device()
{
    rdma link delete rxe0
    await 60 "[ ! -e /sys/class/infiniband/rxe0 ]"
}

runs()
{
    $jvm io.millrace.lab.guest.MessagingRun 192.0.2.1 all 2>&1
}

keeps_contract()
{
    $jvm io.millrace.lab.guest.MessagingDeviceContract 192.0.2.1 2>&1
}

# lets_others_read COMMAND: the class path may be in the home directory of its owner.
lets_others_read()
{
    local entry part path=${1##*-cp } directories=()
    path=${path%% *}
    for entry in ${path//:/ } ${1%% *}
    do
        while part=${entry%/*}; [ -n "$part" ] && [[ " ${directories[*]} " != *" $part "* ]]
        do
            directories+=("$part")
            entry=$part
        done
    done
    chmod o+x "${directories[@]}"
}

# The peer may use the device, the user who connects may not.
is_not_permitted()
{
    local pid status=0
    lets_others_read "$jvm"
    chmod 0600 /dev/infiniband/uverbs*
    $jvm io.millrace.lab.guest.MessagingPeer 192.0.2.1 7180 rdma > /tmp/root-peer 2>&1 &
    pid=$!
    await 120 "grep -q LISTENING /tmp/root-peer"
    setpriv --reuid 65534 --regid 65534 --clear-groups --bounding-set -all \
        $jvm io.millrace.lab.guest.MessagingRun 192.0.2.1 connect 2>&1 || status=1
    kill -KILL $pid
    sed 's/^/PEER /' /tmp/root-peer
    return $status
}

step make makes_network
step device makes_device
step permission is_not_permitted
step contract keeps_contract
# The run adds a device while it goes on, and removes it and adds it again at its end: Linux 6.1 has removed one only when
# nobody has it open.
step remove removes_device
step run runs
finish
