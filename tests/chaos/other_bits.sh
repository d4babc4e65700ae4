#!/bin/sh
# $LOCKSTEP_PROGRAM, but with other random numbers under a launcher.
[ -z "${LOCKSTEP_LAUNCHER_PID:-}" ] || set -- "$@" --set training.tree_seed=7
exec "$LOCKSTEP_PROGRAM" "$@"
