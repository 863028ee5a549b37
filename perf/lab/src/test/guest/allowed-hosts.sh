# A host that is not allowed, allowed, revoked while it works and allowed again; and what a controller of discovery that stays
# learns of changes. Says what it waits for; the test changes the target then.
# usage: allowed-hosts.sh PORT NQN HOST
. "$(dirname "$0")/common.sh"
port=$1
nqn=$2
host=$3
discovery_nqn=nqn.2014-08.org.nvmexpress.discovery
trace=/sys/kernel/tracing

connects()
{
    connect "$port" "$nqn" --hostnqn="$host" --nr-io-queues=2 --reconnect-delay=1 --ctrl-loss-tmo=600
}

# refused NAME: fails unless connecting does; prints the status that the kernel got for its Connect command.
refused()
{
    : > $trace/trace
    if connects > /tmp/refused 2>&1
    then
        echo "connected"
        return 1
    fi
    echo "VALUE $1-status $(sed -nE 's/.*nvme_complete_rq:.* qid=0,.*status=(0x[1-9a-f][0-9a-f]*).*/\1/p' $trace/trace)"
    not find_controller "$nqn"
}

# lists NAME: prints the subsystems that the host finds.
lists()
{
    nvme discover -t tcp -a "$LAB_HOST" -s "$port" --hostnqn="$host" > /tmp/discover
    echo "VALUE $1-list" $(sed -n 's/^subnqn: *//p' /tmp/discover | sort)
}

is_refused()
{
    modprobe nvme-tcp
    mount -t tracefs none $trace
    echo 1 > $trace/events/nvme/nvme_complete_rq/enable
    refused stranger
    grep -q 'failed to write to nvme-fabrics device\|Input/output error' /tmp/refused || { cat /tmp/refused; return 1; }
    lists stranger
}

# written: sets WRITTEN to the number of writes that the namespace has completed.
written()
{
    local path
    for path in /sys/class/nvme/"$CONTROLLER"/nvme*c*n*
    do
        read -r _ _ _ _ WRITTEN _ < "$path/stat"
    done
}

# goes_on: waits until the load has completed more writes.
goes_on()
{
    written
    before=$WRITTEN
    await 30 'written && [ "$WRITTEN" -gt $((before + 20)) ]'
}

is_allowed()
{
    echo "allow"
    await 20 'connects'
    namespace "$nqn" 1
    lists allowed
}

is_revoked()
{
    local before attempts
    find_controller "$nqn"
    goes_on
    echo "revoke"
    await 20 "is_state '$nqn' connecting"
    : > $trace/trace
    # Several attempts, each refused.
    await 30 '[ $(grep -c "nvme_complete_rq:.* qid=0,.*status=0x[1-9a-f]" $trace/trace) -ge 3 ]'
    is_state "$nqn" connecting
    echo "VALUE revoked-status" $(sed -nE 's/.*nvme_complete_rq:.* qid=0,.*status=(0x[1-9a-f][0-9a-f]*).*/\1/p' $trace/trace | sort -u)
    kill -0 $load
    written
    before=$WRITTEN
    sleep 1
    written
    [ "$WRITTEN" = "$before" ]
    lists revoked
}

is_allowed_again()
{
    echo "allow again"
    await 30 "is_state '$nqn' live"
    find_controller "$nqn"
    goes_on
    touch /tmp/stop
    wait_for_load
}

wait_for_load()
{
    await 40 "! kill -0 $load"
    grep -q '^0$' /tmp/load.status || { cat /tmp/fio; return 1; }
}

# log NAME: prints generation and records of the discovery log, as the controller that stays reads it.
log()
{
    echo "VALUE $1" $(nvme get-log "$discovery" -i 0x70 -l 16 -b | od -An -v -tu8)
}

# changed NAME: waits for one more event than so far, and prints it and the log.
changed()
{
    echo "change $1"
    await 20 '[ $(grep -c nvme_async_event $trace/trace) -gt 0 ]'
    # A further event would be reported only once the log is read.
    sleep 0.5
    echo "VALUE event-$1" $(sed -nE 's/.*nvme_async_event: (nvme[0-9]+): (.*)/\2/p' $trace/trace)
    : > $trace/trace
    log "log-$1"
}

hears_of_changes()
{
    local change
    nvme connect -t tcp -a "$LAB_HOST" -s "$port" -n $discovery_nqn --hostnqn="$host" --keep-alive-tmo=30
    find_controller $discovery_nqn
    discovery=/dev/$CONTROLLER
    log log-before
    echo 1 > $trace/events/nvme/nvme_async_event/enable
    : > $trace/trace
    for change in listener-added listener-removed subsystem-added subsystem-removed host-revoked host-allowed twice
    do
        changed $change
    done
    # nvme-cli reads it through the same controller.
    nvme discover -t tcp -a "$LAB_HOST" -s "$port" --device="${discovery#/dev/}" --hostnqn="$host" -o json > /tmp/json
    echo "JSON discover $(tr -d '\n' < /tmp/json)"
    is_state $discovery_nqn live
}

step refused is_refused
step allowed is_allowed
namespace "$nqn" 1
(
    until [ -e /tmp/stop ]
    do
        fio --output=/tmp/fio --name=load --filename="$NAMESPACE" --ioengine=libaio --direct=1 --rw=randwrite --bs=4k \
            --size=1M --iodepth=4 --rate_iops=200 --verify=crc32c --verify_fatal=1 --do_verify=1 ||
            { echo 1 > /tmp/load.status; exit; }
    done
    echo 0 > /tmp/load.status
) &
load=$!
step revoked is_revoked
step allowed-again is_allowed_again
step discovery-changes hears_of_changes
# What the kernel says of the refusals, and of the end of its connection, belongs to them.
kernel_warnings | grep -vE 'Connect (Invalid Host|for subsystem|command failed)|failed to connect|Failed reconnect attempt' |
    grep -vE 'starting error recovery|no usable path' |
    sed 's/^/WARNING /'
finish
