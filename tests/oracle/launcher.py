"""A small process that starts the command, and says how it ended and how much memory it took.

It is a process of its own, run as a script, because the peak of a process that Linux tells begins
with the size of the process that started it: a worker with a model and its data would be too large.
Reads requests as lines of JSON, and answers each with one. Imports little, to stay small.
"""

import json
import os
import select
import signal
import sys
import time

CREATE = os.O_WRONLY | os.O_CREAT | os.O_TRUNC
POLL_SECONDS = 0.0005


def opened(fd, path, flags):
    """Returns what makes the new process open a file as this descriptor."""
    return (os.POSIX_SPAWN_OPEN, fd, path, flags, 0o644)


def start(words, actions, env):
    """Starts a program; its number."""
    return os.posix_spawn(words[0], words, env, file_actions=actions)


def has_note(folders):
    """Returns whether a job has noted in one of the folders what it has done."""
    for folder in folders:
        try:
            names = os.listdir(folder)
        except FileNotFoundError:
            continue
        for name in names:
            path = os.path.join(folder, name, "manifest")
            if name.startswith("sortwell-spill-") and os.path.exists(path):
                return True
    return False


def wait_until(descriptor, moment):
    """Waits for the end of a process, or for a moment; whether it has ended."""
    left = max(0.0, moment - time.monotonic())
    return bool(select.select([descriptor], [], [], left)[0])


def wait_and_kill(descriptor, request, deadline):
    """Waits until the process has ended or is to be killed; why it is to be, or nothing."""
    kill = request["kill"]
    if kill is None:
        return "" if wait_until(descriptor, deadline) else "hang"
    if kill["folders"]:
        while not has_note(kill["folders"]):
            if wait_until(descriptor, time.monotonic() + POLL_SECONDS):
                return ""
            if time.monotonic() > deadline:
                return "hang"
    return "" if wait_until(descriptor, time.monotonic() + kill["seconds"]) else "kill"


def handle(request):
    """Runs what is asked for; how it ended."""
    os.chdir(request["folder"])
    env, others, closing = request["env"], [], []
    actions = [opened(2, request["stderr"], CREATE)]
    if request["feed"]:
        reader, writer = os.pipe()
        closing.append(reader)
        # It says so where a job that refuses its input does not read all of it.
        feed = [(os.POSIX_SPAWN_DUP2, writer, 1), opened(2, "/dev/null", os.O_WRONLY)]
        others.append(start(request["feed"], feed, env))
        os.close(writer)
        actions.append((os.POSIX_SPAWN_DUP2, reader, 0))
    else:
        actions.append(opened(0, request["stdin"], os.O_RDONLY))
    if request["drain"]:
        reader, writer = os.pipe()
        closing.append(writer)
        drain = [(os.POSIX_SPAWN_DUP2, reader, 0), opened(1, request["stdout"], CREATE)]
        others.append(start(request["drain"], drain, env))
        os.close(reader)
        actions.append((os.POSIX_SPAWN_DUP2, writer, 1))
    else:
        actions.append(opened(1, request["stdout"], CREATE))
    begun = time.monotonic()
    process = start(request["words"], actions, env)
    for descriptor in closing:
        os.close(descriptor)
    descriptor = os.pidfd_open(process)
    reason = wait_and_kill(descriptor, request, begun + request["seconds"])
    os.close(descriptor)
    if reason:
        os.kill(process, signal.SIGKILL)
    _, status, usage = os.wait4(process, 0)
    for other in others:
        os.waitpid(other, 0)
    return {
        "status": os.waitstatus_to_exitcode(status),
        "reason": reason,
        "peak": usage.ru_maxrss * 1024,
        "seconds": time.monotonic() - begun,
    }


def main():
    """Answers requests until there are no more."""
    for line in sys.stdin:
        try:
            answer = handle(json.loads(line))
        except (OSError, ValueError) as error:
            answer = {"fault": str(error)}
        print(json.dumps(answer), flush=True)


if __name__ == "__main__":
    main()
