# File devices in files of ext4 whose disk stops to take writes, as at a loss of power: dm-flakey below, the kernel's
# initiator above in the same machine, with fio on two namespaces and a file system on the third.
# usage: power-loss.sh "JVM COMMAND" NQN
# Namespace N is the file /tmp/below-N/volume on the device flaky-N, which is drive LAB(N-1): 1 with a file system, 2
# for flushes, 3 for FUA. Each has a disk of its own, as one commit of a journal below makes durable what came before.
. "$(dirname "$0")/common.sh"
jvm=$1
nqn=$2
port=4420
# No udev here that makes the nodes.
export DM_DISABLE_UDEV=1
volumes="1 2 3"

# flaky N FEATURE...: the table of volume N; it goes on with none of its 600 s up when there is a feature.
flaky()
{
    local drive up=600 down=0 n=$1
    shift
    [ $# = 0 ] || { up=0; down=600; }
    drive=$(block LAB$((n - 1)) 1)
    echo "0 $(blockdev --getsz "$drive") flakey $drive 0 $up $down $# $*"
}

# change N FEATURE...: gives volume N another table. The file system above is not frozen, which would write all of it.
change()
{
    local n=$1
    flaky "$@" > /tmp/table
    dmsetup suspend --nolockfs "flaky-$n"
    dmsetup load "flaky-$n" /tmp/table
    dmsetup resume "flaky-$n"
}

makes()
{
    local n
    modprobe dm-flakey
    for n in $volumes
    do
        await 20 "[ -b \"\$(block LAB$((n - 1)) 1)\" ]"
        flaky "$n" > /tmp/table
        dmsetup create "flaky-$n" /tmp/table
        mkfs.ext4 -q -E nodiscard,lazy_itable_init=0,lazy_journal_init=0 "/dev/mapper/flaky-$n"
        mkdir -p "/tmp/below-$n"
    done
}

# serves: mounts the file systems below and serves their files. Nothing but a flush commits their journals.
serves()
{
    local n devices="" namespaces=""
    for n in $volumes
    do
        mount -o commit=600 "/dev/mapper/flaky-$n" "/tmp/below-$n"
        devices+=", {name: file-$n, type: file, path: /tmp/below-$n/volume, size: 24MiB}"
        namespaces+=", {nsid: $n, device: file-$n}"
    done
    cat > /tmp/target.yaml << Y
reactors: [{name: r0}]
memory: {size: 32MiB}
warm-up: false
control: {enabled: false}
devices: [${devices#, }]
subsystems:
  - nqn: $nqn
    allow-any-host: true
    namespaces: [${namespaces#, }]
listeners: [{transport: tcp, address: 127.0.0.1, port: $port}]
discovery: false
Y
    # shellcheck disable=SC2086
    XDG_STATE_HOME=/tmp/state $jvm io.millrace.cli.Millrace serve --config /tmp/target.yaml >> /tmp/serve.log 2>&1 &
    echo $! > /tmp/serve.pid
    await 90 "(: < /dev/tcp/127.0.0.1/$port)" || { cat /tmp/serve.log; return 1; }
    LAB_HOST=127.0.0.1 connect $port "$nqn" --nr-io-queues=1
}

# fio syncs before the next write, so that the last one needs a sync of its own.
# load OPTION...: fio writes with --do_verify=0, and reads with --verify_only what it has written.
load()
{
    fio --output=/tmp/fio --ioengine=psync --direct=1 --rw=randwrite --bs=16k --size=2M --thread --verify=crc32c \
        --verify_fatal=1 --end_fsync=1 --randseed=7 "$@" || { cat /tmp/fio; return 1; }
}

# each_way OPTION: the same load with a flush after each write, with FUA, and in a file with fsync.
each_way()
{
    namespace "$nqn" 2
    load --name=flush --filename="$NAMESPACE" --fdatasync=1 "$@"
    namespace "$nqn" 3
    load --name=fua --filename="$NAMESPACE" --sync=dsync "$@"
    load --name=file --filename=/tmp/mounted/file --fsync=1 --fallocate=none "$@"
}

# Ends as the power goes: with writes in flight, and one that is acknowledged after the disk has stopped.
writes()
{
    local n load
    namespace "$nqn" 1
    mkfs.ext4 -q -F -E nodiscard,lazy_itable_init=0,lazy_journal_init=0 "$NAMESPACE"
    mkdir -p /tmp/mounted
    mount "$NAMESPACE" /tmp/mounted
    touch /tmp/mounted/file
    sync -f /tmp/mounted
    each_way --do_verify=0
    fio --output=/tmp/fio-behind --name=behind --filename=/tmp/mounted/behind --ioengine=psync --rw=write --bs=4k \
        --size=4M --fsync=4 --time_based --runtime=600 --thread &
    load=$!
    await 60 "has_written $load 65536"
    for n in $volumes
    do
        change "$n" drop_writes
    done
    namespace "$nqn" 2
    dd if=/dev/urandom of=/tmp/late bs=16k count=1 status=none
    dd if=/tmp/late of="$NAMESPACE" bs=16k seek=1000 oflag=direct conv=fsync,notrunc status=none
    kill -9 "$(cat /tmp/serve.pid)"
    disconnect "$nqn"
    await 60 "! kill -0 $load"
    await 60 "umount /tmp/mounted"
    for n in $volumes
    do
        # A ring of io_uring holds its file for a moment after its process was killed.
        await 20 "umount /tmp/below-$n"
        change "$n"
        blockdev --flushbufs "/dev/mapper/flaky-$n"
    done
}

# sound DEVICE: replays the journal; the rest has to be right as it is.
sound()
{
    local status=0
    e2fsck -y -E journal_only "$1" > /tmp/e2fsck 2>&1 || status=$?
    [ $status -le 1 ] || { cat /tmp/e2fsck; return 1; }
    e2fsck -fn "$1" > /tmp/e2fsck 2>&1 || { cat /tmp/e2fsck; return 1; }
}

reads()
{
    local n
    for n in $volumes
    do
        sound "/dev/mapper/flaky-$n"
    done
    serves
    namespace "$nqn" 1
    sound "$NAMESPACE"
    mount "$NAMESPACE" /tmp/mounted
    namespace "$nqn" 2
    # The loss of power was one.
    dd if="$NAMESPACE" of=/tmp/early bs=16k skip=1000 count=1 iflag=direct status=none
    not cmp -s /tmp/late /tmp/early
    each_way --verify_only
    umount /tmp/mounted
    disconnect "$nqn"
    kill "$(cat /tmp/serve.pid)"
}

for each in disks:makes serve:serves cut:writes recovered:reads
do
    step "${each%%:*}" "${each#*:}"
    [ -z "${FAILED:-}" ] || break
done
[ ! -e /tmp/serve.log ] || sed 's/^/LOG /' /tmp/serve.log
finish
