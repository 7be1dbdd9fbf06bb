// Contestants begin: a row, a result for each case, a job and the start of its workflow, in one transaction.
import type { Knex } from 'knex';
import { canonicalSha256 } from '#contract/crypto/sha256.ts';
import type { TrialContestant, TrialRunOut } from '#contract/studio/trial-rooms.ts';
import { MAX_TRIAL_RUNS } from '#contract/studio/trial-rooms.ts';
import type { TrialTrigger } from '#contract/states.ts';
import { AgentCard } from '#contract/wire/card.ts';
import { MAX_OPEN_TRIAL_RUNS } from '#contract/wire/limits.ts';
import { ON_EMAIL } from '#contract/wire/mail.ts';
import type { Insert } from '#db/table-types.ts';
import type { TrialRoomsRow } from '#db/tables.ts';
import { agentFor } from '../../agents/agent/find.ts';
import { beginWork, requirePlaces } from '../../jobs/long-work.ts';
import { act, done, unchanged } from '../../kernel/act.ts';
import type { Actor, Ctx, TxCtx } from '../../kernel/ctx.ts';
import { Conflict, NotFound } from '../../kernel/errors.ts';
import { newId } from '../../kernel/ids.ts';
import { lockName } from '../../kernel/lock-name.ts';
import { storableJson } from '../../kernel/storable.ts';
import { credentialOf } from '../../money/llm/credential.ts';
import { labelOf } from './label.ts';
import { presentRuns } from './read.ts';
import { TRIAL_KIND, roomNamed, roomSpecIn, workflowOfTrial } from './row.ts';

/** Of one contestant, from its start to its last case. */
const LEAST_SECONDS = 600;
const AT_ONCE = 4;

export interface StartRunsIn {
  slug: string;
  contestants: readonly TrialContestant[];
  /** The same key of the same account gives the same runs. */
  key?: string | undefined;
}

/**
 * @throws NotFound trial_room_not_found, agent_not_found, skill_not_found; Conflict trial_room_decided,
 * trial_room_full, too_many_trial_runs, agent_not_live, trial_skill_needed, no_model, idempotency_key_reused
 */
export async function startRuns(ctx: Ctx, i: StartRunsIn): Promise<{ items: TrialRunOut[] }> {
  const { room, ids } = await act(ctx, 'trial_room.run', roomNamed(i.slug), async (ctx, row) => {
    const known = await sameKey(ctx.db, row, i);
    if (known) return unchanged({ room: row, ids: known });
    if (row.decided_at !== null) throw new Conflict('trial_room_decided', `A contestant of ${i.slug} was selected: make another trial room`);
    const existingRuns = await ctx.db('trial_runs').where({ room_id: row.room_id }).limit(MAX_TRIAL_RUNS).select('run_id');
    if (existingRuns.length + i.contestants.length > MAX_TRIAL_RUNS)
      throw new Conflict('trial_room_full', `A trial room takes ${MAX_TRIAL_RUNS} runs, and this one has ${existingRuns.length}: make another`);
    await requirePlaces(ctx.db, { ownerId: row.owner_id, kinds: [TRIAL_KIND], most: MAX_OPEN_TRIAL_RUNS, wanted: i.contestants.length }, full);
    const started: string[] = [];
    for (const [at, contestant] of i.contestants.entries()) {
      const once = i.key === undefined ? undefined : { key: keyOf(i.key, at), request: requestOf(i) };
      started.push(await addTrialRun(ctx, row, await contestantIn(ctx, row, contestant), 'person', once));
    }
    return done({ trial_room: row.room_id }, { slug: i.slug, runs: started }, { room: row, ids: started });
  });
  const shown = await presentRuns(ctx, room);
  return { items: shown.filter(({ run_id }) => ids.includes(run_id)) };
}

const requestOf = ({ slug, contestants }: StartRunsIn): string => canonicalSha256(JSON.parse(storableJson({ slug, contestants })));

/** A job has a key of its own. */
const keyOf = (key: string, contestant: number): string => `${key}/${contestant}`;

/** The runs that a request with this key began before. */
async function sameKey(tx: Knex.Transaction, { owner_id }: TrialRoomsRow, i: StartRunsIn): Promise<string[] | undefined> {
  if (i.key === undefined) return undefined;
  await lockName(tx, `trial/${owner_id}/${i.key}`);
  const { key } = i;
  const keys = i.contestants.map((_, at) => keyOf(key, at));
  const jobs = await tx('jobs').where({ owner_id, kind: TRIAL_KIND }).whereIn('idempotency_key', keys).select('job_id', 'input'); // prettier-ignore
  if (jobs.length === 0) return undefined;
  const request = requestOf(i);
  if (jobs.length !== keys.length || jobs.some(({ input }) => Reflect.get(Object(input), 'request_sha256') !== request))
    throw new Conflict('idempotency_key_reused', 'This idempotency key began other contestants: use a new key for each request');
  const runs = await tx('trial_runs').whereIn('job_id', jobs.map(({ job_id }) => job_id)).select('run_id'); // prettier-ignore
  return runs.map(({ run_id }) => run_id);
}

