# In a dev box, as root of the guest: one sshd for each connection that the host brings, and each takes the one key of its first line.
# Standard library alone; it lives in the snapshot that boxes start from, so it holds nothing of a box.
import json
import os
import re
import signal
import socket

RUN = "/run/svc-box"
SOCKET = "/run/svc/ssh.sock"
LONGEST = 4096
ALGORITHMS = r"(?:ssh-ed25519|ecdsa-sha2-nistp(?:256|384|521)|ssh-rsa|sk-ssh-ed25519@openssh\.com|sk-ecdsa-sha2-nistp256@openssh\.com)"
KEY = re.compile(ALGORITHMS + r" [A-Za-z0-9+/]{16,}={0,2}")
SESSION = re.compile(r"[a-z0-9_]{1,64}")


def greeting(connection):
    """The first line, and not a byte more: the rest is sshd's."""
    line = b""
    while not line.endswith(b"\n"):
        byte = connection.recv(1)
        if not byte or len(line) > LONGEST:
            raise ValueError("no greeting")
        line += byte
    said = json.loads(line)
    if not KEY.fullmatch(said["key"]) or not SESSION.fullmatch(said["session"]):
        raise ValueError("not a key")
    return said["session"], said["key"]


def serve(connection):
    connection.settimeout(20)
    session, key = greeting(connection)
    connection.settimeout(None)
    accepted = f"{RUN}/keys/{session}.{os.getpid()}"
    with open(accepted, "w") as file:
        file.write(key + "\n")
    os.chmod(accepted, 0o644)
    try:
        sshd = os.fork()
        if sshd == 0:
            os.dup2(connection.fileno(), 0)
            os.dup2(connection.fileno(), 1)
            os.execv("/usr/sbin/sshd", ["sshd", "-i", "-f", f"{RUN}/sshd_config", "-o", f"AuthorizedKeysFile={accepted}"])
        connection.close()
        os.waitpid(sshd, 0)
    finally:
        os.unlink(accepted)


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
        try:
            while os.waitpid(-1, os.WNOHANG)[0] != 0:
                pass
        except ChildProcessError:
            pass
        if os.fork() == 0:
            listener.close()
            try:
                serve(connection)
            finally:
                os._exit(0)
        connection.close()


main()
