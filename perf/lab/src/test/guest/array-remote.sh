# An array of namespaces of other targets, whose data plane is on the host and so are those targets, which come and go: the kernel's
# initiator notices nothing but pauses, and nothing that was acknowledged is lost.
# The namespace is the same one all the time, and so is the controller while the array is renamed.
# usage: array-remote.sh PORT NQN JAVA CLASSPATH EVENT...
# After each event the host makes the file /share/EVENT, I/O goes on, and the machine says so.
. "$(dirname "$0")/common.sh"
port=$1
nqn=$2
java=$3
classpath=$4
shift 4

connect "$port" "$nqn" --nr-io-queues=2 --reconnect-delay=1 --ctrl-loss-tmo=600 || exit 1
namespace "$nqn" 1 || exit 1
# identity: what the host knows the namespace by.
identity()
{
    namespace "$nqn" 1 || return 1
    echo "node $NAMESPACE $(stat -c '%t:%T' "$NAMESPACE") wwid $(cat "/sys/block/${NAMESPACE#/dev/}/wwid")"
    nvme id-ns "$NAMESPACE" | grep -E '^(nguid|eui64|nsze)' || return 1
    nvme ns-descs "$NAMESPACE" | grep -E '^(uuid|nguid|eui64)' || return 1
}

# association: by which a reconnect or a reset is seen.
association()
{
    find_controller "$nqn" && echo "$CONTROLLER $(cat "/sys/class/nvme/$CONTROLLER/cntlid")" &&
        dmesg | grep 'nvme' | tail -n 1
}

known=$(identity) || { echo "no identity: $known"; exit 1; }
echo "$known" | sed 's/^/IDENTITY /'
# The writer has the first 4 MiB, the load what follows.
"$java" -XX:TieredStopAtLevel=1 -cp "$classpath" io.millrace.lab.guest.AcknowledgedWriter "$NAMESPACE" /tmp/end &
writer=$!
(
    until [ -e /tmp/end ]
    do
        fio --output=/tmp/fio --name=load --filename="$NAMESPACE" --ioengine=libaio --direct=1 --rw=randwrite \
            --bsrange=4k-64k --offset=4M --size=4M --iodepth=8 --fsync=16 --rate_iops=150 --verify=crc32c \
            --verify_fatal=1 --do_verify=1 || exit 1
    done
) &
load=$!
written()
{
    local stat way
    find_controller "$nqn" || return 1
    for way in "/sys/class/nvme/$CONTROLLER/$CONTROLLER"*n1
    do
        read -r -a stat < "$way/stat" && WRITTEN=${stat[6]}
    done
}
# Both write before and after each event.
goes_on()
{
    local before
    written
    before=$WRITTEN
    await 90 "written && [ \$WRITTEN -gt $((before + 4096)) ] && kill -0 $writer && kill -0 $load"
}
goes_on || exit 1
for event
do
    before=$(association) || exit 1
    echo "ready for $event"
    await 120 "[ -e /share/$event ]" || exit 1
    goes_on || { cat /tmp/fio; exit 1; }
    [ "$known" = "$(identity)" ] || { echo "another namespace:"; identity; exit 1; }
    [ "$event" != rename ] || [ "$before" = "$(association)" ] || { echo "not $before:"; association; exit 1; }
    echo "goes on after $event"
done
touch /tmp/end
status=0
wait $load || { cat /tmp/fio; status=1; }
wait $writer || status=1
is_state "$nqn" live || status=1
kernel_warnings | sed 's/^/WARNING /'
exit $status
