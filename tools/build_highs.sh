#!/bin/sh
# build_highs.sh VERSION PREFIX FLAGS [OPTION…]: HiGHS as a static library from its PyPI source, compiled with FLAGS, installed into
# PREFIX. OPTIONs go to CMake. Called by ./dev and by tools/wheel/static-libraries.
set -eu
version=$1 prefix=$2 flags=$3
shift 3
work=$prefix.work.$$   # two may build at once
mkdir -p "$work"
.venv/bin/pip download -q --disable-pip-version-check --no-deps --no-binary highspy -d "$work" "highspy==$version"
tar -xzf "$work/highspy-$version.tar.gz" -C "$work"
source=$work/highspy-$version
mkdir -p "$source/app"
: >"$source/app/CMakeLists.txt"     # two files that the source package leaves out
: >"$source/highs.pc.in"
cmake -S "$source" -B "$work/build" -G Ninja -DCMAKE_BUILD_TYPE=Release \
    -DCMAKE_C_COMPILER=gcc -DCMAKE_CXX_COMPILER=g++ \
    -DCMAKE_C_COMPILER_LAUNCHER=ccache -DCMAKE_CXX_COMPILER_LAUNCHER=ccache \
    -DCMAKE_CXX_FLAGS="$flags" -DCMAKE_C_FLAGS="$flags" -DCMAKE_POSITION_INDEPENDENT_CODE=ON \
    -DBUILD_SHARED_LIBS=OFF -DBUILD_CXX_EXE=OFF -DBUILD_TESTING=OFF -DBUILD_EXAMPLES=OFF \
    -DZLIB=OFF -DHIPO=OFF -DCMAKE_INSTALL_PREFIX="$prefix" "$@" >"$work/log" 2>&1 ||
    { cat "$work/log" >&2; exit 70; }
CCACHE_BASEDIR=$work ninja -C "$work/build" highs/all install >"$work/log" 2>&1 ||
    { tail -n 40 "$work/log" >&2; exit 70; }
rm -rf "$work"
