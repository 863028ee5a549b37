# Arrays of Millrace that md assembles, and arrays of md whose data Millrace reads.
# usage: array-md.sh "NAME:LEVEL:MEMBERS:STRIP_KIB"...
# In /share, of each array: ours.NAME.SLOT, members that Millrace wrote, and image.NAME, what is in them. Leaves md.NAME.SLOT there,
# members of an array that md wrote the second image to, image2.NAME. The array q-last has Q in its last slot.
. "$(dirname "$0")/common.sh"
DATA_KIB=1024
MEMBER_KIB=2048
# With the second copy of the superblock.
DEVICE_KIB=$((DATA_KIB + MEMBER_KIB + 4))

# attach FILE...: sets DEVICES to block devices with these contents.
attach()
{
    local file
    DEVICES=()
    for file
    do
        dd if="$file" of=/dev/ram${#DEVICES[@]} bs=1M conv=fsync status=none
        DEVICES+=(/dev/ram${#DEVICES[@]})
    done
}

# assemble OPTION... DEVICE...: an array of md in the layout of Millrace, in the order of slots, 'missing' for a slot without.
assemble()
{
    local layout=()
    case $array in
        0) layout=(--chunk="$strip") ;;
        1) layout=(--size=$MEMBER_KIB --bitmap=none) ;;
        5 | 6) layout=(--chunk="$strip" --size=$MEMBER_KIB --bitmap=none --layout=left-symmetric) ;;
        q-last) layout=(--chunk="$strip" --size=$MEMBER_KIB --bitmap=none --layout=left-symmetric-6) ;;
        10) layout=(--chunk="$strip" --size=$MEMBER_KIB --bitmap=none --layout=n2) ;;
    esac
    mdadm --create /dev/md0 --run --quiet --metadata=1.2 --data-offset=$DATA_KIB --level="$level" \
        --raid-devices="$members" "${layout[@]}" "$@"
    await 10 "[ -b /dev/md0 ]"
}

disassemble()
{
    # Whoever looked at the device may hold it for a moment.
    await 20 "mdadm --quiet --stop /dev/md0"
}

# mismatches: sets MISMATCHES to the sectors that md's own check finds.
mismatches()
{
    echo check > /sys/block/md0/md/sync_action
    await 60 "is_sync idle"
    [ "$(cat /sys/block/md0/md/last_sync_action)" = check ]
    read -r MISMATCHES < /sys/block/md0/md/mismatch_cnt
}

# is_sync ACTION: whether md does this with the array now.
is_sync()
{
    local action
    read -r action < /sys/block/md0/md/sync_action && [ "$action" = "$1" ]
}

# degraded SLOT...: reads all without these members.
degraded()
{
    local devices=("${DEVICES[@]}") slot
    for slot
    do
        devices[slot]=missing
    done
    assemble --assume-clean "${devices[@]}"
    cmp /dev/md0 "/share/image.$array" || { echo "array $array without slots $*"; return 1; }
    disassemble
}

reads_ours()
{
    attach "/share/ours.$array".*
    assemble --assume-clean "${DEVICES[@]}"
    [ "$(blockdev --getsize64 /dev/md0)" = "$(stat -c %s "/share/image.$array")" ]
    cmp /dev/md0 "/share/image.$array"
    if [ "$level" != 0 ]
    then
        mismatches
        [ "$MISMATCHES" = 0 ] || { echo "md finds $MISMATCHES sectors that do not match"; return 1; }
    fi
    disassemble
    # Parity is in all slots in turn: any slots do.
    case $level in
        0) ;;
        6) degraded 0 1; degraded 2 4 ;;
        *) degraded 0; degraded $((members - 1)) ;;
    esac
    [ "$level" != 0 ] || return 0
    # What the check would have found.
    dd if=/dev/urandom of=/dev/ram1 bs=4k seek=$(((DATA_KIB + MEMBER_KIB) / 4 - 1)) count=1 conv=fsync status=none
    assemble --assume-clean "${DEVICES[@]}"
    mismatches
    [ "$MISMATCHES" -gt 0 ]
    disassemble
}

writes()
{
    local slot
    DEVICES=()
    for ((slot = 0; slot < members; slot++))
    do
        head -c $((DEVICE_KIB * 1024)) /dev/zero > /dev/ram$slot
        DEVICES+=(/dev/ram$slot)
    done
    # --force: md computes parity of all, rather than to rebuild the last member from the others.
    if [ "$level" = 5 ]; then assemble --force "${DEVICES[@]}"; else assemble "${DEVICES[@]}"; fi
    # Whole stripes, then single blocks.
    dd if="/share/image2.$array" of=/dev/md0 bs=1M oflag=direct status=none
    dd if="/share/image2.$array" of=/dev/md0 bs=4k count=128 oflag=direct conv=fsync status=none
    [ "$level" = 0 ] || await 60 "is_sync idle"
    disassemble
    for ((slot = 0; slot < members; slot++))
    do
        dd if=/dev/ram$slot of="/share/md.$array.$slot" bs=1M status=none
    done
}

modprobe brd rd_nr=8 rd_size=$DEVICE_KIB
for module in raid0 raid1 raid10 raid456
do
    modprobe $module || { echo "the kernel has no $module"; exit 1; }
done
for case in "$@"
do
    IFS=: read -r array level members strip <<< "$case"
    step "reads-$array" reads_ours
    step "writes-$array" writes
done
finish
