// `node bench/scorecards.ts [receipts]`: scorecards after 1,000,000 receipts of 200 accounts and 2,000 agents
// over a year: the nightly step over 1,000 new ones, seven times, and then every scorecard against one
// computed from all receipts. Target: less than 1 s for 1,000 new ones; ends with 1 where the median misses
// it, or where a scorecard differs.
import { loadavg } from 'node:os';
import { HALF_LIFE_DAYS } from '#contract/studio/scorecard.ts';
import { CALLERS_FAULTS, countScorecards } from '#core/studio/collective/count-scorecards.ts';
import { createPool } from '#db/pool.ts';
import { testCtx } from '#test/support/verbs.ts';
import { benchCluster } from './database.ts';

const [receipts = 1_000_000] = process.argv.slice(2).map(Number);
const [ACCOUNTS, AGENTS, NEW, ROUNDS] = [200, 2_000, 1_000, 7];
const TARGET_MS = 1_000;
const YEAR_MS = 365 * 86_400_000;
const cluster = await benchCluster();
const db = createPool({ connectionString: await cluster.create() });
const now = Date.now();

try {
  await db.raw(`insert into users (user_id, issuer, subject, email) select 'usr_' || n, 'bench', 'u' || n, 'u' || n || '@svc.local' from generate_series(0, ?) n`, [ACCOUNTS - 1]); // prettier-ignore
  await db.raw(
    `insert into agents (agent_id, name, owner_id, kind, description, tags, skills)
     select 'agt_' || n, 'agent-' || n, 'usr_' || n % ?, 'hosted', '', '{}', '{work}' from generate_series(0, ?) n`,
    [ACCOUNTS, AGENTS - 1],
  );
  const seeded = await timed(() => seed(receipts, 0, now - YEAR_MS, now - 3_600_000));
  await db.raw('analyze receipts');
  const first = await timed(() => countScorecards(at(now)));
  const { count } = (await db('scorecards').count<{ count: string }[]>('* as count').first()) ?? { count: '0' };
  say(
    `${receipts} receipts were written in ${seconds(seeded)}, and counted from nothing in ${seconds(first)}: ${count} scorecards (load ${loadavg()[0]?.toFixed(1)})`,
  );
  const times: number[] = [];
  for (let round = 0; round < ROUNDS; round += 1) {
    const from = now + round * 3_600_000;
    await seed(NEW, receipts + round * NEW, from, from + 60_000);
    let counted = 0;
    times.push(await timed(async () => void (counted = await countScorecards(at(from + 300_000)))));
    if (counted !== NEW) throw new Error(`${counted} of ${NEW} new receipts were counted`);
  }
  const middle = times.toSorted((a, b) => a - b)[Math.floor(ROUNDS / 2)] ?? Number.NaN;
  const differing = await differences();
  const met = middle < TARGET_MS && differing === 0;
  if (!met) process.exitCode = 1;
  say(
    `${NEW} new ones: median ${middle.toFixed(0)} ms, slowest ${Math.max(...times).toFixed(0)} ms (target < ${TARGET_MS} ms, load ${loadavg()[0]?.toFixed(1)})`,
  );
  say(`${differing} of ${count} scorecards differ from those computed from all receipts: ${met ? 'met' : 'missed'}`);
} finally {
  await db.destroy();
  await cluster.stop();
}

function at(clock: number): ReturnType<typeof testCtx> {
  return { ...testCtx(db, { actor: { kind: 'platform', service: 'bench' } }), clock: () => clock };
}

/**
 * A few agents are called most; nine calls of ten go well; some have no account, were cancelled, or failed by
 * their caller's doing.
 */
async function seed(count: number, first: number, fromMs: number, toMs: number): Promise<void> {
  await db.raw(
    `insert into receipts (receipt_id, agent_id, seq, source, kid, token, payload, payload_sha256, skill, status, caller_kind, caller_user_id, started_at, ended_at, duration_ms, created_at)
     select 'rcp_' || left(lpad(to_hex(ms), 12, '0'), 8) || '-' || right(to_hex(ms), 4) || '-7000-8000-' || lpad(to_hex(n), 12, '0'), 'agt_' || agent, n, 'platform', 'k', 'tok' || n,
       case when status = 'error' then jsonb_build_object('error_code', case when luck % 7 = 0 then 'invalid_input' else 'failed' end) else '{}' end,
       repeat('0', 64), 'work', status, case when luck % 20 = 0 then 'anonymous' else 'user' end, case when luck % 20 = 0 then null else 'usr_' || account end,
       to_timestamp(ms / 1000.0), to_timestamp(ms / 1000.0), 5, to_timestamp(ms / 1000.0)
     from (
       select n, (:from::float8 + (:to::float8 - :from::float8) * (n - :first) / :count)::bigint as ms,
         floor(${AGENTS} * power(random(), 3))::int as agent, floor(${ACCOUNTS} * power(random(), 2))::int as account, floor(random() * 1000)::int as luck,
         case when random() < 0.88 then 'ok' when random() < 0.85 then 'error' else 'cancelled' end as status
       from generate_series(:first::bigint, :first::bigint + :count::bigint - 1) n
     ) made`,
    { from: fromMs, to: toMs, first, count },
  );
}

/** Scorecards that are not what all receipts come to, computed at once, at the moment that each holds for. */
async function differences(): Promise<number> {
  const { rows } = await db.raw<{ rows: { count: number }[] }>(
    `with fresh as (
       select r.caller_user_id as account_id, r.agent_id, count(*) as calls,
         sum(case when r.status = 'ok' then power(0.5, extract(epoch from s.as_of - r.ended_at) / :half) else 0 end) as good,
         sum(case when r.status = 'ok' then 0 else power(0.5, extract(epoch from s.as_of - r.ended_at) / :half) end) as bad
       from receipts r left join scorecards s on s.account_id = r.caller_user_id and s.agent_id = r.agent_id
       where r.source = 'platform' and r.caller_user_id is not null and r.status <> 'cancelled' and coalesce(r.payload->>'error_code', '') <> all(:faults)
       group by 1, 2
     )
     select count(*)::int as count from fresh f full join scorecards s using (account_id, agent_id)
     where f.calls is distinct from s.calls or not (abs(f.good - s.good) < 1e-6 * (1 + s.good)) or not (abs(f.bad - s.bad) < 1e-6 * (1 + s.bad))`,
    { half: HALF_LIFE_DAYS * 86_400, faults: [...CALLERS_FAULTS] },
  );
  return rows[0]?.count ?? Number.NaN;
}

async function timed(work: () => Promise<unknown>): Promise<number> {
  const began = performance.now();
  await work();
  return performance.now() - began;
}

function seconds(ms: number): string {
  return `${(ms / 1000).toFixed(1)} s`;
}

function say(text: string): void {
  process.stdout.write(`${text}\n`);
}
