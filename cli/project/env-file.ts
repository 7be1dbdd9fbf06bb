// `.env.local` of a project: secrets and settings of the agent on a developer's machine.
import { withoutMark } from '#contract/wire/byte-order-mark.ts';
import { readFile } from 'node:fs/promises';
import { existsSync } from 'node:fs';
import { resolve } from 'node:path';
import { parseEnv } from 'node:util';
import { UsageError } from '../lib/errors.ts';

/** `named`: the user named this file, from the shell's folder, or from the project's. @throws UsageError */
export async function readEnvFile(folder: string, { path, named }: { path: string; named: boolean }): Promise<NodeJS.Dict<string>> {
  const file = named && existsSync(resolve(path)) ? resolve(path) : resolve(folder, path);
  const text = await readFile(file, 'utf8').catch(() => undefined);
  if (text === undefined && named) throw new UsageError(`--env-file: ${path} cannot be read.`);
  return text === undefined ? {} : parseEnv(withoutMark(text));
}
