"""What the scripts that start processes have in common."""

import time


def wait(what, seconds, done, pause=0.1):
    """Waits until something is so, and fails after a time."""
    deadline = time.monotonic() + seconds
    while not done():
        if time.monotonic() > deadline:
            raise TimeoutError(f"{what} took longer than {seconds} s")
        time.sleep(pause)
