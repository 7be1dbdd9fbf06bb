// What OpenSSH needs to find a dev box by its alias, in files of ours: ~/.ssh/config gets one line, which
// includes them.
import { generateKeyPairSync } from 'node:crypto';
import { chmod, mkdir, readFile, rename, stat, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { openSshKeys } from '#contract/crypto/openssh.ts';
import { withLock } from '../lib/lock.ts';
import { shellQuoted } from '../lib/shell-quoted.ts';

const TOOL = fileURLToPath(new URL('../bin.mjs', import.meta.url));
/** A key is used for a day; then the next command makes another. */
const KEY_MS = 24 * 3_600_000;

export interface SshFiles {
  /** Name for ssh, scp, rsync and editors. */
  alias: string;
  /** Private key, readable only by its owner. */
  key: string;
  publicKey: string;
  config: string;
  knownHosts: string;
}

export interface Where {
  /** `~/.svc` */
  home: string;
  api: string;
  agent: string;
}

const aliasOf = (agent: string): string => `svc-${agent}`;

/**
 * The key of this machine for this box. `renew`: another one where it is older than a day; a bridge that ssh
 * has started already must not.
 */
export async function ensureKey({ home, agent }: Where, { renew }: { renew: boolean }): Promise<SshFiles> {
  const folder = join(home, 'ssh', agent);
  const key = join(folder, 'id_ed25519');
  await mkdir(folder, { recursive: true, mode: 0o700 });
  await chmod(join(home, 'ssh'), 0o700);
  return await withLock(join(folder, 'lock'), async () => {
    const made = await stat(key).then(({ mtimeMs }) => mtimeMs, () => undefined); // prettier-ignore
    if (made === undefined || (renew && Date.now() - made > KEY_MS)) {
      const keys = openSshKeys(generateKeyPairSync('ed25519'));
      await writePrivate(`${key}.pub`, `${keys.public}\n`);
      await writePrivate(key, keys.private);
    }
    const publicKey = (await readFile(`${key}.pub`, 'utf8')).trim();
    return { alias: aliasOf(agent), key, publicKey, config: join(folder, 'config'), knownHosts: join(folder, 'known_hosts') };
  });
}

export async function trustHost({ alias, knownHosts }: SshFiles, hostKey: string): Promise<void> {
  const line = `${alias} ${hostKey}\n`;
  if ((await readFile(knownHosts, 'utf8').catch(() => '')) !== line) await writePrivate(knownHosts, line);
}

/**
 * Writes the alias, and the line in ~/.ssh/config that includes it. Resolves false where that file could not
 * be written.
 */
export async function writeAlias(files: SshFiles, where: Where, user: string): Promise<boolean> {
  await writePrivate(files.config, aliasText(files, where, user));
  const include = `Include ${quoted(join(where.home, 'ssh', '*', 'config'))}`;
  const config = join(dirname(where.home), '.ssh', 'config');
  try {
    await mkdir(dirname(config), { recursive: true, mode: 0o700 });
    return await withLock(join(where.home, 'ssh', 'config.lock'), async () => {
      const text = await readFile(config, 'utf8').catch((error: NodeJS.ErrnoException) => {
        if (error.code === 'ENOENT') return '';
        throw error;
      });
      // At the beginning: further down it would belong to the host above it.
      if (!text.split('\n').some((line) => line.trim() === include)) await writePrivate(config, `# svc: dev boxes\n${include}\n\n${text}`);
      return true;
    });
  } catch {
    return false;
  }
}

function aliasText({ alias, key, knownHosts }: SshFiles, { api, agent }: Where, user: string): string {
  const bridge = [process.execPath, TOOL, 'ssh-proxy', '--api', api, agent].map(shellQuoted).join(' ').replaceAll('%', '%%');
  return `${[
    `# Written by svc ssh; it writes it again.`,
    `Host ${alias}`,
    `  HostName ${alias}`,
    `  HostKeyAlias ${alias}`,
    `  User ${user}`,
    `  ProxyCommand ${bridge}`,
    `  IdentityFile ${quoted(key)}`,
    `  IdentitiesOnly yes`,
    `  IdentityAgent none`,
    `  UserKnownHostsFile ${quoted(knownHosts)}`,
    `  GlobalKnownHostsFile /dev/null`,
    `  StrictHostKeyChecking yes`,
    `  UpdateHostKeys no`,
    `  ForwardAgent no`,
    `  ServerAliveInterval 30`,
    `  ServerAliveCountMax 4`,
  ].join('\n')}\n`;
}

function quoted(path: string): string {
  return /[\s"]/.test(path) ? `"${path.replaceAll('"', '')}"` : path;
}

/** Whole or not at all; a link of the person's stays a link. */
async function writePrivate(path: string, text: string): Promise<void> {
  const { realpath } = await import('node:fs/promises');
  const to = await realpath(path).catch(() => path);
  const partial = `${to}.${process.pid}.partial`;
  await writeFile(partial, text, { mode: 0o600 });
  await rename(partial, to);
}
