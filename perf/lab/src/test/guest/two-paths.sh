# Two target processes that serve one subsystem, as two paths of the kernel's native multipath: reads verify themselves and go
# on while either is killed and comes back.
# usage: two-paths.sh PORT PORT NQN KILLS
. "$(dirname "$0")/common.sh"
. "$(dirname "$0")/paths.sh"
first=$1
second=$2
nqn=$3
kills=$4

# count PORT: sets COUNT to the reads that went through the path.
count()
{
    local reads way
    find_path "$1" || return 1
    for way in "/sys/class/nvme/$CONTROLLER"/nvme*c*n*
    do
        read -r reads _ < "$way/stat" && COUNT=$reads && return 0
    done 2> /dev/null
    return 1
}

# goes_through PORT: waits until more goes through a path.
goes_through()
{
    local before
    count "$1" || return 1
    before=$COUNT
    await 60 "count $1 && [ \$COUNT -gt $((before + 20)) ]"
}

modprobe nvme-tcp
[ "$(cat /sys/module/nvme_core/parameters/multipath)" = Y ] || { echo "the kernel has no native multipath"; exit 1; }
ids=
for port in $first $second
do
    nvme connect -t tcp -a "$LAB_HOST" -s "$port" -n "$nqn" --nr-io-queues=2 --reconnect-delay=1 --ctrl-loss-tmo=600 ||
        { dmesg | grep -i nvme; exit 1; }
    await 30 "is_path $port live && count $port" || exit 1
    read -r id < "/sys/class/nvme/$CONTROLLER/cntlid"
    ids="$ids $id"
done
echo "IDS${ids}"
namespace "$nqn" 1 || exit 1
for policy in /sys/class/nvme-subsystem/nvme-subsys*/iopolicy
do
    echo round-robin > "$policy"
done

(
    until [ -e /tmp/stop ]
    do
        fio --output=/tmp/fio --name=load --filename="$NAMESPACE" --readonly --ioengine=libaio --direct=1 --rw=read --bs=4k \
            --size=8M --iodepth=8 --rate_iops=300 --verify=crc32c --verify_fatal=1 --thread || exit 1
    done
) &
load=$!

for ((i = 1; i <= kills; i++))
do
    for port in $first $second
    do
        [ "$port" = "$first" ] && other=$second || other=$first
        goes_through "$port" && goes_through "$other" || { echo "not both paths are used"; exit 1; }
        echo "ready for kill $i of $port"
        await 60 "is_path $port connecting" || exit 1
        goes_through "$other" || { echo "no I/O without $port"; exit 1; }
        echo "I/O goes on without $port, $i"
        await 120 "is_path $port live" || exit 1
    done
done
kill -0 $load || { cat /tmp/fio; echo "the load has ended"; exit 1; }
touch /tmp/stop
wait $load || { cat /tmp/fio; exit 1; }
exit 0
