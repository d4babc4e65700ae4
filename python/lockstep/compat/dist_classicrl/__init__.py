"""Names of dist_classicrl 0.1: scripts run with `lockstep.compat.dist_classicrl` for `dist_classicrl`."""
