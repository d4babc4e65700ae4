#!/bin/sh
# other_build.sh OTHER PROGRAM ARGUMENT…: OTHER on rank 1, PROGRAM on the others.
set -eu
other=$1
program=$2
shift 2
rank=${LOCKSTEP_SHM_RANK:-${LOCKSTEP_TCP_RANK:-${OMPI_COMM_WORLD_RANK:-${PMI_RANK:-0}}}}
[ "$rank" != 1 ] || program=$other
exec "$program" "$@"
