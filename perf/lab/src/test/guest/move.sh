# Verified load on the queues of one controller, which move from reactor to reactor meanwhile.
# usage: move.sh PORT NQN
. "$(dirname "$0")/common.sh"
nqn=$2

connect "$1" "$nqn" --nr-io-queues=2 --hdr-digest --data-digest --keep-alive-tmo=5 || exit 1
namespace "$nqn" 1 || exit 1
echo "connected"
# Small writes lie in their capsules, large ones are asked for and come behind whatever else the kernel has to say.
for round in 1 2 3
do
    fio --output=/tmp/fio --ioengine=libaio --direct=1 --rw=randwrite --iodepth=16 --thread --verify=crc32c \
        --verify_fatal=1 --do_verify=1 --verify_backlog=64 --filename="$NAMESPACE" --name=small --bs=4k --size=4M --offset=0 \
        --name=large --bs=128k --size=16M --offset=8M || { cat /tmp/fio; exit 1; }
    echo "round $round"
done
echo "verified"
disconnect "$nqn" || exit 1
kernel_warnings | grep -iE 'I/O error|blk_update_request|timeout|reconnect|digest|BUG:|WARNING:|hung' | sed 's/^/WARNING /'
exit 0
