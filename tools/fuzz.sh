#!/bin/sh
# fuzz.sh SECONDS: builds the fuzz targets and runs each for SECONDS.
# Seeds: tests/fuzz/seeds/<target>/ if it is there, else the JSON files of the cases. A crash leaves
# its input in build/fuzz/found/ and makes the script fail.
set -eu
cd "$(dirname "$0")/.."
seconds=${1:?usage: fuzz.sh SECONDS}
build=build/fuzz

[ -f "$build/build.ninja" ] || cmake --preset fuzz >&2
cmake --build "$build" --target fuzz_targets >&2

export UBSAN_OPTIONS=halt_on_error=1:print_stacktrace=1
corpus=$(mktemp -d)
trap 'rm -rf "$corpus"' EXIT INT TERM
mkdir -p "$build/found"

seed() {
    if [ -d "tests/fuzz/seeds/$1" ]; then
        cp -R "tests/fuzz/seeds/$1/." "$corpus/$1"
    else
        find cases -name '*.json' -size -8k | while read -r file; do
            cp "$file" "$corpus/$1/$(printf '%s' "$file" | tr / _)"
        done
    fi
}

failed=0
while read -r target; do
    name=${target#fuzz_}
    mkdir -p "$corpus/$name"
    seed "$name"
    echo "== $name: $seconds s" >&2
    "$build/tests/fuzz/$target" -max_total_time="$seconds" -max_len=4096 -timeout=10 -rss_limit_mb=2048 -print_final_stats=1 \
        -artifact_prefix="$build/found/$name-" "$corpus/$name" 2>"$corpus/log" || failed=1
    grep -E '^(stat::number_of_executed_units|stat::peak_rss_mb|SUMMARY|==.*ERROR|Test unit written)' "$corpus/log" || true
    [ "$failed" = 0 ] || { tail -n 40 "$corpus/log" >&2; break; }
done <"$build/tests/fuzz/targets.txt"
exit "$failed"
