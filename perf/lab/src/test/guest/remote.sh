# A target that serves namespaces of another one, which is killed under load and comes back: the kernel's initiator notices
# nothing but a pause, and nothing that was acknowledged is lost.
# usage: remote.sh PORT NQN JAVA CLASSPATH KILLS
# Namespaces: 1 for fio, 2 for the writer, each a file of 4096-byte blocks at the other target.
. "$(dirname "$0")/common.sh"
port=$1
nqn=$2
java=$3
classpath=$4
kills=$5

connect "$port" "$nqn" --nr-io-queues=2 --reconnect-delay=1 --ctrl-loss-tmo=600 || exit 1
namespace "$nqn" 2 || exit 1
writer_device=$NAMESPACE
namespace "$nqn" 1 || exit 1
"$java" -XX:TieredStopAtLevel=1 -cp "$classpath" io.millrace.lab.guest.AcknowledgedWriter "$writer_device" /tmp/end &
writer=$!
fio --output=/tmp/fio --name=load --filename="$NAMESPACE" --ioengine=libaio --direct=1 --rw=randwrite \
    --bs=4k --size=8M --thread --iodepth=8 --fsync=16 --rate_iops=150 --verify=crc32c --verify_fatal=1 --do_verify=1 &
load=$!
for ((i = 1; i <= kills; i++))
do
    # Both write before the target is killed.
    await 60 "has_written $load $((i * 1500000)) && has_written $writer $((i * 1000000))" || exit 1
    echo "ready for kill $i"
    await 120 "[ -e /share/back$i ]" || exit 1
    is_state "$nqn" live || { echo "the kernel lost its controller"; exit 1; }
done
status=0
wait $load || { cat /tmp/fio; status=1; }
touch /tmp/end
wait $writer || status=1
kernel_warnings | sed 's/^/WARNING /'
exit $status
