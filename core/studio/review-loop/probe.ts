// One probe: its cases are tried, what they show is made to show again, and the outcome is written once.
import type { ReviewLoopsRow, ReviewProbesRow } from '#db/tables.ts';
import { type RecordedFinding, recordFinding } from '../../quality/finding/record.ts';
import type { NewFinding } from '../../quality/finding/model.ts';
import { appendEvent } from '../../jobs/append-event.ts';
import type { Ctx } from '../../kernel/ctx.ts';
import { storableJson } from '../../kernel/storable.ts';
import { system } from '../../kernel/act.ts';
import { casesOf, fitted } from './attack/cases.ts';
import type { AttackCase } from './attack/case.ts';
import type { Observation } from './attack/judge.ts';
import type { Suspicion } from './attack/rules.ts';
import { specOf } from './model.ts';
import { findingFromPost, type Proposed } from './posted.ts';
import { showsAgain, tryCase, type Usual } from './run-case.ts';
import type { LoopTarget } from './target.ts';

type Loop = ReviewLoopsRow;
type ProbeFinding = Omit<NewFinding, 'agentId' | 'deployId' | 'jobId' | 'source'>;

export interface ProbeOutcome {
  calls: number;
  /** How many calls ended how. */
  ended: Record<string, number>;
  /** Of the ordinary call, by the baseline. */
  usual?: Usual;
  /** No call was made. */
  dry?: true;
  down: boolean;
}

const SEEN_USUALLY: Usual = { works: false, ms: 2_000, showsMemory: true };

/** Tries it and writes what it showed. False: it was done already, or its loop has ended. */
export async function runProbe(ctx: Ctx, loop: Loop, probe: ReviewProbesRow, target: LoopTarget, signal: AbortSignal): Promise<ProbeOutcome | undefined> {
  const proposed = proposedOf(probe);
  const skill = target.skills.find(({ id }) => id === probe.skill);
  const { dry, seed } = specOf(loop);
  const concurrency = target.route.card?.runtime.concurrency ?? 1;
  const cases = proposed ? [{ ...proposed.tried, calls: proposed.tried.calls.map((call) => ({ ...call, grant: target.workspace ? call.grant : ('none' as const) })) }] : skill ? await fitted(loop.owner_id, skill, casesOf(probe.attack, { skill, workspace: target.workspace, concurrency, seed, iteration: probe.iteration })) : []; // prettier-ignore
  if (dry.includes(probe.skill)) return write(ctx, loop, probe, { calls: 0, ended: {}, dry: true, down: false }, cases.slice(0, 2), [], []);
  const usual = await usualOf(ctx, loop, probe);
  const seen: Observation[] = [];
  const findings: ProbeFinding[] = [];
  let down = false;
  for (const tried of cases) {
    signal.throwIfAborted();
    if (ctx.clock() >= loop.deadline_at.getTime()) break;
    const first = await tryCase(target, tried, usual);
    seen.push(...first.seen);
    down ||= first.suspicions.some(({ rule }) => rule === 'agent-down');
    for (const suspicion of first.suspicions) {
      // The same at the same argument is the same finding: one reproduction is enough.
      if (findings.some((one) => one.confirmed && one.rule === suspicion.rule && one.at === tried.at)) continue;
      signal.throwIfAborted();
      const again = await showsAgain(target, tried, usual, suspicion.rule);
      seen.push(...(again ?? []));
      findings.push(findingFrom(tried, suspicion, again !== undefined));
    }
    if (down) break;
  }
  const outcome = { calls: seen.length, ended: countsOf(seen), down, ...(probe.attack === 'baseline' ? { usual: await measured(target, cases, seen) } : {}) };
  return write(ctx, loop, probe, outcome, [], findings, seen);
}

function findingFrom({ orders: _, ...tried }: AttackCase, { rule, severity, title, message, detail }: Suspicion, confirmed: boolean): ProbeFinding {
  // Its files are written anew with other words each time.
  const reproduction = { ...tried, ...(_ ? { orders: _ } : {}), shows: rule };
  return { severity, rule, skill: tried.skill, title, message: `${message} ${detail}`.trim(), reproduction, confirmed, at: tried.at };
}

/** The second of two ordinary calls: the first may have woken the machine. */
async function measured(target: LoopTarget, [ordinary]: readonly AttackCase[], first: readonly Observation[]): Promise<Usual> {
  if (!ordinary) return SEEN_USUALLY;
  const { seen } = await tryCase(target, ordinary, SEEN_USUALLY);
  const [one] = seen;
  const works = one?.how === 'answered' || one?.how === 'asked';
  const showsMemory = [...seen, ...first].some(({ text }) => text.includes(target.scope.memory));
  return { works, ms: one?.ms ?? SEEN_USUALLY.ms, showsMemory };
}

