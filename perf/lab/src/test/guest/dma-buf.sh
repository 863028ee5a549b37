# I/O with payload in a dma-buf, which the kernel's virtual graphics driver exports.
# usage: dma-buf.sh "JVM COMMAND"
. "$(dirname "$0")/common.sh"
jvm=$1

transfers()
{
    modprobe vgem
    await 10 '[ -e /dev/dri/card0 ]'
    mkdir /tmp/buffered
    mount -t tmpfs none /tmp/buffered
    truncate -s 1M /tmp/buffered/volume
    # shellcheck disable=SC2086
    $jvm io.millrace.lab.guest.DmaBufTransfer /dev/dri/card0 /tmp/buffered/volume /dev/nvme0n1 2>&1
    # What the kernel stored is the pattern.
    od -A n -t x1 -j 4096 -N 4 /tmp/buffered/volume | grep '^ 01 02 03 04$'
}

step transfers transfers
finish
