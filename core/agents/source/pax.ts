// Extended headers of a tar (POSIX pax): lines of `length key=value\n`, read strictly.
import { refuse } from './refusals.ts';

export interface Pax {
  path?: string;
  size?: number;
}

/** Archivers write a dozen; a megabyte of the shortest would take a good part of a second to read. */
const MAX_RECORDS = 1_000;

/**
 * @throws BadRequest when there are too many records, when a record is malformed, or says what plain files do
 * not have.
 */
export function parsePax(bytes: Buffer, global: boolean): Pax {
  const pax: Pax = {};
  for (let at = 0, records = 1; at < bytes.length; records += 1) {
    if (records > MAX_RECORDS) throw refuse('source_corrupt');
    const space = bytes.indexOf(0x20, at);
    const digits = space < 0 ? '' : bytes.toString('latin1', at, Math.min(space, at + 10));
    const end = at + Number(digits);
    if (!/^[1-9][0-9]*$/.test(digits) || end > bytes.length || end <= space + 1 || bytes[end - 1] !== 0x0a) throw refuse('source_corrupt');
    const record = bytes.toString('utf8', space + 1, end - 1);
    const equals = record.indexOf('=');
    if (equals < 1) throw refuse('source_corrupt');
    take(pax, record.slice(0, equals), record.slice(equals + 1), global);
    at = end;
  }
  return pax;
}

function take(found: Pax, key: string, value: string, global: boolean): void {
  // One path or size for every file of the archive can only be meant to mislead.
  if (global && (key === 'path' || key === 'size' || key === 'linkpath')) throw refuse('source_unsupported_entry');
  if (key.startsWith('GNU.sparse')) throw refuse('source_unsupported_entry');
  if (key === 'path') found.path = value;
  if (key === 'size') {
    const size = Number(value);
    if (!/^[0-9]{1,15}$/.test(value) || !Number.isSafeInteger(size)) throw refuse('source_corrupt');
    found.size = size;
  }
}
