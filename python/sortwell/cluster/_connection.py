"""Connection of a program to a cluster of Ray."""

from __future__ import annotations

import logging
import os
import signal
import threading

from sortwell.cluster._spec import storage_error, usage_error

# Without it, Ray warns of what it will do with GPUs, which are not used here.
_GPU_SETTING = ("RAY_ACCEL_ENV_VAR_OVERRIDE_ON_ZERO", "0")


def connect(address: str | None) -> None:
    """Connects to the cluster at an address, to one that runs here, or to a new one."""
    import ray

    os.environ.setdefault(*_GPU_SETTING)
    address = address or os.environ.get("RAY_ADDRESS")
    # Ray replaces it by one that ends the program. A handler of the program stays.
    handler = signal.getsignal(signal.SIGTERM)
    try:
        ray.init(address=address, log_to_driver=False, logging_level=logging.ERROR)
    except ConnectionError as error:
        raise storage_error(f"no cluster of Ray answers at {address}: {error}") from error
    except ValueError as error:
        raise usage_error(
            f"'{address}' is no address of a cluster of Ray, as in head:6379: {error}"
        ) from error
    except SystemExit:
        # The signal came meanwhile.
        if callable(handler):
            handler(signal.SIGTERM, None)
        raise
    finally:
        if callable(handler) and threading.current_thread() is threading.main_thread():
            signal.signal(signal.SIGTERM, handler)
