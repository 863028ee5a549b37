# Two target processes that serve one subsystem, whose only namespace one of them has: it is killed under a load that verifies
# itself, which waits until the other shows the namespace.
# usage: takeover.sh PORT PORT NQN
. "$(dirname "$0")/common.sh"
. "$(dirname "$0")/paths.sh"
first=$1
second=$2
nqn=$3

modprobe nvme-tcp
[ "$(cat /sys/module/nvme_core/parameters/multipath)" = Y ] || { echo "the kernel has no native multipath"; exit 1; }
for port in $first $second
do
    nvme connect -t tcp -a "$LAB_HOST" -s "$port" -n "$nqn" --nr-io-queues=2 --reconnect-delay=1 --ctrl-loss-tmo=600 ||
        { dmesg | grep -i nvme; exit 1; }
    await 30 "is_path $port live" || exit 1
done
namespace "$nqn" 1 || exit 1
fio --output=/tmp/fio --name=load --filename="$NAMESPACE" --ioengine=libaio --direct=1 --rw=randwrite --bs=4k --size=16M \
    --iodepth=8 --rate_iops=200 --verify=crc32c --verify_fatal=1 --do_verify=1 --thread &
load=$!
await 60 "has_written $load 1000000" || exit 1
echo "ready for kill"
await 60 "is_path $first connecting" || exit 1
# Long enough that nothing can still be on its way.
sleep 2
read -r _ before <<< "$(grep write_bytes "/proc/$load/io" | head -n 1)"
sleep 2
kill -0 $load || { cat /tmp/fio; echo "the load has ended"; exit 1; }
has_written $load $((before + 1)) && { echo "I/O goes on without a path"; exit 1; }
echo "I/O waits"
await 60 "has_written $load $((before + 500000))" || { dmesg | grep -i nvme; exit 1; }
echo "I/O goes on"
wait $load || { cat /tmp/fio; exit 1; }
echo "verified"
exit 0
