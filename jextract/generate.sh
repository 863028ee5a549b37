#!/bin/sh
# Writes bindings/src/generated/java from the C headers of this machine. See README.md in this folder.
set -eu

usage()
{
    echo "usage: jextract/generate.sh [--arch x86_64|aarch64] [--output DIR]"
    echo "  --arch    processor whose headers are read; what is committed is x86_64 (the default)"
    echo "  --output  where the Java packages go; bindings/src/generated/java when not given"
    echo "  JEXTRACT  environment: the jextract command, when it is not on PATH"
    echo "  SPDK_DIR  environment: where SPDK is installed (its --prefix); its bindings are left as they are when not given"
}

fail()
{
    echo "generate.sh: $1" >&2
    exit "${2:-1}"
}

here=$(cd "$(dirname "$0")" && pwd)
output=$here/../bindings/src/generated/java
arch=x86_64
while [ $# -gt 0 ]; do
    case $1 in
        --arch) [ $# -ge 2 ] || fail "--arch needs a value" 2; arch=$2; shift 2 ;;
        --output) [ $# -ge 2 ] || fail "--output needs a value" 2; output=$2; shift 2 ;;
        -h|--help) usage; exit 0 ;;
        *) usage >&2; exit 2 ;;
    esac
done

case $arch in
    x86_64) cross_package=libc6-dev-amd64-cross ;;
    aarch64) cross_package=libc6-dev-arm64-cross ;;
    *) fail "--arch $arch: must be x86_64 or aarch64" 2 ;;
esac

jextract=${JEXTRACT:-jextract}
command -v "$jextract" > /dev/null || fail "jextract not found: '$jextract'. Build it from https://github.com/openjdk/jextract
(branch master; JDK 25 and LLVM 14: sh gradlew -Pjdk_home=JDK -Pllvm_home=/usr/lib/llvm-14 clean verify) or take a build of
https://jdk.java.net/jextract, then put it on PATH or name it in JEXTRACT." 3

[ -e /usr/include/infiniband/verbs.h ] || fail "infiniband/verbs.h not found: install libibverbs-dev"
[ -e /usr/include/rdma/rdma_cma.h ] || fail "rdma/rdma_cma.h not found: install librdmacm-dev"
[ -e /usr/include/isa-l/raid.h ] || fail "isa-l/raid.h not found: install libisal-dev"

# jextract reads clang options from compile_flags.txt in the working folder.
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
echo "--target=$arch-linux-gnu" > "$work/compile_flags.txt"
if [ "$(uname -m)" != "$arch" ]; then
    cross=/usr/$arch-linux-gnu/include
    [ -d "$cross" ] || fail "headers for $arch not found in $cross: install $cross_package"
    printf '%s\n' -isystem "$cross" >> "$work/compile_flags.txt"
fi

generate()
{
    name=$1
    package=io.millrace.bindings.generated.$2
    folder=$(echo "$package" | tr . /)
    cp "$here/$name.h" "$here/$name.includes" "$work"
    (cd "$work" && "$jextract" --output "$work/java" -t "$package" "@$name.includes" "$name.h")

    # jextract leaves out in silence what the headers lack.
    missing=$(grep '^--include' "$work/$name.includes" | while read -r kind symbol; do
        case $kind in
            --include-constant) grep -q "[ ]$symbol()" "$work/java/$folder/${name}_h.java" ;;
            --include-function) grep -q "[\" ]$symbol[\" (]" "$work/java/$folder/${name}_h.java" ;;
            --include-typedef) [ -e "$work/java/$folder/$symbol.java" ] ||
                grep -q "[ ]$symbol " "$work/java/$folder/${name}_h.java" ;;
            *) [ -e "$work/java/$folder/$symbol.java" ] ;;
        esac || echo "$symbol"
    done)
    [ -z "$missing" ] || fail "$name.includes names what the $arch headers do not have: $(echo "$missing" | tr '\n' ' ')"
    normalize "$work/java/$folder"
}

# Makes the output independent of the headers' patch release and cheap to load:
# - unnamed members are named after line and column of the header; they are numbered by appearance instead;
# - method handles are left out. Calls are linked by io.millrace.bindings.Native, which keeps errno, so a function needs its
#   descriptor only; linking it twice, and handles for elements of padding arrays, cost tens of milliseconds at start;
# - addresses of functions are left out: looking them up fails where a library is missing or was loaded by NativeLibrary.
normalize()
{
    for file in "$1"/*.java; do
        awk -f "$here/normalize.awk" "$file" | cat -s > "$file.normalized"
        mv "$file.normalized" "$file"
    done
    if grep -q 'downcallHandle\|findOrThrow\|ELEM_HANDLE\|\$handle\|\$anon\$[0-9]*:' "$1"/*.java; then
        fail "normalize.awk does not know what this version of jextract writes: $("$jextract" --version 2>&1 | head -n 1)"
    fi
}

generate linux linux
generate io_uring iouring
generate vfio vfio
generate verbs verbs
generate rdmacm rdmacm
generate isal isal

packages="linux iouring vfio verbs rdmacm isal"
if [ -n "${SPDK_DIR:-}" ]; then
    [ -e "$SPDK_DIR/include/spdk/bdev.h" ] || fail "SPDK_DIR=$SPDK_DIR: include/spdk/bdev.h not found there"
    printf '%s\n' "-I$SPDK_DIR/include" "-I$here/../native/spdk" >> "$work/compile_flags.txt"
    generate spdk spdk
    packages="$packages spdk"
else
    echo "generate.sh: SPDK_DIR is not set: bindings of SPDK are left as they are"
fi

for package in $packages; do
    target=$output/io/millrace/bindings/generated/$package
    rm -rf "$target"
    mkdir -p "$target"
    cp "$work/java/io/millrace/bindings/generated/$package"/*.java "$target"
done
