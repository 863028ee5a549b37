# File devices on block devices of this machine's kernel: the contract of block devices on NVMe drives, with polled
# completions too, on loop and on dm-delay; parts that fail, sizes that change, removal, other users.
# usage: block-devices.sh "JVM COMMAND"
# Drive CONTRACT has namespaces of 8 MiB, 1 with blocks of 512 bytes and 2 with 4096; SPARE and REMOVED have 16 MiB; LAB0 and LAB1 more.
. "$(dirname "$0")/common.sh"
jvm=$1
# No udev here that makes the nodes.
export DM_DISABLE_UDEV=1

setup()
{
    load_polled
    modprobe loop
    for each in "CONTRACT 1" "CONTRACT 2" "SPARE 1" "REMOVED 1" "LAB0 1" "LAB1 1"
    do
        # shellcheck disable=SC2086
        await 20 "[ -b \"\$(block $each)\" ]"
    done
    mount -t tracefs tracefs /sys/kernel/tracing
    mkdir -p /tmp/mounted
    mkfs.ext4 -q "$(block LAB0 1)" 64M
    mount "$(block LAB0 1)" /tmp/mounted
    truncate -s 8M /dev/shm/loop
    losetup /dev/loop0 /dev/shm/loop
    dmsetup create failing --table "0 16384 error"
    # What is written, flushed or discarded takes a tick of the kernel's timer, what is read does not.
    dmsetup create delayed --table "0 16384 delay $(block LAB1 1) 0 0 $(block LAB1 1) 0 1"
}

runs()
{
    # shellcheck disable=SC2086
    $jvm "-Dmillrace.lab.spare=$(block SPARE 1)" "-Dmillrace.lab.large-blocks=$(block CONTRACT 2)" \
        "-Dmillrace.lab.mounted=$(block LAB0 1)" "-Dmillrace.lab.removed=$(block REMOVED 1)" \
        -Dmillrace.lab.loop=/dev/loop0 -Dmillrace.lab.loop-file=/dev/shm/loop \
        io.millrace.lab.guest.BlockFileRun /dev/mapper/failing "$(block CONTRACT 1):512" \
        "$(block CONTRACT 2):4096:polled" /dev/loop0:4096 /dev/mapper/delayed:512 2>&1
}

step setup setup
[ -n "${FAILED:-}" ] || step runs runs
finish