async function usualOf({ db }: Ctx, { job_id }: Loop, { attack, skill }: ReviewProbesRow): Promise<Usual> {
  if (attack === 'baseline') return SEEN_USUALLY;
  const row = await db('review_probes').where({ job_id, skill, attack: 'baseline', state: 'done' }).first('outcome');
  // Safe: write() stores it.
  return (row?.outcome as ProbeOutcome | undefined)?.usual ?? SEEN_USUALLY;
}

async function write(
  ctx: Ctx,
  loop: Loop,
  probe: ReviewProbesRow,
  outcome: ProbeOutcome,
  shown: readonly AttackCase[],
  found: readonly ProbeFinding[],
  seen: readonly Observation[],
): Promise<ProbeOutcome | undefined> {
  const { job_id, number } = probe;
  const runs = [...new Set(seen.flatMap(({ runId }) => (runId === null ? [] : [runId])))];
  return system(ctx, async (ctx) => {
    await ctx.db('review_loops').where({ job_id }).forUpdate().first('job_id');
    const set = { state: 'done' as const, outcome: storableJson(outcome), run_ids: runs };
    const done = await ctx.db('review_probes').where({ job_id, number, state: 'planned' }).update(set);
    if (done === 0) return undefined;
    const recorded: (RecordedFinding & Pick<ProbeFinding, 'severity' | 'rule' | 'title' | 'skill' | 'confirmed'>)[] = [];
    const at = { agentId: loop.agent_id, deployId: loop.deploy_id, jobId: job_id, source: 'review_loop' as const };
    const proposed = proposedOf(probe)?.finding;
    const shows = found.find(({ confirmed }) => confirmed);
    // A reviewer's finding is as bad as its call showed, at most.
    const confirmedOf = proposed && shows ? [{ ...findingFromPost(loop, proposed.said, proposed.by), severity: lesser(proposed.said.severity, shows.severity), reproduction: shows.reproduction, confirmed: true }] : []; // prettier-ignore
    for (const one of [...found.map((each) => ({ ...at, ...each })), ...confirmedOf]) recorded.push({ ...one, ...(await recordFinding(ctx, one)) });
    const known = await ctx.db('review_probes').where({ job_id }).whereRaw('findings && ?::text[]', [recorded.map(({ finding_id }) => finding_id)]).select('findings'); // prettier-ignore
    const noted = new Set(known.flatMap(({ findings }) => findings));
    const ids = [...new Set(recorded.map(({ finding_id }) => finding_id))];
    await ctx.db('review_probes').where({ job_id, number }).update({ findings: ids });
    const { attack, skill, iteration } = probe;
    await appendEvent(ctx.db, job_id, 'probe', {
      number,
      iteration,
      attack,
      skill,
      calls: outcome.calls,
      ended: outcome.ended,
      findings: ids,
      ...(outcome.dry && { dry: true, would_call: shown.flatMap(({ calls }) => calls.slice(0, 2)) }),
    });
    const fresh = recorded.filter(
      ({ finding_id }, index) =>
        !noted.has(finding_id) && ids.indexOf(finding_id) !== -1 && recorded.findIndex((one) => one.finding_id === finding_id) === index,
    );
    if (fresh.length > 0) {
      const findings = fresh.map(({ finding_id, severity, rule, title, skill: of, confirmed, how }) => ({
        finding_id,
        severity,
        rule,
        title,
        skill: of,
        confirmed,
        how,
      }));
      await appendEvent(ctx.db, job_id, 'finding_emitted', { by: 'platform', findings });
    }
    for (const { finding_id, title, freezes } of fresh) if (freezes) await appendEvent(ctx.db, job_id, 'promotion_frozen', { finding_id, title });
    return outcome;
  });
}

const lesser = (a: ProbeFinding['severity'], b: ProbeFinding['severity']): ProbeFinding['severity'] => {
  const order: ProbeFinding['severity'][] = ['info', 'warning', 'critical'];
  return order[Math.min(order.indexOf(a), order.indexOf(b))] ?? 'info';
};

function countsOf(seen: readonly Observation[]): Record<string, number> {
  const counts: Record<string, number> = {};
  for (const { how } of seen) counts[how] = (counts[how] ?? 0) + 1;
  return counts;
}

// Safe: only posted.ts writes the column.
const proposedOf = (probe: Pick<ReviewProbesRow, 'proposed'>): Proposed | undefined => (probe.proposed ?? undefined) as Proposed | undefined;
