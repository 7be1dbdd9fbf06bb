# In a dev box, as root of the guest: starts one sshd for each connection that the host brings, and writes the one key that it takes.
# Standard library alone; it lives in the snapshot that boxes start from, so it holds nothing of a box.
import json
import os
import re
import signal
import socket

RUN = "/run/svc-box"
SOCKET = "/run/svc/ssh.sock"
LONGEST = 4096
WAIT_SECONDS = 5
ALGORITHMS = r"(?:ssh-ed25519|ecdsa-sha2-nistp(?:256|384|521)|ssh-rsa|sk-ssh-ed25519@openssh\.com|sk-ecdsa-sha2-nistp256@openssh\.com)"
KEY = re.compile(ALGORITHMS + r" [A-Za-z0-9+/]{16,}={0,2}")
SLOT = re.compile(r"[a-z0-9_]{1,64}")

# Process of an sshd: the name of the file with its key.
running = {}


def first_line(connection):
    """The first line, and not a byte more: the rest is sshd's. The host sends it at once."""
    line = b""
    while not line.endswith(b"\n"):
        there = connection.recv(LONGEST, socket.MSG_PEEK)
        if not there or len(line) + len(there) > LONGEST:
            raise ValueError("no first line")
        line += connection.recv(there.find(b"\n") + 1 or len(there))
    return json.loads(line)


def accepted(slot):
    return f"{RUN}/keys/{slot}"


def answer(connection):
    connection.settimeout(WAIT_SECONDS)
    said = first_line(connection)
    slot = said["slot"]
    if not SLOT.fullmatch(slot):
        raise ValueError("not a slot")
    if "key" in said:
        allow(slot, said["key"])
        connection.sendall(b"ok\n")
        return
    connection.setblocking(True)
    start(slot, connection.fileno())


def allow(slot, key):
    """From now on the sshd of that slot takes this key, and no other ever."""
    if not KEY.fullmatch(key):
        raise ValueError("not a key")
    with open(accepted(slot), "x") as file:
        file.write(key + "\n")


def start(slot, connection):
    arguments = ["sshd", "-i", "-f", f"{RUN}/sshd_config", "-o", f"AuthorizedKeysFile={accepted(slot)}"]
    streams = [(os.POSIX_SPAWN_DUP2, connection, 0), (os.POSIX_SPAWN_DUP2, connection, 1)]
    pid = os.posix_spawn("/usr/sbin/sshd", arguments, os.environ, file_actions=streams, setsigdef=[signal.SIGPIPE])
    running[pid] = slot


def forget_ended():
    while running:
        pid, _ = os.waitpid(-1, os.WNOHANG)
        if pid == 0:
            return
        slot = running.pop(pid, None)
        if slot is not None and os.path.exists(accepted(slot)):
            os.unlink(accepted(slot))


def main():
    os.umask(0o022)
    os.makedirs(f"{RUN}/keys", exist_ok=True)
    os.makedirs("/run/sshd", exist_ok=True)
    signal.signal(signal.SIGCHLD, signal.SIG_DFL)
    listener = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
    if os.path.exists(SOCKET):
        os.unlink(SOCKET)
    listener.bind(SOCKET)
    os.chmod(SOCKET, 0o600)
    listener.listen(64)
    print("ready", flush=True)
    while True:
        connection, _ = listener.accept()
        with connection:
            try:
                forget_ended()
                answer(connection)
            except (OSError, ValueError, KeyError, TypeError) as error:
                print(f"a connection was refused: {error}", flush=True)


main()
