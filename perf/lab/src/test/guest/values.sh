# What nvme-cli and the kernel see of a target on the host, printed for the test to compare: lines "JSON name object" and
# "VALUE name text".
# usage: values.sh PORT NQN
# Namespaces: 1 memory of 4096-byte blocks, 3 of 512 with an error at block 1005 and a read of block 2000 that takes 8 s,
# 5 a file of 512 in ANA group 2, 6 of 4096 with a limit of one block a second.
. "$(dirname "$0")/common.sh"
port=$1
nqn=$2
discovery_nqn=nqn.2014-08.org.nvmexpress.discovery
trace=/sys/kernel/tracing

# text FILE: sets TEXT to what is in a file.
text()
{
    TEXT=
    read -r -d '' TEXT < "$1" || true
}

# json NAME COMMAND...: prints what nvme-cli answers as JSON.
json()
{
    local name=$1 status=0
    shift
    nvme "$@" -o json > /tmp/json 2> /tmp/json.err || status=$?
    text /tmp/json
    echo "JSON $name ${TEXT//$'\n'/}"
    [ $status = 0 ] || { echo "nvme $*: status $status, $(cat /tmp/json.err)"; return 1; }
}

# says NAME FILE PATTERN: prints as a value what the last group of a pattern matches in a file, or a status there.
says()
{
    text "$2"
    if [[ $TEXT =~ $3 ]]
    then
        echo "VALUE $1 ${BASH_REMATCH[-1]}"
    elif [[ $TEXT =~ \((0x[0-9a-f]+)\) ]]
    then
        echo "VALUE $1 ${BASH_REMATCH[1]}"
    else
        echo "VALUE $1 $TEXT"
    fi
}

# status_of NAME COMMAND...: prints the status that a command ends with in nvme-cli's words, 0 for success.
status_of()
{
    local name=$1
    shift
    if nvme "$@" > /tmp/status 2>&1
    then
        echo "VALUE $name 0"
    else
        says "$name" /tmp/status '^$'
    fi
}

# feature NAME OPTION...: prints the value of a feature, or the status.
feature()
{
    local name=$1
    shift
    nvme get-feature "$c" "$@" > /tmp/feature 2>&1 || true
    says "feature-$name" /tmp/feature 'value: ?(0x)?([0-9a-f]{8})'
}

# bytes NAME COMMAND...: prints the bytes that a command answers.
bytes()
{
    local name=$1
    shift
    echo "VALUE $name $("$@" | od -An -v -tx1 | tr -d ' \n')"
}

# table NAME LOG BYTES: prints the entries of 4 bytes of a log page that are not zero, with their numbers.
table()
{
    nvme get-log "$c" -i "$2" -l "$3" -b | od -An -tx4 -v -w4 > /tmp/table
    echo "VALUE $1 $(awk '$1 != "00000000" {printf "%d=%s ", NR - 1, $1}' /tmp/table)"
}

# set_feature NAME OPTION...: prints the status of setting a feature.
set_feature()
{
    local name=$1
    shift
    status_of "set-$name" set-feature "$c" "$@"
}

connects()
{
    mount -t tracefs none $trace
    connect "$port" "$nqn" --nr-io-queues=2 --keep-alive-tmo=10 --hostnqn=nqn.2026-11.io.millrace:host1 \
        --hostid=01234567-89ab-cdef-0123-456789abcdef
    for nsid in 1 3 5 6
    do
        namespace "$nqn" $nsid
    done
    find_controller "$nqn"
    echo 1 > $trace/events/nvme/enable
}

discovers()
{
    json discover discover -t tcp -a "$LAB_HOST" -s "$port"
    # nvme discover --raw gives what libnvme has trimmed: the bytes come from a controller that stays.
    nvme connect -t tcp -a "$LAB_HOST" -s "$port" -n $discovery_nqn
    find_controller $discovery_nqn
    json discovery-id-ctrl id-ctrl "/dev/$CONTROLLER"
    echo "VALUE discovery-log $(nvme get-log "/dev/$CONTROLLER" -i 0x70 -l 3072 -b | gzip -c | base64 -w 0)"
    nvme disconnect -n $discovery_nqn > /dev/null
}

