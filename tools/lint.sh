#!/bin/sh
# Checks format and common mistakes.   usage: lint.sh [FILE…]
#
# Without names: the format of all sources, the shell scripts, and clang-tidy on the sources that
# differ from the commit before last. Needs a configured build/release (./dev lint sees to it);
# LOCKSTEP_LINT_BUILD names another build folder.
set -eu
cd "$(dirname "$0")/.."
build=${LOCKSTEP_LINT_BUILD:-build/release}

list() { git ls-files --cached --others --exclude-standard "$@"; }

if [ $# -gt 0 ]; then
    clang-format-14 --dry-run -Werror "$@"
    changed=$*
else
    list '*.cpp' '*.hpp' | xargs clang-format-14 --dry-run -Werror
    python3 -B tools/check_includes.py
    python3 -B tools/check_citations.py
    python3 -B tools/check_keys.py
    python3 -B tools/check_traps.py
    changed=$(git diff --name-only --diff-filter=d HEAD~ -- '*.cpp')
fi

# Headers are checked with the sources that include them; others than our own sources have no command.
known=
for file in $changed; do
    case $file in
        *.cpp) if grep -q "/$file\"" "$build/compile_commands.json"; then known="$known $file"; fi ;;
    esac
done
[ -n "$known" ] || exit 0
# shellcheck disable=SC2086
printf '%s\n' $known | xargs -P "$(nproc)" -n 1 clang-tidy-14 --quiet -p "$build"
