# A target in this machine that listens on an IPv6 address and on the wildcard, the kernel's initiator and our own over a global
# and a link-local address.
# usage: ipv6.sh NQN MILLRACE_COMMAND...
. "$(dirname "$0")/common.sh"
nqn=$1
shift
millrace=("$@")
address=fd00:6d69:6c6c::1
port=4420
wildcard_port=4421

# json NAME COMMAND...: prints what a command answers as JSON.
json()
{
    local name=$1 text=
    shift
    "$@" > /tmp/json 2> /tmp/json.err || { cat /tmp/json /tmp/json.err; return 1; }
    read -r -d '' text < /tmp/json || true
    echo "JSON $name ${text//$'\n'/}"
}

serves()
{
    ip link add lab0 type dummy
    ip link set lab0 up
    ip -6 addr add $address/64 dev lab0 nodad
    ip -6 addr add fe80::6d69/64 dev lab0 nodad
    cat > /tmp/ipv6.yaml << Y
reactors: [{name: r0}]
memory: {size: 16MiB}
devices:
  - {name: first, type: memory, size: 8MiB, block-size: 4096}
subsystems:
  - nqn: $nqn
    allow-any-host: true
    namespaces: [{nsid: 1, device: first}]
listeners:
  - {transport: tcp, address: "$address", port: $port}
  - {transport: tcp, address: "::", port: $wildcard_port}
discovery: false
control: {enabled: false}
Y
    "${millrace[@]}" serve --config /tmp/ipv6.yaml > /tmp/serve.log 2>&1 &
    # 0A: LISTEN; 1144 and 1145 are the ports.
    await 150 "grep -q ':1144 .* 0A ' /proc/net/tcp6 && grep -q ':1145 .* 0A ' /proc/net/tcp6" || { cat /tmp/serve.log; return 1; }
}

# works ADDRESS PORT: connects the kernel there; what is written comes back, and the kernel names the address.
works()
{
    modprobe nvme-tcp
    nvme connect -t tcp -a "$1" -s "$2" -n "$nqn" --nr-io-queues=1
    namespace "$nqn" 1
    head -c 64K /dev/urandom > /tmp/data
    dd if=/tmp/data of="$NAMESPACE" bs=64K oflag=direct status=none
    dd if="$NAMESPACE" bs=64K count=1 iflag=direct status=none | cmp - /tmp/data
    find_controller "$nqn"
    echo "VALUE address-$2 $(cat "/sys/class/nvme/$CONTROLLER/address")"
    disconnect "$nqn"
}

discovers()
{
    modprobe nvme-tcp
    json nvme-discover nvme discover -t tcp -a $address -s $port -o json
    json nvme-discover-local nvme discover -t tcp -a fe80::6d69%lab0 -s $wildcard_port -o json
}

our_initiator()
{
    json discover "${millrace[@]}" discover --address $address --port $port --json
    json identify "${millrace[@]}" identify "tcp://[fe80::6d69%lab0]:$wildcard_port/$nqn" --json
    json perf "${millrace[@]}" perf "tcp://[$address]:$port/$nqn" --count 200 --warmup 0s --depth 4 --json
}

step serve serves
step discover discovers
step global works $address $port
step link-local works fe80::6d69%lab0 $wildcard_port
step our-initiator our_initiator
kernel_warnings | sed 's/^/WARNING /'
finish
