#!/bin/sh
# Starts a rank as if the launcher had dealt the ranks to two nodes in turn.   usage: on_two_nodes.sh COMMAND …
rank=${OMPI_COMM_WORLD_RANK:-${PMI_RANK:-0}}
export LOCKSTEP_TEST_NODES=2 LOCKSTEP_COMM_NODE=$((rank % 2)) LOCKSTEP_COMM_GATHER=nodes
exec "$@"
