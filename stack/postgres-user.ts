// PostgreSQL refuses to run as root: there it gets a user of its own.
import { execFileSync } from 'node:child_process';
import { readFileSync, statSync } from 'node:fs';
import { dirname } from 'node:path';

export interface SystemUser {
  uid: number;
  gid: number;
}

const ownName = 'svc-postgres';

/**
 * Undefined when we are not root: the server then simply runs as us. Makes the user when the machine has
 * none.
 */
export function postgresUser(): SystemUser | undefined {
  if (process.getuid?.() !== 0) return undefined;
  const user = lookUp(ownName) ?? lookUp('postgres');
  if (user !== undefined) return user;
  execFileSync('useradd', ['--system', '--user-group', '--no-create-home', '--home-dir', '/nonexistent', '--shell', '/usr/sbin/nologin', ownName]);
  const made = lookUp(ownName);
  if (made === undefined) throw new Error(`useradd made no user ${ownName}; make it by hand, or run this as an ordinary user`);
  return made;
}

/** True when every folder down to `path` lets that user through. */
export function canReach(path: string, user: SystemUser): boolean {
  const { mode, uid } = statSync(path);
  const passes = (mode & 0o001) !== 0 || (uid === user.uid && (mode & 0o100) !== 0);
  const parent = dirname(path);
  return passes && (parent === path || canReach(parent, user));
}

function lookUp(name: string): SystemUser | undefined {
  const fields = readFileSync('/etc/passwd', 'utf8')
    .split('\n')
    .find((line) => line.startsWith(`${name}:`))
    ?.split(':');
  const [uid, gid] = [Number(fields?.[2]), Number(fields?.[3])];
  return fields && Number.isInteger(uid) && Number.isInteger(gid) ? { uid, gid } : undefined;
}
