# Connections over an RDMA device in software: ours with each other, and with rping of rdma-core.
# usage: rdma-endpoints.sh "JVM COMMAND" "MILLRACE COMMAND"
. "$(dirname "$0")/common.sh"
jvm=$1
millrace=$2

makes_device()
{
    modprobe rdma_rxe
    modprobe ib_uverbs
    modprobe rdma_ucm
    ip link add lab0 type dummy
    ip link set lab0 mtu 4200 up
    ip addr add 192.0.2.1/24 dev lab0
    ip link set lo up
    rdma link add rxe0 type rxe netdev lab0
    await 20 "[ \$(ibv_devinfo -v -d rxe0 | grep -c 'GID\[') = 2 ]"
}

connects()
{
    $jvm io.millrace.lab.guest.RdmaEndpointRun 192.0.2.1 2>&1
}

keeps_contract()
{
    $jvm io.millrace.lab.guest.RdmaDeviceContract 192.0.2.1 2>&1
}

# rping's client compares what comes back (-V) with what it had.
rping_is_served()
{
    local pid
    $jvm io.millrace.lab.guest.RpingServer 192.0.2.1 7174 > /tmp/rping 2>&1 &
    pid=$!
    await 60 "grep -q LISTENING /tmp/rping"
    timeout 60 rping -c -a 192.0.2.1 -p 7174 -C 50 -S 4000 -V || { cat /tmp/rping; return 1; }
    wait $pid
    cat /tmp/rping
}

# The server and the client of a test, by commands; Ctrl-C ends the server.
measures()
{
    local pid text=
    $millrace rdma lat --listen 192.0.2.1 > /tmp/server 2>&1 &
    pid=$!
    await 120 "grep -q 'RDMA tests are served at 192.0.2.1, port 18515' /tmp/server" || { cat /tmp/server; return 1; }
    $millrace rdma lat 192.0.2.1 --iters 200 --json > /tmp/json
    read -r -d '' text < /tmp/json || true
    echo "JSON lat ${text//$'\n'/}"
    await 20 "grep -q disconnected /tmp/server"
    kill -TERM $pid
    wait $pid || true
    sed 's/^/SERVER /' /tmp/server
}

step make makes_device
step connect connects
step contract keeps_contract
step rping rping_is_served
step measure measures
finish
