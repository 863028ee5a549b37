# A target that is killed under load and comes back: the kernel's initiator reconnects by itself, and nothing that was
# acknowledged is lost.
# usage: restart.sh PORT NQN JAVA CLASSPATH KILLS
# Namespaces: 1 file of 4096-byte blocks for fio, 2 file of 4096 for the writer.
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
    await 60 "has_written $load $((i * 1000000)) && has_written $writer $((i * 1000000))" || exit 1
    echo "ready for kill $i"
    await 60 "is_state '$nqn' connecting" || exit 1
    echo "connection lost $i"
    await 120 "is_state '$nqn' live" || exit 1
    echo "live again $i"
done
status=0
wait $load || { cat /tmp/fio; status=1; }
touch /tmp/end
wait $writer || status=1
exit $status
