# A cable that is pulled under load for longer than the keep alive timeout, and plugged again.
# usage: link-down.sh PORT NQN KEEP_ALIVE_SECONDS
. "$(dirname "$0")/common.sh"
port=$1
nqn=$2

connect "$port" "$nqn" --nr-io-queues=2 --keep-alive-tmo="$3" --reconnect-delay=1 --ctrl-loss-tmo=600 || exit 1
namespace "$nqn" 1 || exit 1
fio --output=/tmp/fio --name=load --filename="$NAMESPACE" --ioengine=libaio --direct=1 --rw=randwrite \
    --bs=4k --size=8M --thread --iodepth=8 --rate_iops=150 --verify=crc32c --verify_fatal=1 --do_verify=1 &
load=$!
await 60 "has_written $load 500000" || exit 1
echo "ready for the cut"
await 60 "is_state '$nqn' connecting" || exit 1
echo "connection lost"
await 60 "is_state '$nqn' live" || exit 1
echo "live again"
wait $load || { cat /tmp/fio; exit 1; }
