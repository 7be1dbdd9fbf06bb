// A property on the command line: latency=MS, cost=MICRO-DOLLARS, matches=[POINTER:]PATTERN,
// not-matches=[POINTER:]PATTERN, schema=FILE.
import { withoutMark } from '#contract/wire/byte-order-mark.ts';
import { readFile } from 'node:fs/promises';
import type { ProofProperty } from '#contract/quality/agent-proofs.ts';
import { integer } from '../lib/api-command.ts';
import { UsageError } from '../lib/errors.ts';

const DAY_MS = 86_400_000;
const MAX_MICROS = 999_999_999;

export async function propertyOf(text: string): Promise<ProofProperty> {
  const [, kind = '', value = ''] = /^([a-z-]+)=(.+)$/su.exec(text) ?? [];
  switch (kind) {
    case 'latency':
      return { kind, max_ms: integer('--property latency', value, { min: 1, max: DAY_MS }) };
    case 'cost':
      return { kind, max_micros: integer('--property cost', value, { min: 0, max: MAX_MICROS }) };
    case 'matches':
    case 'not-matches': {
      const [, pointer = '', pattern = value] = /^(\/[^:]*):(.+)$/su.exec(value) ?? [];
      return { kind: 'matches', pattern, pointer, absent: kind === 'not-matches' };
    }
    case 'schema':
      return { kind, schema: await objectIn(value) };
    default:
      throw new UsageError(`--property must be latency=MS, cost=MICRO-DOLLARS, matches=PATTERN, not-matches=PATTERN or schema=FILE, not "${text}".`);
  }
}

/** A JSON object in a file. */
export async function objectIn(file: string): Promise<Record<string, unknown>> {
  let value: unknown;
  try {
    value = JSON.parse(withoutMark(await readFile(file, 'utf8')));
  } catch (error) {
    throw new UsageError(`${file} cannot be read as JSON: ${error instanceof Error ? error.message : String(error)}`);
  }
  if (typeof value !== 'object' || value === null || Array.isArray(value)) throw new UsageError(`${file} must hold a JSON object.`);
  return { ...value };
}
