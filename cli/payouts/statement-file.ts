// Statements in files and from the platform, line by line.
import { withoutMark } from '#contract/wire/byte-order-mark.ts';
import { createReadStream } from 'node:fs';
import { open, stat } from 'node:fs/promises';
import { createInterface } from 'node:readline';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { createWriteStream } from 'node:fs';
import { inclusionPath, toHex } from '#contract/wire/merkle.ts';
import { lineHash, StatementHead, StatementInclusion, StatementInvalid, StatementLine } from '#contract/wire/statement.ts';
import { UsageError } from '../lib/errors.ts';
import { sha256 } from './signature.ts';

/** Of a proof of one line: it has at most 64 hashes. */
const MOST_INCLUSION_BYTES = 64 * 1024;

/** @throws UsageError where there is no such file */
export async function linesOf(path: string): Promise<AsyncIterable<string>> {
  const file = await open(path).catch(() => undefined);
  if (!file) throw new UsageError(`${path} cannot be read.`);
  await file.close();
  return createInterface({ input: createReadStream(path), crlfDelay: Number.POSITIVE_INFINITY });
}

/** The proof of one line, where the file is one. */
export async function inclusionIn(path: string): Promise<StatementInclusion | undefined> {
  const stats = await stat(path).catch(() => undefined);
  if (!stats || stats.size > MOST_INCLUSION_BYTES) return undefined;
  const { readFile } = await import('node:fs/promises');
  try {
    const parsed = StatementInclusion.safeParse(JSON.parse(withoutMark(await readFile(path, 'utf8'))));
    return parsed.success ? parsed.data : undefined;
  } catch {
    return undefined;
  }
}

/**
 * What proves that the line with this receipt or id is in the statement. @throws UsageError where it is not
 */
export async function inclusionOf(path: string, wanted: string): Promise<StatementInclusion> {
  const hashes: Uint8Array[] = [];
  let token: string | undefined;
  let match: { line: StatementLine; index: number } | undefined;
  for await (const text of await linesOf(path)) {
    if (text.trim() === '') continue;
    const value = jsonOf(text);
    if (token === undefined) token = StatementHead.parse(value).token;
    else {
      const line = StatementLine.parse(value);
      if (line.receipt_id === wanted || line.line_id === wanted) match ??= { line, index: hashes.length };
      hashes.push(await lineHash(sha256, line));
    }
  }
  if (token === undefined || !match) throw new UsageError(`${path} has no line of ${wanted}.`);
  return { type: 'inclusion', token, ...match, path: (await inclusionPath(sha256, hashes, match.index)).map(toHex) };
}

function jsonOf(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    throw new StatementInvalid('it has a line that is not JSON');
  }
}

/** Writes what comes as it comes. */
export async function save(response: Response, path: string): Promise<void> {
  if (!response.body) throw new Error('an answer without a body');
  // Safe: the same stream by its other name.
  await pipeline(Readable.fromWeb(response.body as Parameters<typeof Readable.fromWeb>[0]), createWriteStream(path));
}
