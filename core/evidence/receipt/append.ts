// Signs receipts of one agent in one statement that commits on its own, after the end of the chain as this
// process knows it. Where another process has signed meanwhile the statement writes nothing and returns where
// the chain ends now.
import type { Knex } from 'knex';
import type { Ctx } from '../../kernel/ctx.ts';
import { keysFor } from './keys.ts';
import { type ChainEnd, type Link, linkAfter, type ReceiptFacts, type SignedReceipt } from './link.ts';

/** What must be so for the receipts to be written, and what is written with them. */
export interface AppendCondition {
  /** Locks its rows, as many as there are receipts; with fewer nothing is written. */
  holds: Knex.Raw;
  /** Writes `from chain`, which has one row when the receipts are written and none otherwise. */
  also: Knex.Raw;
}

export interface Appended {
  /** Undefined: nothing was written. */
  sealed: SignedReceipt[] | undefined;
  /** For the next time; undefined: no receipt of the agent is stored, or no key is valid. */
  end: ChainEnd | undefined;
}

/** The compiler misses a column that is not named here. */
const columns: Record<keyof Link['row'], true> = {
  receipt_id: true,
  agent_id: true,
  seq: true,
  source: true,
  kid: true,
  token: true,
  payload: true,
  payload_sha256: true,
  skill: true,
  status: true,
  caller_kind: true,
  caller_id: true,
  caller_user_id: true,
  deploy_id: true,
  job_id: true,
  run_id: true,
  trace_id: true,
  parent_span_id: true,
  purpose: true,
  started_at: true,
  ended_at: true,
  duration_ms: true,
};
const COLUMNS = Object.keys(columns).join(', ');

/** Of one agent, at least one, in their order, all sealed by one key. */
export async function appendReceipts(ctx: Ctx, facts: readonly ReceiptFacts[], end: ChainEnd | undefined, { holds, also }: AppendCondition): Promise<Appended> {
  const links = end ? await linksAfter(end, ctx, facts) : [];
  const [first] = facts;
  if (!first) throw new Error('no receipt to append');
  const ends = facts.map(({ endedAt }) => endedAt);
  const { rows } = await ctx.db
    .raw<{ rows: [{ written: boolean; kid: string | null; private_sealed: string | null; seq: number | null; head_sha256: string | null }] }>(
      `with held as materialized (:holds),
         key as materialized (:key),
         chain as (
           update receipt_chains c set seq = :seq, head_sha256 = :head from key
           where c.agent_id = :agent and c.seq = :before and c.head_sha256 is not distinct from :previous and key.kid = :kid
             and (select count(*) from held) = :many
           returning c.agent_id
         ),
         receipt as (insert into receipts (${COLUMNS}) select ${COLUMNS} from jsonb_populate_recordset(null::receipts, :rows::jsonb) where exists (select 1 from chain)),
         calls as (update agents a set call_count = call_count + :many from chain where a.agent_id = chain.agent_id),
         gone as (:also)
       select exists (select 1 from chain) as written, kid, private_sealed, seq, head_sha256
       from (select 1) one left join key on true left join receipt_chains on agent_id = :agent`,
      {
        holds,
        also,
        key: keysFor(ctx.db, Math.max(...ends), Math.min(...ends)).select('kid', 'private_sealed'),
        agent: first.agent.id,
        many: facts.length,
        kid: end?.key.kid ?? null,
        before: end?.head.seq ?? null,
        previous: end?.head.head_sha256 ?? null,
        seq: end ? end.head.seq + facts.length : null,
        head: links.at(-1)?.sealed.payload_sha256 ?? null,
        rows: JSON.stringify(links.map(({ row }) => row)),
      },
    )
    .options({ name: 'append_receipts' });
  const [{ written, kid, private_sealed, seq, head_sha256 }] = rows;
  const receipts = links.map((link) => link.sealed);
  if (written && end) return { sealed: receipts, end: { key: end.key, head: endOf(receipts) } };
  const now = kid === null || private_sealed === null || seq === null ? undefined : { key: { kid, private_sealed }, head: { seq, head_sha256 } };
  return { sealed: undefined, end: now };
}

async function linksAfter(end: ChainEnd, ctx: Ctx, facts: readonly ReceiptFacts[]): Promise<Link[]> {
  const links: Link[] = [];
  let { head } = end;
  for (const one of facts) {
    const link = await linkAfter({ key: end.key, head }, ctx, one);
    head = endOf([link.sealed]);
    links.push(link);
  }
  return links;
}

function endOf(sealed: readonly SignedReceipt[]): ChainEnd['head'] {
  const last = sealed.at(-1);
  if (!last) throw new Error('no receipt was sealed');
  return { seq: last.payload.seq, head_sha256: last.payload_sha256 };
}
