// A value of an option: as it is, or what `@file` and `@-` (standard input) hold, without one newline at the
// end.
import { readFile } from 'node:fs/promises';
import { text } from 'node:stream/consumers';
import type { CliContext } from '../lib/context.ts';
import { UsageError } from '../lib/errors.ts';

export async function given({ stdin }: Pick<CliContext, 'stdin'>, option: string, value: string): Promise<string> {
  if (!value.startsWith('@')) return value;
  const read = value === '@-' ? await text(stdin) : await file(option, value.slice(1));
  return read.replace(/\r?\n$/, '');
}

/** Of `--cert PATH` and the like. @throws UsageError */
export async function file(option: string, path: string): Promise<string> {
  return readFile(path, 'utf8').catch((error: unknown) => {
    throw new UsageError(`${option}: ${path} cannot be read (${error instanceof Error && 'code' in error ? String(error.code) : 'unknown error'}).`);
  });
}
