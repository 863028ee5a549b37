# What the kernel and its users are told of failing devices: faults of a target on the host, and a disk that is really
# full under a target in this machine.
# usage: errors.sh PORT NQN MILLRACE_COMMAND...
# Namespaces on the host, of 4096-byte blocks: 1 healthy, 2 with faults.
. "$(dirname "$0")/common.sh"
port=$1
nqn=$2
shift 2
millrace=("$@")
full_nqn=nqn.2026-11.io.millrace:full
full_port=4420
disk=/tmp/disk

# blocks COMMAND NAMESPACE BLOCK: reads a block to /tmp/blocks.read or writes that of /tmp/blocks, past the cache.
blocks()
{
    case $1 in
        read) dd if="$2" of=/tmp/blocks.read bs=4096 skip="$3" count=1 iflag=direct status=none ;;
        write) dd if=/tmp/blocks of="$2" bs=4096 seek="$3" count=1 oflag=direct status=none ;;
    esac
}

# fails MESSAGE COMMAND NAMESPACE BLOCK: the same, with that error of the kernel.
fails()
{
    local message=$1
    shift
    not blocks "$@" 2> /tmp/dd.err
    grep -q "$message" /tmp/dd.err || { echo "$*: '$message' expected, $(cat /tmp/dd.err)"; return 1; }
}

# works NAMESPACE BLOCK: a block can be written and comes back.
works()
{
    blocks write "$1" "$2"
    blocks read "$1" "$2"
    cmp -n 4096 /tmp/blocks /tmp/blocks.read
}

# status CODE nvme-cli's words with which a command on one block ends.
status()
{
    local code=$1 data=/tmp/blocks
    shift
    [ "$1" = write ] || data=/tmp/blocks.read
    not nvme "$1" "$2" --start-block="$3" --block-count=0 --data-size=4096 --data=$data > /tmp/nvme.out 2>&1
    grep -qi "($code)" /tmp/nvme.out || { echo "nvme $*: $code expected, $(cat /tmp/nvme.out)"; return 1; }
}

is_alive()
{
    is_state "$1" live
    kernel_warnings | not grep -iE "$CONTROLLER.*(reset|reconnect|timeout|error recovery)"
}

connects()
{
    head -c 4096 /dev/urandom > /tmp/blocks
    connect "$port" "$nqn" --nr-io-queues=2
    namespace "$nqn" 2
    works "$NAMESPACE" 0
}

# A medium's errors are ENODATA to those who read and write in Linux.
medium_errors()
{
    namespace "$nqn" 2
    status 0x4281 read "$NAMESPACE" 1005
    status 0x4280 write "$NAMESPACE" 2005
    nvme verify "$NAMESPACE" --start-block=0 --block-count=999
    not nvme verify "$NAMESPACE" --start-block=900 --block-count=199 > /tmp/nvme.out 2>&1
    grep -qi "(0x4281)" /tmp/nvme.out || { echo "nvme verify: 0x4281 expected, $(cat /tmp/nvme.out)"; return 1; }
    fails 'No data available' read "$NAMESPACE" 1000
    fails 'No data available' write "$NAMESPACE" 2009
    works "$NAMESPACE" 999
    works "$NAMESPACE" 1010
    works "$NAMESPACE" 2010
    blocks write "$NAMESPACE" 1000
    blocks read "$NAMESPACE" 2000
}

# A status without do-not-retry: the kernel tries again, and nobody else learns of it.
passing_error()
{
    namespace "$nqn" 2
    works "$NAMESPACE" 3000
}

delay_of_one_command()
{
    local slow i
    namespace "$nqn" 2
    blocks read "$NAMESPACE" 4000 &
    slow=$!
    namespace "$nqn" 1
    for i in 1 2 3
    do
        works "$NAMESPACE" $i
    done
    kill -0 $slow
    wait $slow
}

