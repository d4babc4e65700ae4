#!/bin/sh
# Rewrites the C++ sources with clang-format.   usage: format.sh [FILE…]
set -eu
cd "$(dirname "$0")/.."
[ $# -gt 0 ] || set -- $(git ls-files --cached --others --exclude-standard '*.cpp' '*.hpp')
exec clang-format-14 -i "$@"
