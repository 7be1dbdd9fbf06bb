// The public API of the Python SDK, read from its sources.
import { execFileSync } from 'node:child_process';
import { join } from 'node:path';
import { z } from 'zod';
import type { Api } from './api.ts';

const Member = z.object({ parameters: z.array(z.string()).nullable(), asynchronous: z.boolean() });
const Read = z.record(z.string(), z.record(z.string(), Member));

/** The public API of the Python SDK. Needs python3, nothing installed. */
export function pythonApi(): Api {
  const text = execFileSync('python3', [join(import.meta.dirname, 'python-api.py')], { encoding: 'utf8' });
  return new Map(Object.entries(Read.parse(JSON.parse(text))).map(([name, members]) => [name, new Map(Object.entries(members))]));
}
