# A manager and its data plane with a link between them that is cut while a volume is used and changes are made.
# usage: network-cut.sh "JVM COMMAND" NQN DIRECTORY
# Runs as root of network and mount namespaces of its own. The manager is in another network namespace; the data plane, whose control
# is reached over UDP, is where the script is, and so is the host that uses the volume.
. "$(dirname "$0")/common.sh"
jvm=$1
nqn=$2
directory=$3
mkdir -p "$directory"

networks()
{
    ip link set lo up
    ip netns add away
    ip link add plane0 type veth peer name manager0 netns away
    ip addr add 10.77.0.1/24 dev plane0
    ip link set plane0 up
    ip -n away addr add 10.77.0.2/24 dev manager0
    ip -n away link set manager0 up
    ip -n away link set lo up
}

processes()
{
    umask 077
    secret=$(head -c 24 /dev/urandom | base64)
    echo "operations manager $secret" > "$directory/plane.keys"
    echo "$secret" > "$directory/manager.secret"
    cat > "$directory/plane.yaml" <<END
reactors: [{name: r0}]
memory: {size: 16MiB}
warm-up: false
control: {directory: $directory/plane, channel: 'aeron:udp?endpoint=10.77.0.1:4421', secrets: $directory/plane.keys, device-directories: [$directory]}
state: {directory: $directory/plane-state}
status: {file: $directory/plane.status, size: 1MiB}
END
    cat > "$directory/manager.yaml" <<END
state: {directory: $directory/state}
control: {directory: $directory/manager}
data-planes:
  - name: dp0
    channel: 'aeron:udp?endpoint=10.77.0.1:4421'
    key-name: operations
    secret: $directory/manager.secret
END
    # shellcheck disable=SC2086
    $jvm io.millrace.cli.Millrace serve --config "$directory/plane.yaml" > "$directory/plane.log" 2>&1 &
    # shellcheck disable=SC2086
    ip netns exec away $jvm io.millrace.cli.Millrace manager --config "$directory/manager.yaml" \
        > "$directory/manager.log" 2>&1 &
    await 120 "grep -q ^ready $directory/plane.log && grep -q ^ready $directory/manager.log"
}

# Verified I/O, again and again, until it is told to end.
load()
{
    local rounds=0
    until [ -e "$directory/end" ]
    do
        # shellcheck disable=SC2086
        $jvm io.millrace.cli.Millrace perf --port 4420 --nqn "$nqn" --connect-timeout 60s --depth 4 --duration 2s \
            --pattern randwrite --verify --destroy > "$directory/perf.log" 2>&1 || return 1
        rounds=$((rounds + 1))
    done
    echo "CUT $rounds rounds of verified I/O"
}

step networks networks
step processes processes
# A step is a shell of its own, which cannot wait for children of this one.
# shellcheck disable=SC2086
$jvm io.millrace.lab.guest.CutOff "$directory" "$nqn" &
client=$!
await 120 "[ -e $directory/served ] || ! kill -0 $client"
load &
load=$!
if wait $client; then echo "STEP cut ok"; else echo "STEP cut failed"; FAILED=yes; fi
touch "$directory/end"
if wait $load; then echo "STEP load ok"; else echo "STEP load failed"; FAILED=yes; fi
[ -z "${FAILED:-}" ] || cat "$directory"/*.log
finish
