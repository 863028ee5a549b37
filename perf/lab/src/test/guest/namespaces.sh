# Namespaces that come and go while the kernel's initiator is connected. Says each time when it has seen the change.
# usage: namespaces.sh PORT NQN
. "$(dirname "$0")/common.sh"
port=$1
nqn=$2

# seen NSID BLOCKS: waits for a namespace of that many 512-byte sectors, writes to it and reads back.
seen()
{
    namespace "$nqn" "$1" || exit 1
    await 10 "read -r sectors < /sys/block/${NAMESPACE#/dev/}/size && [ \$sectors = $2 ]" || exit 1
    head -c 64K /dev/urandom > /tmp/data
    dd if=/tmp/data of="$NAMESPACE" bs=16K oflag=direct conv=fsync status=none || exit 1
    dd if="$NAMESPACE" bs=16K count=4 iflag=direct status=none | cmp - /tmp/data || exit 1
    echo "namespace $1 has $2 sectors"
}

connect "$port" "$nqn" --nr-io-queues=2 || exit 1
find_controller "$nqn" || exit 1
read -r before < "/sys/class/nvme/$CONTROLLER/cntlid"
seen 1 32768
seen 2 65536
namespace "$nqn" 1
fio --output=/tmp/fio --name=load --filename="$NAMESPACE" --ioengine=libaio --direct=1 --rw=randwrite \
    --bs=4k --size=4M --iodepth=8 --rate_iops=100 --verify=crc32c --verify_fatal=1 --do_verify=1 &
load=$!
namespace "$nqn" 2
# Without nocreat it could make a file of that name when the device is gone, which the kernel would not replace later.
dd if=/dev/zero of="$NAMESPACE" bs=4K conv=nocreat oflag=direct status=none 2> /tmp/dd &
writer=$!
await 20 "has_written $writer 100000" || exit 1
echo "writing"
await 20 "! find_namespace '$nqn' 2" || exit 1
not wait $writer || { echo "the writer had no error"; exit 1; }
not grep 'No space left' /tmp/dd || exit 1
echo "namespace 2 is gone"
seen 2 16384
wait $load || { cat /tmp/fio; exit 1; }
read -r after < "/sys/class/nvme/$CONTROLLER/cntlid"
[ "$before" = "$after" ] || { echo "controller $before has become $after"; exit 1; }
# The load on what was taken away has errors; nothing else may happen.
kernel_warnings | grep -iE 'reconnect|reset|timeout|BUG:|WARNING:|hung' | sed 's/^/WARNING /'
exit 0
