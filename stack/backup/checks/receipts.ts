// Every receipt: its signature, and the chain of each agent from the first to the one that its row names as
// the end.
import type { Knex } from 'knex';
import { sha256Hex } from '#contract/crypto/sha256.ts';
import { verifiedBy } from '#core/evidence/receipt/verify.ts';
import { DomainError } from '#core/kernel/errors.ts';
import { type CheckResult, Findings } from './check.ts';

const BATCH = 500;

interface Stored {
  receipt_id: string;
  agent_id: string;
  seq: number | null;
  token: string;
  payload_sha256: string;
}

interface Link {
  agent: string;
  seq: number;
  sha256: string;
}

export async function checkReceipts(db: Knex): Promise<CheckResult> {
  const findings = new Findings();
  const keys = await db('receipt_keys').select('kid', 'public_key', 'not_before', 'not_after');
  const heads = new Map((await db('receipt_chains').select('agent_id', 'seq', 'head_sha256')).map((row) => [row.agent_id, row]));
  const ends = new Map<string, Link>();
  let before: Link | undefined;
  let last: Pick<Stored, 'agent_id' | 'seq' | 'receipt_id'> | undefined;
  for (;;) {
    const batch = await nextReceipts(db, last);
    for (const row of batch) {
      const link = await checkOne(row, before?.agent === row.agent_id ? before : undefined);
      findings.checked += 1;
      if (typeof link === 'string') findings.add(`Receipt ${row.receipt_id}: ${link}`);
      else if (link) ends.set(row.agent_id, (before = link));
    }
    last = batch.at(-1);
    if (batch.length < BATCH) break;
  }
  for (const [agent, { seq, head_sha256 }] of heads) {
    const end = ends.get(agent);
    if ((end?.seq ?? 0) !== seq || (end?.sha256 ?? null) !== head_sha256)
      findings.add(`The chain of ${agent} ends at receipt ${end?.seq ?? 0}, and its row says ${seq}`);
  }
  return findings;

  /** A sentence; a link of a chain; undefined: a receipt that its agent's owner brought is in none. */
  async function checkOne(row: Stored, previous: Link | undefined): Promise<Link | string | undefined> {
    try {
      const { payload, bytes } = await verifiedBy(row.token, async (wanted) => keys.find(({ kid }) => kid === wanted));
      const sha256 = sha256Hex(bytes);
      if (sha256 !== row.payload_sha256) return 'the row names another hash than its payload has';
      if (row.seq === null) return undefined;
      if (payload.seq !== row.seq || row.seq !== (previous?.seq ?? 0) + 1) return `it is number ${payload.seq} after number ${previous?.seq ?? 0}`;
      if (payload.previous_sha256 !== (previous?.sha256 ?? null)) return 'it does not name the receipt before it';
      return { agent: row.agent_id, seq: row.seq, sha256 };
    } catch (error) {
      if (error instanceof DomainError) return error.message;
      throw error;
    }
  }
}

/** By agent and number; those of no chain first. */
async function nextReceipts(db: Knex, last: Pick<Stored, 'agent_id' | 'seq' | 'receipt_id'> | undefined): Promise<Stored[]> {
  const query = db('receipts').orderBy('agent_id').orderByRaw('coalesce(seq, 0)').orderBy('receipt_id').limit(BATCH);
  if (last) query.whereRaw('(agent_id, coalesce(seq, 0), receipt_id) > (?, ?, ?)', [last.agent_id, last.seq ?? 0, last.receipt_id]);
  return query.select('receipt_id', 'agent_id', 'seq', 'token', 'payload_sha256');
}
