// Reading what callers send before the agent has: any of it may be anything.
import { parseExact } from '#contract/wire/exact-json.ts';

export function parsed(body: Uint8Array): unknown {
  try {
    return parseExact(Buffer.from(body).toString());
  } catch {
    return undefined;
  }
}

export function asRecord(value: unknown): Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value) ? { ...value } : {};
}

export function nonEmptyText(value: unknown): string | undefined {
  return typeof value === 'string' && value !== '' ? value : undefined;
}
