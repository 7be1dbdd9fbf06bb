// What a build that checks its project needs on the host, known before a machine is started for it.
import { createReadStream } from 'node:fs';
import type { Readable } from 'node:stream';
import { createZstdDecompress } from 'node:zlib';
import { RuntimeError, type BuildInput } from '#drivers/runtime/port.ts';
import type { HostOptions } from '../options.ts';
import { toolchainOf } from './toolchains.ts';

/**
 * Path of the archive with the compiler, where types are to be checked. @throws RuntimeError where the checks
 * cannot be made
 */
export async function toolsFor({ checks, language }: Pick<BuildInput, 'checks' | 'language'>, tools: HostOptions['checkTools']): Promise<string | undefined> {
  if (checks === undefined) return undefined;
  if (toolchainOf(language) !== 'node')
    throw new RuntimeError('checks_failed', `Checks are for TypeScript and JavaScript projects, and this one is ${language}.`);
  if (checks === 'tests') return undefined;
  if (tools === undefined) throw new RuntimeError('internal', 'This runtime host has no TypeScript compiler: types cannot be checked on it.');
  return tools();
}

/** The archive as the machine unpacks it. */
export function readTools(path: string): Readable {
  const packed = createReadStream(path);
  const unpacked = createZstdDecompress();
  packed.once('error', (error) => unpacked.destroy(error));
  return packed.pipe(unpacked);
}
