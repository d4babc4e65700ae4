#!/bin/sh
# Builds and runs the fuzz targets of tests/fuzz (libFuzzer, in build/fuzz).
#   fuzz.sh build [JOBS]        builds them
#   fuzz.sh run NAME [SECONDS]  runs one for SECONDS ($LOCKSTEP_FUZZ_SECONDS, 20)
#   fuzz.sh all [SECONDS]       builds them and runs one after the other
# Seeds: tests/fuzz/seeds/NAME/ if it is there, else the JSON files of the cases. A crash leaves its input in build/fuzz/found/
# and makes the script fail. Ends with 77 where clang is not installed.
set -eu
cd "$(dirname "$0")/.."
build=build/fuzz
compiler=clang++-14

usage() {
    sed -n '2,5s/^# *//p' "$0" >&2
    exit 64
}

build() {
    if ! command -v "$compiler" >/dev/null; then
        echo "skipped: $compiler is not installed (group fuzz of tools/apt-packages.txt)"
        exit 77
    fi
    [ -f "$build/build.ninja" ] || cmake --preset fuzz >&2
    cmake --build "$build" --target fuzz_targets ${1:+-j "$1"} >&2
}

seed() {
    if [ -d "tests/fuzz/seeds/$1" ]; then
        cp -R "tests/fuzz/seeds/$1/." "$corpus/seeds"
    else
        find cases -name '*.json' -size -8k | while read -r file; do
            cp "$file" "$corpus/seeds/$(printf '%s' "$file" | tr / _)"
        done
    fi
}

run() {
    seconds=${2:-${LOCKSTEP_FUZZ_SECONDS:-20}}
    corpus=$(mktemp -d)
    trap 'rm -rf "$corpus"' EXIT INT TERM
    mkdir -p "$build/found" "$corpus/seeds"
    seed "$1"
    echo "== $1: $seconds s" >&2
    export UBSAN_OPTIONS=halt_on_error=1:print_stacktrace=1
    code=0
    "$build/tests/fuzz/fuzz_$1" -max_total_time="$seconds" -max_len=4096 -timeout=10 -rss_limit_mb=2048 -print_final_stats=1 \
        -artifact_prefix="$build/found/$1-" "$corpus/seeds" 2>"$corpus/log" || code=1
    grep -E '^(stat::number_of_executed_units|stat::peak_rss_mb|SUMMARY|==.*ERROR|Test unit written)' "$corpus/log" || true
    [ "$code" = 0 ] || tail -n 40 "$corpus/log" >&2
    rm -rf "$corpus"
    return "$code"
}

command=${1:-}
[ $# -gt 0 ] && shift
case $command in
    build) build "$@" ;;
    run) [ $# -gt 0 ] || usage; run "$@" ;;
    all)
        build
        while read -r name; do run "$name" "$@"; done <"$build/tests/fuzz/names.txt"
        ;;
    *) usage ;;
esac
