// What boxes have over the base: sshd, git, rsync and the like from Debian, the SDK, and our listener. Made
// when the first box is asked for.
import { cp, mkdir, readFile, symlink, writeFile } from 'node:fs/promises';
import { basename, join } from 'node:path';
import { run } from '../microvm/images/tools.ts';
import { ensureDebianTools } from '../microvm/images/toolchain.ts';

const PACKAGES = ['openssh-server', 'openssh-client', 'git', 'rsync', 'procps', 'less', 'nano', 'curl', 'wget', 'unzip', 'bzip2', 'tmux'];
/** As Debian's sshd expects it; the base's user of agents gets a shell for people. */
const PASSWD = `root:x:0:0:root:/root:/bin/bash
daemon:x:1:1:daemon:/usr/sbin:/usr/sbin/nologin
nobody:x:65534:65534:nobody:/nonexistent:/usr/sbin/nologin
sshd:x:110:65534::/run/sshd:/usr/sbin/nologin
agent:x:1000:1000::/home/agent:/bin/bash
`;
const GROUP = 'root:x:0:\ndaemon:x:1:\ntty:x:5:\nutmp:x:43:\nnogroup:x:65534:\nagent:x:1000:\n';
const BASHRC = `
# Written by the platform for every dev box.
case $- in *i*) PS1='\\u@\${SVC_AGENT:-box}:\\w\\$ ' ;; esac
[ -d "$HOME/\${SVC_AGENT:-.}" ] && case $- in *i*) [ "$PWD" = "$HOME" ] && cd "$HOME/\${SVC_AGENT:-.}" ;; esac
`;
/**
 * As Debian's, which starts a program to learn who this is: a tenth of a second under emulation, before each
 * prompt.
 */
const PROFILE = `if [ "\${EUID:-}" = 0 ]; then PATH=/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin; else PATH=/usr/local/bin:/usr/bin:/bin; fi
export PATH
if [ -n "\${PS1-}" ] && [ -n "\${BASH-}" ] && [ -r /etc/bash.bashrc ]; then . /etc/bash.bashrc; fi
`;

export const listenPath = '/opt/svc/box/listen.py';

/** Path of the disk. A minute the first time. */
export async function ensureBoxDisk(cacheDir: string, sdkDir: string, say: (text: string) => void): Promise<string> {
  const source = join(import.meta.dirname, 'guest/listen.py');
  const listen = await readFile(source);
  const fill = async (tree: string): Promise<void> => {
    await mkdir(join(tree, 'opt/svc/box'), { recursive: true });
    await writeFile(join(tree, listenPath), listen);
    await mkdir(join(tree, 'etc'), { recursive: true });
    await writeFile(join(tree, 'etc/passwd'), PASSWD);
    await writeFile(join(tree, 'etc/group'), GROUP);
    await writeFile(join(tree, 'etc/svc-box.bashrc'), BASHRC);
    await writeFile(join(tree, 'etc/profile'), PROFILE);
    const modules = join(tree, 'usr/local/lib/node_modules/@svc');
    await mkdir(modules, { recursive: true });
    await cp(sdkDir, join(modules, 'sdk'), { recursive: true, filter: (path) => !path.endsWith('/node_modules') });
    await run('chmod', ['-R', 'a+rX', modules, join(tree, 'opt')]);
    await mkdir(join(tree, 'home'), { recursive: true });
    // Found from any project in a box, whatever it has installed itself.
    await symlink('/usr/local/lib/node_modules', join(tree, 'home/node_modules'));
  };
  const parts = ['2', listen.toString(), basename(sdkDir), PASSWD, GROUP, BASHRC, PROFILE];
  return ensureDebianTools(join(cacheDir, 'microvm'), { name: 'box', packages: PACKAGES, finish: { parts, fill } }, say);
}
