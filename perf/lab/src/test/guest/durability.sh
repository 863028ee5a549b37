# Two namespaces on file devices whose block devices are logged by dm-log-writes, under the kernel's initiator in the same
# machine. After each promise of durability a mark goes to the log, and says what the disk has to hold from there on.
# usage: durability.sh "JVM COMMAND" NQN
# Namespace 1: the logged drive LAB0 itself, log on LAB1. Namespace 2: a file of ext4 on the logged LAB2, log on LAB3.
# Marks: present@OFFSET@WORD, absent@OFFSET@WORD, zeroes@OFFSET@, file@NAME@WORD; content is that of pattern WORD.
. "$(dirname "$0")/common.sh"
jvm=$1
nqn=$2
port=4420
block=4096
bytes=16384

# find_drive SERIAL: prints the block device of a drive.
find_drive()
{
    local controller serial
    for controller in /sys/class/nvme/nvme*
    do
        read -r serial < "$controller/serial"
        [[ ! $serial =~ ^$1\ *$ ]] || { echo "/dev/${controller##*/}n1"; return; }
    done
    return 1
}

# log_writes NAME DRIVE LOG: a block device NAME that is DRIVE and records its writes on LOG.
log_writes()
{
    local sectors queue
    sectors=$(blockdev --getsz "$2")
    dmsetup create --noudevsync "$1" --table "0 $sectors log-writes $2 $3"
    [ -b "/dev/mapper/$1" ] || dmsetup mknodes "$1"
    # Without a volatile cache a flush would end in the kernel, and the log would show nothing.
    queue=$(dirname "$(grep -lx "$1" /sys/block/dm-*/dm/name)")/../queue
    [ "$(cat "$queue/write_cache")" = "write back" ]
}

mark() { dmsetup message "$1" 0 mark "$2"; }

# pattern WORD: makes /tmp/pattern, a write's content.
pattern()
{
    # The end of yes is its death by SIGPIPE.
    yes "$1" 2> /dev/null | head -c $bytes > /tmp/pattern
}

serves()
{
    modprobe dm-log-writes
    log_writes raw "$(find_drive LAB0)" "$(find_drive LAB1)"
    log_writes below "$(find_drive LAB2)" "$(find_drive LAB3)"
    mkfs.ext4 -q -E nodiscard,lazy_itable_init=0,lazy_journal_init=0 /dev/mapper/below
    mkdir -p /tmp/below
    mount /dev/mapper/below /tmp/below
    cat > /tmp/target.yaml << Y
reactors: [{name: r0}]
memory: {size: 32MiB}
warm-up: false
control: {enabled: false}
devices:
  - {name: raw, type: file, path: "/dev/mapper/raw", block-size: $block}
  - {name: file, type: file, path: /tmp/below/volume, size: 16MiB, block-size: $block}
subsystems:
  - nqn: $nqn
    allow-any-host: true
    namespaces: [{nsid: 1, device: raw}, {nsid: 2, device: file}]
listeners: [{transport: tcp, address: 127.0.0.1, port: $port}]
discovery: false
Y
    # shellcheck disable=SC2086
    XDG_STATE_HOME=/tmp/state $jvm io.millrace.cli.Millrace serve --config /tmp/target.yaml > /tmp/serve.log 2>&1 &
    echo $! > /tmp/serve.pid
    await 90 "(: < /dev/tcp/127.0.0.1/$port)" || { cat /tmp/serve.log; return 1; }
    # The new file of namespace 2 is there after a crash, though no host has flushed yet.
    mark below zeroes@0@
    LAB_HOST=127.0.0.1 connect $port "$nqn" --nr-io-queues=1
    namespace "$nqn" 1
    namespace "$nqn" 2
}

# write BLOCK OPTION...: one Write command of the pattern.
write()
{
    local start=$1
    shift
    nvme write "$NAMESPACE" --start-block="$start" --block-count=$((bytes / block - 1)) --data-size=$bytes \
        --data=/tmp/pattern "$@" > /tmp/nvme.out 2>&1 || { cat /tmp/nvme.out; return 1; }
}

# promises NSID LOG: each way in which a host asks for durability, on blocks of its own.
promises()
{
    local i at
    namespace "$nqn" "$1"
    for i in 1 2 3
    do
        pattern "fsync-$i"
        dd if=/tmp/pattern of="$NAMESPACE" bs=$bytes seek="$i" conv=fsync,notrunc status=none
        mark "$2" present@$((i * bytes))@"fsync-$i"
    done
    for i in 4 5
    do
        pattern "dsync-$i"
        dd if=/tmp/pattern of="$NAMESPACE" bs=$bytes seek="$i" oflag=direct,dsync conv=notrunc status=none
        mark "$2" present@$((i * bytes))@"dsync-$i"
    done
    for i in 6 7 8
    do
        at=$((i * bytes / block))
        pattern "fua-$i"
        write $at --force-unit-access
        mark "$2" present@$((i * bytes))@"fua-$i"
    done
    nvme write-zeroes "$NAMESPACE" --start-block=$at --block-count=$((bytes / block - 1)) --force-unit-access > /dev/null
    mark "$2" zeroes@$((8 * bytes))@
    pattern flush-9
    write $((9 * bytes / block))
    # A write alone promises nothing: this shows that the log does not hold it before the flush.
    [ "$2" = below ] || mark "$2" absent@$((9 * bytes))@flush-9
    nvme flush "$NAMESPACE" > /dev/null
    mark "$2" present@$((9 * bytes))@flush-9
}

# The journal of a file system uses FUA and Flush as it needs them.
file_system()
{
    local i
    namespace "$nqn" 1
    mkfs.ext4 -q -F -E nodiscard,lazy_itable_init=0,lazy_journal_init=0 "$NAMESPACE"
    mkdir -p /tmp/mounted
    mount "$NAMESPACE" /tmp/mounted
    sync -f /tmp/mounted
    for i in 1 2 3
    do
        pattern "file-$i"
        dd if=/tmp/pattern of="/tmp/mounted/new" bs=$bytes conv=fsync status=none
        mv /tmp/mounted/new "/tmp/mounted/file$i"
        sync /tmp/mounted
        mark raw "file@file$i@file-$i"
    done
    umount /tmp/mounted
}

# The logs' last entries go to their drives when the devices end.
ends()
{
    local pid
    disconnect "$nqn"
    pid=$(cat /tmp/serve.pid)
    kill "$pid"
    await 30 "! kill -0 $pid"
    # A ring of io_uring holds its file for a moment after it was closed.
    await 20 "umount /tmp/below"
    await 20 "dmsetup remove --noudevsync raw"
    await 20 "dmsetup remove --noudevsync below"
    blockdev --flushbufs "$(find_drive LAB1)" "$(find_drive LAB3)"
    not kernel_warnings
}

for each in serve:serves "drive:promises 1 raw" "file:promises 2 below" file-system:file_system end:ends
do
    # shellcheck disable=SC2086
    step "${each%%:*}" ${each#*:}
    [ -z "${FAILED:-}" ] || break
done
[ ! -e /tmp/serve.log ] || sed 's/^/LOG /' /tmp/serve.log
finish