identifies()
{
    local nsid
    json id-ctrl id-ctrl "$c"
    for nsid in 1 2 3 5
    do
        json id-ns-$nsid id-ns "$c" -n $nsid
    done
    status_of id-ns-16385 id-ns "$c" -n 16385
    json ns-descs-1 ns-descs "$c" -n 1
    status_of ns-descs-2 ns-descs "$c" -n 2
    json list-ns list-ns "$c"
    json list-ns-after-3 list-ns "$c" -n 4
    json list-ns-all list-ns "$c" --all
    json list-ctrl list-ctrl "$c"
    json nvm-id-ns nvm-id-ns "$n"
    json list-subsys list-subsys "/dev/${n#/dev/}"
    echo "VALUE cntlid $(cat "/sys/class/nvme/$CONTROLLER/cntlid")"
    echo "VALUE wwid $(cat "/sys/block/${n#/dev/}/wwid")"
    echo "VALUE logical $(cat "/sys/block/${n#/dev/}/queue/logical_block_size")"
    echo "VALUE hw-sectors-kb $(cat "/sys/block/${n#/dev/}/queue/max_hw_sectors_kb")"
}

has_features()
{
    local id
    for id in 01 02 03 04 05 06 07 08 09 0a 0b 0f 84
    do
        feature $id -f 0x$id
    done
    feature 05-of-1 -f 5 -n 1
    feature 05-of-2 -f 5 -n 2
    feature 09-of-1 -f 9 -c 1
    feature 04-under -f 4 -c 0x100000
    feature 0f-default -f 0x0f -s 1
    feature 04-saved -f 4 -s 2
    feature 04-capabilities -f 4 -s 3
    feature 05-capabilities -f 5 -n 1 -s 3
    feature 08-capabilities -f 8 -s 3
    bytes host-id nvme get-feature "$c" -f 0x81 -c 1 -l 16 -b
    status_of host-id-short get-feature "$c" -f 0x81 -l 8
    bytes timestamp nvme get-feature "$c" -f 0x0e -l 8 -b
    table supported-features 0x12 1024
}

sets_features()
{
    set_feature 01 -f 1 --value=0x03020107
    feature 01-set -f 1
    set_feature 02 -f 2 --value=0x40
    feature 02-set -f 2
    set_feature 02-state-1 -f 2 --value=1
    set_feature 04 -f 4 --value=0x160
    set_feature 04-under -f 4 --value=0x100100
    feature 04-set -f 4
    feature 04-set-under -f 4 -c 0x100000
    feature 04-set-default -f 4 -s 1
    set_feature 04-sensor-9 -f 4 --value=0x90160
    set_feature 05 -f 5 -n 1 --value=100
    feature 05-set -f 5 -n 1
    feature 05-set-of-3 -f 5 -n 3
    set_feature 05-deallocated -f 5 -n 1 --value=0x10000
    set_feature 06 -f 6 --value=0
    feature 06-set -f 6
    set_feature 06-back -f 6 --value=1
    set_feature 07 -f 7 --value=0x10001
    set_feature 08 -f 8 --value=1
    set_feature 0a -f 0x0a --value=1
    feature 0a-set -f 0x0a
    set_feature 0b -f 0x0b --value=0x900
    feature 0b-set -f 0x0b
    set_feature 0f -f 0x0f --value=30000
    feature 0f-set -f 0x0f
    set_feature 0f-off -f 0x0f --value=0
    set_feature 04-saved -f 4 --value=0x160 --save
    set_feature 04-of-1 -f 4 -n 1 --value=0x160
    set_feature 10 -f 0x10 --value=1
    # 0x0102030405 ms after the epoch.
    printf '\5\4\3\2\1\0\0\0' > /tmp/timestamp
    set_feature 0e -f 0x0e -l 8 -d /tmp/timestamp
    bytes timestamp-set nvme get-feature "$c" -f 0x0e -l 8 -b
}

has_properties()
{
    local offset
    for offset in 0x0 0x8 0x14 0x1c 0x24 0x68
    do
        nvme get-property "$c" --offset=$offset > /tmp/property 2>&1 || true
        says property-$offset /tmp/property 'value: ([0-9a-f]+)'
    done
}

logs()
{
    local i
    json smart smart-log "$c"
    head -c 1M /dev/urandom > /tmp/data
    for i in 0 1 2
    do
        dd if=/tmp/data of="$n" bs=1M count=1 seek=$i oflag=direct status=none
    done
    for i in 0 1
    do
        dd if="$n" of=/dev/null bs=512K count=1 skip=$i iflag=direct status=none
    done
    namespace "$nqn" 3
    : > $trace/trace
    status_of read-error read "$NAMESPACE" --start-block=1005 --block-count=0 --data-size=512 --data=/dev/null
    sed -nE 's/.*nvme_setup_cmd:.* qid=([0-9]+), cmdid=([0-9]+), nsid=3,.*slba=1005.*/VALUE failed-command \1 \2/p' $trace/trace
    json error-log error-log "$c" -e 2
    json smart-after smart-log "$c"
    json fw-log fw-log "$c"
    json ana-log ana-log "$c"
    json changed-none changed-ns-list-log "$c"
    table effects 5 4096
    table log-pages 0 1024
    status_of log-telemetry get-log "$c" -i 7 -l 512
    status_of log-discovery get-log "$c" -i 0x70 -l 1024
    # With its notices off the kernel does not read the list before us.
    nvme set-feature "$c" -f 0x0b --value=0 > /dev/null
    echo "add a namespace"
    await 20 "nvme list-ns '$c' | grep -q ':0x7\$'"
    json changed-7 changed-ns-list-log "$c"
    # nvme-cli keeps the event for others who read the list; a plain read of the log page does not.
    json changed-kept changed-ns-list-log "$c"
    nvme get-log "$c" -i 4 -l 4096 -b > /dev/null
    json changed-read changed-ns-list-log "$c"
    nvme set-feature "$c" -f 0x0b --value=0x900 > /dev/null
}

# slow_read BLOCK NSID: begins a read of four blocks in the background; sets QUEUE and COMMAND to what the kernel sends it as.
slow_read()
{
    local size seen
    namespace "$nqn" "$2"
    read -r size < "/sys/block/${NAMESPACE#/dev/}/queue/logical_block_size"
    : > $trace/trace
    nvme read "$NAMESPACE" --start-block="$1" --block-count=3 --data-size=$((4 * size)) --data=/dev/null > "/tmp/slow.$1" 2>&1 &
    READER=$!
    await 10 "grep -q 'nvme_setup_cmd:.* nsid=$2,.*slba=$1,' $trace/trace"
    seen=$(sed -nE "s/.*nvme_setup_cmd:.* qid=([0-9]+), cmdid=([0-9]+), nsid=$2,.*slba=$1,.*/\1 \2/p" $trace/trace)
    read -r QUEUE COMMAND <<< "$seen"
}

# abort NAME QUEUE COMMAND: prints dword 0 of the completion of an Abort command.
abort()
{
    nvme admin-passthru "$c" --opcode=0x08 --cdw10=$(($3 << 16 | $2)) > /tmp/abort 2>&1 || true
    says "abort-$1" /tmp/abort 'result: (0x)?([0-9a-f]+)'
}

# ended NAME PID BLOCK: prints how a read in the background ended.
ended()
{
    local status=0
    wait "$2" || status=$?
    if [ $status = 0 ]
    then
        echo "VALUE ended-$1 0"
    else
        says "ended-$1" "/tmp/slow.$3" '^$'
    fi
}

aborts()
{
    local first second slow
    # The device has it: nothing takes it back, and it ends well.
    slow_read 2000 3
    slow=$READER
    abort at-device "$QUEUE" "$COMMAND"
    kill -0 $slow
    # Of commands that wait for their turn the one that is named ends, and no other.
    slow_read 10 6
    ended first $READER 10
    slow_read 20 6
    first=$READER
    slow_read 30 6
    second=$READER
    abort waiting "$QUEUE" "$COMMAND"
    ended aborted $second 30
    abort ended "$QUEUE" "$COMMAND"
    ended other $first 20
    slow_read 40 6
    ended later $READER 40
    abort unknown-queue 99 1
    abort unknown-command 1 0x7777
    ended at-device $slow 2000
}

resets()
{
    local before
    nvme reset "$c"
    await 20 "is_state '$nqn' live"
    feature 04-after-reset -f 4
    feature 0b-after-reset -f 0x0b
    feature 0f-after-reset -f 0x0f
    json error-log-after-reset error-log "$c" -e 1
    if nvme subsystem-reset "$c" > /tmp/subsystem-reset 2>&1
    then
        echo "VALUE subsystem-reset done"
    else
        echo "VALUE subsystem-reset refused"
    fi
    is_state "$nqn" live
    blockdev --rereadpt "$n"
}

step connect connects
find_controller "$nqn" && c=/dev/$CONTROLLER
namespace "$nqn" 1 && n=$NAMESPACE
step discovery discovers
step identify identifies
step features has_features
step properties has_properties
step logs logs
step set-features sets_features
step abort aborts
step reset resets
kernel_warnings | grep -vE 'resetting controller$|critical medium error' | sed 's/^/WARNING /'
finish
