// What the live version says of its skills, checked against what the platform recorded of its newest calls: a
// skill that declares to change nothing may change no file, one that declares to destroy nothing may delete
// none. Nothing an agent reports of itself decides it.
import type { Knex } from 'knex';

/**
 * So many whatever there are: what an agent did lately says more of it than what it ever did, and takes as
 * long to read.
 */
export const CALLS = 1_000;

/** The newest call that broke it. */
export interface BrokenClaim {
  receipt_id: string;
  skill: string;
  at: Date;
}

export interface BrokenClaims {
  /** A skill with policy.read_only wrote or deleted files. */
  read_only: BrokenClaim | null;
  /** A skill with policy.destructive: false deleted files. */
  not_destructive: BrokenClaim | null;
}

const first = (declares: string, operations: string): string => `(
  select jsonb_build_object('receipt_id', n.receipt_id, 'skill', n.skill, 'at', n.created_at) from newest n join declared d on d.skill = n.skill
  where ${declares} and exists (select 1 from jsonb_array_elements(n.files) f where f->>'operation' = any (array[${operations}]))
  order by n.created_at desc, n.receipt_id desc limit 1
)`;

export async function brokenClaims(db: Knex, of: { agent_id: string; live: string | null }): Promise<BrokenClaims> {
  if (of.live === null) return { read_only: null, not_destructive: null };
  const { rows } = await db.raw<{ rows: Record<keyof BrokenClaims, (Omit<BrokenClaim, 'at'> & { at: string }) | null>[] }>(
    `with declared as (
       select s->>'id' as skill, s->'policy'->>'read_only' = 'true' as read_only, s->'policy'->>'destructive' = 'false' as not_destructive
       from deployments, json_array_elements(case json_typeof(card->'skills') when 'array' then card->'skills' else '[]' end) s where deploy_id = :live
     ), newest as (
       select receipt_id, skill, created_at, payload->'files' as files from (
         select receipt_id, skill, created_at, deploy_id, payload from receipts
         where agent_id = :agent_id and source = 'platform' order by created_at desc, receipt_id desc limit ${CALLS}
       ) r where deploy_id = :live and skill in (select skill from declared where read_only or not_destructive)
     )
     select ${first('d.read_only', `'write', 'delete'`)} as read_only, ${first('d.not_destructive', `'delete'`)} as not_destructive`,
    { agent_id: of.agent_id, live: of.live },
  );
  const claim = (key: keyof BrokenClaims): BrokenClaim | null => {
    const row = rows[0]?.[key] ?? null;
    return row && { ...row, at: new Date(row.at) };
  };
  return { read_only: claim('read_only'), not_destructive: claim('not_destructive') };
}
