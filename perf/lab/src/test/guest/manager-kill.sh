# A volume of a managed data plane: verified load while manager and data plane are killed and come back.
# usage: manager-kill.sh PORT NQN
. "$(dirname "$0")/common.sh"
port=$1
nqn=$2

connect "$port" "$nqn" --nr-io-queues=2 --reconnect-delay=1 --ctrl-loss-tmo=600 || exit 1
namespace "$nqn" 1 || exit 1
fio --output=/tmp/fio --name=load --filename="$NAMESPACE" --ioengine=libaio --direct=1 --rw=randwrite \
    --bs=4k --size=8M --thread --iodepth=8 --fsync=16 --rate_iops=120 --verify=crc32c --verify_fatal=1 --do_verify=1 &
load=$!
await 60 "has_written $load 200000" || exit 1
echo "I/O runs"
status=0
wait $load || status=1
[ $status = 0 ] || cat /tmp/fio
echo "I/O has ended"
# Not a block less: what was refused for a moment is back.
namespace "$nqn" 1 || status=1
exit $status
