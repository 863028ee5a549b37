# Serves two namespaces with the kernel's own target over NVMe/TCP, port 4420: a RAM disk with blocks of 512 bytes and a file
# with blocks of 4096, which overlayfs has not. Says what the second holds, and at the end what the host wrote to the first.
# usage: kernel-target.sh NQN
. "$(dirname "$0")/common.sh"
nqn=$1
nvmet=/sys/kernel/config/nvmet
subsystem=$nvmet/subsystems/$nqn
port=$nvmet/ports/1

setup()
{
    modprobe nvmet-tcp
    modprobe brd rd_nr=1 rd_size=8192
    head -c 8M /dev/urandom > /dev/shm/namespace2
    mkdir -p "$subsystem/namespaces/1" "$subsystem/namespaces/2" $port
    echo 1 > "$subsystem/attr_allow_any_host"
    echo /dev/ram0 > "$subsystem/namespaces/1/device_path"
    echo 1 > "$subsystem/namespaces/1/enable"
    echo -n /dev/shm/namespace2 > "$subsystem/namespaces/2/device_path"
    echo 1 > "$subsystem/namespaces/2/buffered_io"
    echo 1 > "$subsystem/namespaces/2/enable"
    echo tcp > $port/addr_trtype
    echo ipv4 > $port/addr_adrfam
    echo 0.0.0.0 > $port/addr_traddr
    echo 4420 > $port/addr_trsvcid
    ln -s "$subsystem" $port/subsystems/"$nqn"
}

step setup setup
[ -z "${FAILED:-}" ] || finish
echo "SHA2 $(sha256sum < /dev/shm/namespace2 | cut -d ' ' -f 1)"
echo "serving"
await 120 '[ -e /share/cut ]' || exit 1
rm "$port/subsystems/$nqn"
sleep 1
ln -s "$subsystem" "$port/subsystems/$nqn"
echo "cut and mended"
await 120 '[ -e /share/done ]' || exit 1
echo "SHA1 $(dd if=/dev/ram0 bs=1M status=none | sha256sum | cut -d ' ' -f 1)"
finish
