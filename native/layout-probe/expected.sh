#!/bin/sh
# Writes expected/x86_64.txt and expected/aarch64.txt: what the layout probe prints on either processor. Needs compilers for
# both and a way to run the other's programs; on Debian x86-64: gcc-aarch64-linux-gnu, libc6-dev-arm64-cross and
# qemu-user-static.
set -eu

here=$(cd "$(dirname "$0")" && pwd)
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

for arch in x86_64 aarch64; do
    if [ "$arch" = "$(uname -m)" ]; then
        compiler=cc
        runner=
    else
        compiler=$arch-linux-gnu-gcc
        runner=qemu-$arch-static
    fi
    "$compiler" -static -Wall -Wextra -Werror -I "$here/../../jextract" -o "$work/probe" "$here/layout_probe.c"
    $runner "$work/probe" > "$here/expected/$arch.txt"
done