others_do_not_notice()
{
    namespace "$nqn" 1
    works "$NAMESPACE" 1000
    works "$NAMESPACE" 2000
    is_alive "$nqn"
}

# fill NAME: takes what room is left on the disk.
fill()
{
    not dd if=/dev/zero of=$disk/"$1" bs=1M conv=fsync status=none 2> /dev/null
    not dd if=/dev/zero of=$disk/"$1.rest" bs=4k conv=fsync status=none 2> /dev/null
}

starts_on_a_disk()
{
    mkfs.ext4 -q -m 0 /dev/nvme0n1 48M
    mkdir -p $disk
    mount /dev/nvme0n1 $disk
    cat > /tmp/full.yaml << Y
reactors: [{name: r0}]
memory: {size: 16MiB}
devices:
  - {name: healthy, type: memory, size: 4MiB}
  - {name: sparse, type: file, path: $disk/sparse.img, size: 16MiB, preallocate: false}
  - {name: allocated, type: file, path: $disk/allocated.img, size: 8MiB}
subsystems:
  - nqn: $full_nqn
    allow-any-host: true
    namespaces: [{nsid: 1, device: healthy}, {nsid: 2, device: sparse}, {nsid: 3, device: allocated}]
listeners: [{transport: tcp, address: 127.0.0.1, port: $full_port}]
discovery: false
Y
    "${millrace[@]}" serve --config /tmp/full.yaml > /tmp/serve.log 2>&1 &
    await 60 "(: < /dev/tcp/127.0.0.1/$full_port)" || { cat /tmp/serve.log; return 1; }
    LAB_HOST=127.0.0.1 connect $full_port $full_nqn --nr-io-queues=1
    namespace $full_nqn 2
    works "$NAMESPACE" 0
    fill filler
}

full_disk()
{
    namespace $full_nqn 2
    fails 'No space left on device' write "$NAMESPACE" 1024
    status 0x4081 write "$NAMESPACE" 2048
    # What has its room on the disk goes on.
    works "$NAMESPACE" 0
    blocks read "$NAMESPACE" 3000
    cmp -n 4096 /dev/zero /tmp/blocks.read
    namespace $full_nqn 1
    works "$NAMESPACE" 5
    namespace $full_nqn 3
    works "$NAMESPACE" 5
    works "$NAMESPACE" 2047
    is_alive $full_nqn
}

# What was given back may be taken by others: preallocation does not help then.
full_disk_after_deallocate()
{
    namespace $full_nqn 3
    blkdiscard -f -o 4M -l 2M "$NAMESPACE"
    sync $disk
    fill second
    fails 'No space left on device' write "$NAMESPACE" 1100
    works "$NAMESPACE" 900
}

full_disk_at_start()
{
    local status=0
    sed -e "s/$full_port/0/; s/sparse.img/other.img/; s/, preallocate: false//; /allocated.img/d; s/, {nsid: 3.*}]/]/" \
        /tmp/full.yaml > /tmp/other.yaml
    "${millrace[@]}" serve --config /tmp/other.yaml > /tmp/other.log 2>&1 || status=$?
    cat /tmp/other.log
    [ $status = 2 ]
    grep -q "^millrace serve: /tmp/other.yaml:5: .*cannot be allocated: No space left on device.*: free space" \
        /tmp/other.log
    [ ! -e $disk/other.img ]
}

freed_disk()
{
    rm $disk/filler* $disk/second*
    sync $disk
    namespace $full_nqn 2
    works "$NAMESPACE" 1024
    namespace $full_nqn 3
    works "$NAMESPACE" 1100
    is_alive $full_nqn
}

step connect connects
step medium-errors medium_errors
step passing-error passing_error
step delay delay_of_one_command
step others others_do_not_notice
step full-disk-setup starts_on_a_disk
step full-disk full_disk
step full-disk-after-deallocate full_disk_after_deallocate
step full-disk-at-start full_disk_at_start
step freed-disk freed_disk
finish
