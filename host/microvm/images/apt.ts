// Asks apt what is newer, with lists of our own: nothing of this machine is changed, and no one needs to be
// root.
import { mkdir, mkdtemp, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { run } from './tools.ts';

export type Apt = (command: 'apt-get' | 'apt-cache', args: string[], options?: { cwd?: string; env?: Record<string, string> }) => Promise<string>;

/** With the lists that this machine has. */
export const machineApt: Apt = (command, args, options) => run(command, args, options);

export interface Newer {
  package: string;
  from: string;
  to: string;
  /** It comes from the archive of security fixes. */
  security: boolean;
}

/**
 * @param prepare answers options of apt, beside which the machine's own hold; it may fill the folder. @throws
 * MicroVmError image_failed: an archive does not answer
 */
async function withNewLists<T>(dir: string, prepare: (folder: string) => Promise<Record<string, string>>, work: (apt: Apt) => Promise<T>): Promise<T> {
  await mkdir(dir, { recursive: true, mode: 0o755 });
  const folder = await mkdtemp(join(dir, '.apt-'));
  try {
    for (const name of ['state', 'lists/partial', 'cache/archives/partial']) await mkdir(join(folder, name), { recursive: true });
    const own = {
      'Dir::State::lists': join(folder, 'lists'),
      'Dir::Cache': join(folder, 'cache'),
      // The user that apt fetches as could not write here.
      'APT::Sandbox::User': 'root',
      'Acquire::Languages': 'none',
      'Debug::NoLocking': 'true',
      // Else apt ends well when an archive does not answer, and no longer knows what is newer.
      'APT::Update::Error-Mode': 'any',
      ...(await prepare(folder)),
    };
    const options = Object.entries(own).flatMap(([name, value]) => ['-o', `${name}=${value}`]);
    const apt: Apt = (command, args, more) => run(command, [...args, ...options], { env: { LC_ALL: 'C' }, ...more });
    await apt('apt-get', ['-qq', 'update']);
    return await work(apt);
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

/** From the archives that this machine uses. */
export const withMachineArchives = <T>(dir: string, work: (apt: Apt) => Promise<T>): Promise<T> => withNewLists(dir, async () => ({}), work);

/** From the archives that a Debian tree names. @param tar file of the tree */
export function withTreeArchives<T>(dir: string, tar: string, work: (apt: Apt) => Promise<T>): Promise<T> {
  const prepare = async (folder: string): Promise<Record<string, string>> => {
    await run('tar', ['-xf', tar, '-C', folder, '--no-same-owner', './etc/apt', './var/lib/dpkg/status']);
    return {
      'Dir::Etc': join(folder, 'etc/apt'),
      'Dir::State': join(folder, 'state'),
      'Dir::State::status': join(folder, 'var/lib/dpkg/status'),
    };
  };
  return withNewLists(dir, prepare, work);
}

/** Packages of a Debian tree that its own archives have a newer version of. @param tar file of the tree */
export const newerThan = (dir: string, tar: string): Promise<Newer[]> =>
  withTreeArchives(dir, tar, async (apt) => upgrades(await apt('apt-get', ['-s', 'dist-upgrade'])));

/** Reads lines like `Inst libssl3 [3.0.16-1] (3.0.17-1 Debian-Security:12/stable-security [amd64])`. */
function upgrades(simulation: string): Newer[] {
  return simulation.split('\n').flatMap((line) => {
    const [, name, from, to, origin = ''] = /^Inst (\S+) \[([^\]]+)\] \((\S+) ([^[)]*)/.exec(line) ?? [];
    return name === undefined || from === undefined || to === undefined ? [] : [{ package: name, from, to, security: /security/i.test(origin) }];
  });
}