const full = (open: number) =>
  new Conflict('too_many_trial_runs', `${open} trial runs of yours are under way, and ${MAX_OPEN_TRIAL_RUNS} may be: wait for some to end`);

export type Contestant = Pick<Insert<'trial_runs'>, 'agent_id' | 'agent_name' | 'skill' | 'map' | 'deploy_id' | 'version' | 'credential' | 'model'>;

async function contestantIn(ctx: TxCtx, room: TrialRoomsRow, i: TrialContestant): Promise<Contestant> {
  if ('agent' in i) return agentContestant(ctx.db, ctx.actor, i);
  const credential = await credentialOf(ctx.db, room.owner_id, i.model.credential);
  return { credential: credential.name, model: i.model.model ?? credential.model };
}

/**
 * Its live version, with the skill that answers. @throws NotFound agent_not_found, skill_not_found; Conflict
 * agent_not_live, trial_skill_needed
 */
export async function agentContestant(
  tx: Knex.Transaction,
  actor: Actor,
  i: { agent: string; skill?: string | undefined; map?: Record<string, string> | undefined },
): Promise<Contestant> {
  const agent = await agentFor(tx, actor, 'agent.call', i.agent);
  const live =
    agent.live_deploy_id === null ? undefined : await tx('deployments').where({ deploy_id: agent.live_deploy_id }).first('deploy_id', 'version', 'card');
  if (!live?.card) throw new Conflict('agent_not_live', `${agent.name} has no live deployment: deploy it first`);
  const skills = AgentCard.parse(live.card).skills.filter(({ id }) => id !== ON_EMAIL);
  if (i.skill !== undefined && !skills.some(({ id }) => id === i.skill)) throw new NotFound('skill_not_found', `${agent.name} has no skill ${i.skill}`);
  const [only, other] = skills;
  if (i.skill === undefined && (!only || other))
    throw new Conflict('trial_skill_needed', `Name the skill of ${agent.name} that answers: ${skills.map(({ id }) => id).join(', ') || 'it has none'}`);
  return {
    agent_id: agent.agent_id,
    agent_name: agent.name,
    skill: i.skill ?? only?.id ?? '',
    map: i.map === undefined ? null : storableJson(i.map),
    deploy_id: live.deploy_id,
    version: live.version,
  };
}

/**
 * With the room's row locked. Resolves with the run's id. `once`: the key of its job, and the hash of the
 * request that came with it.
 */
export async function addTrialRun(
  ctx: TxCtx,
  room: TrialRoomsRow,
  contestant: Contestant,
  trigger: TrialTrigger,
  once?: { key: string; request: string },
): Promise<string> {
  const spec = roomSpecIn(room);
  const run_id = newId('trl', ctx.clock());
  const last = await ctx.db('trial_runs').where({ room_id: room.room_id }).max<{ max: number | null }>('number as max').first();
  const seconds = Math.max(LEAST_SECONDS, Math.ceil(spec.cases.length / AT_ONCE) * spec.max_runtime_seconds + LEAST_SECONDS);
  const deadline = ctx.clock() + seconds * 1000;
  // In a blind room its title does not say who it is.
  const who = spec.blind ? labelOf(run_id) : (contestant.agent_name ?? contestant.model ?? '');
  const job_id = await beginWork(ctx, {
    kind: TRIAL_KIND,
    title: `Trial ${room.slug}: ${who}`,
    ownerId: room.owner_id,
    workflowId: workflowOfTrial(run_id),
    workflow: { type: 'trialRun', input: (job_id) => ({ job_id, deadline_at: deadline }), agent: contestant.agent_name ?? undefined },
    input: { room: room.slug, run_id, cases: spec.cases.length, trigger, ...(once && { request_sha256: once.request }) },
    ...(once && { idempotencyKey: once.key }),
  });
  await ctx.db('trial_runs').insert({
    ...contestant,
    run_id,
    room_id: room.room_id,
    owner_id: room.owner_id,
    number: (last?.max ?? 0) + 1,
    job_id,
    trigger,
    deadline_at: new Date(deadline),
    created_at: new Date(ctx.clock()),
  });
  await ctx.db('trial_results').insert(spec.cases.map((_, at) => ({ run_id, case_no: at + 1, state: 'queued' as const })));
  return run_id;
}
