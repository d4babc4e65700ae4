"""The Ray cluster that a farm runs on: found, started, watched, ended."""

from __future__ import annotations

import os
import secrets
import socket
import tempfile
import threading
import warnings
from pathlib import Path

from lockstep import _core

# Ray ends a process whose cluster is gone, unless it may try for so long.
_patience = {"RAY_gcs_rpc_server_reconnect_timeout_s": "86400", "RAY_USAGE_STATS_ENABLED": "0"}
# "/session_<date>_<microseconds>_<pid>/sockets/plasma_store" behind the folder, 107 bytes in all.
_longest_folder = 107 - 68


def ray_module():
    """Ray, with what must be set before it is loaded."""
    for name, value in _patience.items():
        os.environ.setdefault(name, value)
    try:
        import ray
    except ImportError:
        raise _core.NotBuiltError("Ray is not installed; pip install ray") from None
    return ray


def _folder(wanted):
    """Where a cluster that we start writes: inside `wanted` if its socket names fit there."""
    if wanted is not None:
        folder = Path(wanted).resolve() / "ray"
        if len(os.fsencode(folder)) <= _longest_folder:
            return folder, None
    made = tempfile.TemporaryDirectory(prefix="ls-ray-", ignore_cleanup_errors=True)
    if wanted is not None:
        warnings.warn(f"{folder} is too long a name for Ray's sockets; Ray writes to {made.name} until the farm ends",
                      stacklevel=5)
    return Path(made.name), made


def _is_reached(address, patience=2.0):
    host, _, port = address.rpartition(":")
    try:
        socket.create_connection((host.strip("[]"), int(port)), patience).close()
        return True
    except (OSError, ValueError):
        return False


class Cluster:
    """A connection of this process to a cluster; ends the cluster if it has started it."""

    def __init__(self, address, folder, cpus):
        ray = self._ray = ray_module()
        self._own_folder, self._is_ours, self._over = None, not ray.is_initialized(), threading.Event()
        address = address or os.environ.get("RAY_ADDRESS")
        if self._is_ours:
            self._connect(address, folder, cpus)
        self.address = ray.get_runtime_context().gcs_address
        self.is_lost = False

    def _connect(self, address, folder, cpus):
        quiet = {"log_to_driver": False, "configure_logging": False}
        if address and ":" in address and "://" not in address and not _is_reached(address):
            raise _core.CommError(f"there is no Ray cluster at {address}: nobody answers")
        try:
            if address:
                self._ray.init(address, **quiet)
            else:
                place, self._own_folder = _folder(folder)
                # Else Ray writes one to ~/.ray.
                if "RAY_AUTH_TOKEN_PATH" not in os.environ:
                    os.environ.setdefault("RAY_AUTH_TOKEN", secrets.token_hex(32))
                self._ray.init(num_cpus=cpus, _temp_dir=str(place), include_dashboard=False, **quiet)
        except Exception as error:
            first = str(error).strip().splitlines()
            raise _core.CommError(f"no Ray cluster at {address or 'this machine'}: {first[0] if first else error!r}") from None

    def gone(self):
        """What is raised when it is gone."""
        return _core.CommError(f"the Ray cluster at {self.address} is gone; what its tasks left is lost, so run them again")

    def watch(self, on_loss):
        """Calls on_loss() once the cluster does not answer."""

        def look():
            misses = 0
            while not self._over.wait(1.0):
                misses = 0 if _is_reached(self.address) else misses + 1
                if misses == 2:
                    self.is_lost = True
                    on_loss()
                    return

        threading.Thread(target=look, name="lockstep.ray-watch", daemon=True).start()

    def is_there(self):
        """Whether it answers and has machines."""
        if self.is_lost or not _is_reached(self.address):
            return False
        try:
            return any(node["Alive"] for node in self._ray.nodes())
        except Exception:
            return False

    def end(self):
        self._over.set()
        if not self._is_ours:
            return
        node = getattr(self._ray._private.worker, "_global_node", None)
        if self.is_lost and node is not None:
            node.kill_all_processes(check_alive=False, allow_graceful=False)
        ending = threading.Thread(target=self._ray.shutdown, daemon=True)
        ending.start()
        ending.join(30)
        if self._own_folder is not None:
            self._own_folder.cleanup()
