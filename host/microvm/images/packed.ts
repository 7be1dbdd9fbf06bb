// The programs of the guests' base image that npm packages carry: package-lock.json has the hash of each.
import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { z } from 'zod';

interface PackedProgram {
  path: string;
  /** `name@version`: npm has checked that it is the content of that name. */
  from: string;
}

const Package = z.object({ version: z.string() });

function packed(name: string, program: string): PackedProgram {
  const file = createRequire(import.meta.url).resolve(`${name}/package.json`);
  return { path: join(dirname(file), 'bin', program), from: `${name}@${Package.parse(JSON.parse(readFileSync(file, 'utf8'))).version}` };
}

export const packedNode = (): PackedProgram => packed(`node-linux-${process.arch}`, 'node');
export const packedBun = (): PackedProgram => packed('@oven/bun-linux-x64-baseline', 'bun');
