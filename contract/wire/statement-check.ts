// Is a statement what the platform signed, and does it add up? Line by line, so that a long one needs little
// memory; the same code in the dashboard and in the command line tool.
import { type Hash, MerkleRoot, rootOfPath, fromHex, toHex } from './merkle.ts';
import {
  decodeStatement,
  lineBytes,
  lineHash,
  shareOf,
  type StatementInclusion,
  StatementInvalid,
  StatementLine,
  StatementHead,
  type StatementPayload,
} from './statement.ts';
import type { VerifySignature } from './signed.ts';

/** A key that the platform publishes. */
export interface StatementKey {
  bytes: Uint8Array;
  /** Milliseconds since the epoch; absent: any time. */
  notBefore?: number;
  notAfter?: number;
}

export interface StatementTools {
  hash: Hash;
  verify: VerifySignature;
  /** By its id. Undefined: the platform publishes none of this id. */
  keyOf(kid: string): StatementKey | undefined | Promise<StatementKey | undefined>;
  /**
   * For each line: what is wrong with it beside what the statement itself says. Begun in order, several at a
   * time.
   */
  onLine?(line: StatementLine, payload: StatementPayload): string | undefined | Promise<string | undefined>;
}

export interface StatementVerdict {
  payload: StatementPayload;
  /** Nothing: it holds. At most MOST_FAULTS. */
  faults: string[];
}

const MOST_FAULTS = 20;
/** Lines that are checked at a time: as many as keep every core at work, and need no memory to speak of. */
const AT_A_TIME = 64;

/** @param texts lines of the file. @throws StatementInvalid where it cannot be read as a statement */
export async function checkStatement(texts: AsyncIterable<string> | Iterable<string>, tools: StatementTools): Promise<StatementVerdict> {
  let payload: StatementPayload | undefined;
  const faults: string[] = [];
  const tree = new MerkleRoot(tools.hash);
  let sum = 0;
  const checks: Promise<string | undefined>[] = [];
  const note = (fault: string | undefined): void => {
    if (fault !== undefined && faults.length < MOST_FAULTS) faults.push(fault);
  };
  for await (const text of texts) {
    if (text.trim() === '') continue;
    if (!payload) {
      const token = headOf(text);
      payload = decodeStatement(token).payload;
      faults.push(...(await signatureFaults(token, tools)));
      continue;
    }
    const line = lineOf(text, tree.size + 1);
    await tree.add(lineBytes(line));
    sum += line.amount_micros;
    const check = lineFault(line, tree.size, payload, tools);
    // One that fails before its turn is heard when its turn comes, or not at all, where an earlier one has
    // failed.
    check.catch(() => undefined);
    checks.push(check);
    if (checks.length >= AT_A_TIME) note(await checks.shift());
  }
  for (const check of checks) note(await check);
  if (!payload) throw new StatementInvalid('there is no statement in it');
  return { payload, faults: [...faults, ...wholeFaults(payload, { lines: tree.size, sum, root: toHex(await tree.root()) })] };
}

async function lineFault(line: StatementLine, at: number, payload: StatementPayload, { onLine }: StatementTools): Promise<string | undefined> {
  const fault = amountFault(line) ?? (await onLine?.(line, payload));
  return fault === undefined ? undefined : `line ${at} (${line.receipt_id ?? line.line_id}): ${fault}`;
}

function wholeFaults(payload: StatementPayload, found: { lines: number; sum: number; root: string }): string[] {
  const faults: string[] = [];
  if (found.lines !== payload.lines) faults.push(`it was signed with ${payload.lines} lines, and has ${found.lines}`);
  if (found.root !== payload.root_sha256) faults.push('its lines are not those that were signed: one was changed, left out, added or moved');
  if (found.sum !== payload.lines_micros) faults.push(`its lines come to ${found.sum} micro-dollars, and ${payload.lines_micros} were signed`);
  if (payload.lines_micros !== payload.carried_micros + payload.paid_micros)
    faults.push('what was paid and what was carried over are not the sum of the lines');
  return faults;
}

/** @throws StatementInvalid where it cannot be read */
export async function checkInclusion(inclusion: StatementInclusion, tools: StatementTools): Promise<StatementVerdict> {
  const { payload } = decodeStatement(inclusion.token);
  const faults = await signatureFaults(inclusion.token, tools);
  const path = inclusion.path.map(fromHex).filter((hash) => hash !== undefined);
  const root = await rootOfPath(tools.hash, await lineHash(tools.hash, inclusion.line), { index: inclusion.index, size: payload.lines, path });
  if (!root || toHex(root) !== payload.root_sha256) faults.push('the line is not in the statement that was signed, or not in this place');
  const fault = amountFault(inclusion.line) ?? (await tools.onLine?.(inclusion.line, payload));
  return { payload, faults: fault === undefined ? faults : [...faults, fault] };
}

async function signatureFaults(token: string, { verify, keyOf }: StatementTools): Promise<string[]> {
  const { payload, bytes, signature } = decodeStatement(token);
  const key = await keyOf(payload.kid);
  if (!key) return [`no published key has the id ${payload.kid}`];
  if (!(await verify(signature, bytes, key.bytes))) return ['the signature does not match: it was changed, or another key signed it'];
  const at = Date.parse(payload.issued_at);
  const isInTime = at >= (key.notBefore ?? at) && at <= (key.notAfter ?? at);
  return isInTime ? [] : [`the key ${payload.kid} was not good at ${payload.issued_at}`];
}

function amountFault(line: StatementLine): string | undefined {
  if (line.received_micros > line.charged_micros) return 'more was received than was charged';
  if (line.creator_micros > line.charged_micros) return 'the share is larger than what was charged';
  if (line.kind === 'receipt' && (line.receipt_id === null || line.receipt_sha256 === null)) return 'it names no receipt';
  if (line.kind !== 'adjustment' && line.amount_micros !== shareOf(line)) return `${line.amount_micros} is not the share of what was received`;
  return undefined;
}

function headOf(text: string): string {
  const head = StatementHead.safeParse(jsonOf(text));
  if (!head.success) throw new StatementInvalid('it does not begin with the summary of a statement');
  return head.data.token;
}

function lineOf(text: string, at: number): StatementLine {
  const line = StatementLine.safeParse(jsonOf(text));
  if (!line.success)
    throw new StatementInvalid(`line ${at} is not a line of a statement: ${line.error.issues[0]?.path.join('.')} ${line.error.issues[0]?.message}`);
  return line.data;
}

function jsonOf(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
