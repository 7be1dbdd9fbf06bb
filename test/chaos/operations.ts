// What people do during a trial. Each operation says what it was promised, so that it can be checked from
// outside when all is over.
import { randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { openWaits } from '#cli/runs/waiting.ts';
import { ApiError } from '#contract/client.ts';
import type { Chance } from './random.ts';
import { follow, until, type Event } from './persistent.ts';
import { databased } from './databases.ts';
import { evolved, rehearsed, reviewed, simulated } from './studio.ts';
import { exported } from './exports.ts';
import { made } from './made-agents.ts';
import { paid } from './money.ts';
import { teamed, tried } from './rooms-and-teams.ts';
import { domain, healed, imported, mailed, proved, pushed } from './ways-in.ts';
import { AGENTS, type World } from './world.ts';

export const OPERATIONS = [
  'question',
  'race',
  'steps',
  'scope',
  'relay',
  'relayed-question',
  'plain',
  'held-question',
  'schedule',
  'cancel',
  'domain',
  'import',
  'push',
  'heal',
  'mail',
  'stream',
  'proof',
  'database',
  'review',
  'rehearsal',
  'simulation',
  'evolution',
  'export',
  'trial-room',
  'team',
  'studio',
  'money',
] as const;
export type OperationKind = (typeof OPERATIONS)[number];

export interface Operation {
  kind: OperationKind;
  /** Names it in the agents' marks. */
  token: string;
  agent: string;
  began: number;
}

export interface Outcome extends Operation {
  ended: number;
  runId?: string;
  /** How the platform says it ended. */
  state: string;
  error?: string;
  /** What is wrong in itself, whatever was killed. */
  faults: string[];
  reconnects: number;
}

interface Around {
  world: World;
  scheduleId: string;
  say(text: string): void;
}

export function plan(n: number, kind: OperationKind, chance: Chance): Omit<Operation, 'began'> {
  return { kind, token: `op${n}-${chance.between(0, 1_000_000_000).toString(36)}`, agent: chance.pick(AGENTS) };
}

export async function perform(around: Around, operation: Operation, chance: Chance): Promise<Outcome> {
  const outcome: Outcome = { ...operation, ended: 0, state: 'unknown', faults: [], reconnects: 0 };
  try {
    await carryOut(around, outcome, chance);
  } catch (error) {
    outcome.faults.push(error instanceof Error ? error.message : String(error));
  }
  outcome.ended = Date.now();
  return outcome;
}

async function carryOut(around: Around, outcome: Outcome, chance: Chance): Promise<void> {
  const { world } = around;
  const { kind, token, agent } = outcome;
  const marks = world.marks;
  const other = AGENTS.find((name) => name !== agent) ?? agent;
  switch (kind) {
    case 'question':
      return durable(around, outcome, 'ask', { token, marks }, (event) => answerOnce(around, outcome, event, chance.between(0, 8_000)));
    case 'race':
      return durable(around, outcome, 'ask', { token, marks }, (event) => raceAnswers(around, outcome, event));
    case 'held-question':
      return held(around, outcome, chance);
    case 'steps':
      return durable(around, outcome, 'steps', { token, marks, count: chance.between(5, 40), delay: chance.between(20, 200) });
    case 'scope':
      return durable(around, outcome, 'scope', { token, marks }, (event) => decide(around, event, chance.number() < 0.5 ? 'approve' : 'deny'));
    case 'relay':
      return durable(around, outcome, 'relay', { token, marks, to: other, count: chance.between(3, 20) });
    case 'relayed-question':
      return durable(around, outcome, 'relay', { token, marks, to: other, count: 0 }, (event) => answerOnce(around, outcome, event, chance.between(0, 2_000)));
    case 'stream':
      return durable(around, outcome, 'model', { token, marks });
    case 'plain':
      return plain(around, outcome);
    case 'schedule':
      return scheduled(around, outcome);
    case 'cancel':
      return cancelled(around, outcome, chance);
    case 'domain':
      return domain(world, outcome, chance);
    case 'import':
      return imported(world, outcome);
    case 'push':
      return pushed(world, outcome);
    case 'heal':
      return healed(world, outcome);
    case 'mail':
      return mailed(world, outcome);
    case 'proof':
      return proved(world, outcome, chance);
    case 'database':
      return databased(world, outcome, chance);
    case 'review':
      return reviewed(world, outcome, chance);
    case 'rehearsal':
      return rehearsed(world, outcome, chance);
    case 'simulation':
      return simulated(world, outcome, chance);
    case 'evolution':
      return evolved(world, outcome, chance);
    case 'export':
      return exported(world, outcome);
    case 'trial-room':
      return tried(world, outcome, chance);
    case 'team':
      return teamed(world, outcome, chance);
    case 'studio':
      return made(world, outcome, chance);
    case 'money':
      return paid(world, outcome, chance);
  }
}

type OnWait = (event: Event) => Promise<void>;

/**
 * Starts a run under a key, follows it to its end, does what it asks for, and compares what was promised with
 * what came.
 */
async function durable(around: Around, outcome: Outcome, skill: string, args: Record<string, unknown>, onWait: OnWait = async () => undefined): Promise<void> {
  const { api } = around.world;
  const start = () => api.agents.startRun({ params: { name: outcome.agent, skill_name: skill }, headers: { 'idempotency-key': outcome.token }, body: args });
  const started = await until('start', start);
  await finish(around, outcome, started.run_id, onWait);
  const again = await until('start again', start);
  if (again.run_id !== started.run_id) outcome.faults.push(`the same key began a second run: ${started.run_id}, ${again.run_id}`);
}

async function finish({ world }: Around, outcome: Outcome, runId: string, onWait: OnWait): Promise<void> {
  outcome.runId = runId;
  const answering: Promise<void>[] = [];
  const url = `${world.i.baseUrl}/v1/agents/${outcome.agent}/api/runs/${runId}`;
  const seen = (event: Event): void => {
    if (event.kind === 'wait.opened')
      answering.push(onWait(event).catch((error: unknown) => void outcome.faults.push(`answer: ${error instanceof Error ? error.message : String(error)}`)));
  };
  const { events, reconnects } = await follow(url, world.token, seen, isEnd);
  outcome.reconnects = reconnects;
  await Promise.all(answering);
  const seqs = events.map(({ seq }) => seq);
  if (seqs.some((seq, n) => seq !== n + 1)) outcome.faults.push(`events out of order: ${seqs.join(' ')}`);
  const ends = events.filter(isEnd);
  if (ends.length !== 1) outcome.faults.push(`ended ${ends.length} times`);
  const run = await until('look', () => world.api.agents.run({ params: { name: outcome.agent, run_id: runId } }).then(jsonOf));
  outcome.state = String(run['state']);
  if (`job.${outcome.state}` !== ends[0]?.kind) outcome.faults.push(`the run says ${outcome.state}, its last event ${ends[0]?.kind}`);
  const deltas = events.flatMap(({ kind, payload }) => (kind === 'run.text_delta' ? [JSON.stringify(payload)] : []));
  if (new Set(deltas).size !== deltas.length) outcome.faults.push('a text was sent twice');
  const error = run['error'];
  if (typeof error === 'object' && error !== null && 'code' in error)
    outcome.error = `${String(error.code)}: ${'message' in error ? String(error.message).slice(0, 200) : ''}`;
  if (outcome.state === 'succeeded' && run['receipt_id'] === null) outcome.faults.push('no receipt');
  outcomeResult.set(outcome, run['result']);
}

/** What runs came to, for those who answered. */
const outcomeResult = new WeakMap<Outcome, unknown>();

function isEnd({ kind }: Event): boolean {
  return kind === 'job.succeeded' || kind === 'job.failed' || kind === 'job.cancelled';
}

async function jsonOf(response: Response): Promise<Record<string, unknown>> {
  const value: unknown = await response.json();
  return typeof value === 'object' && value !== null ? { ...value } : {};
}

interface Sent {
  answer: string;
  /** 200: accepted; 409, 410: refused; 0: not known. */
  status: number;
}
const sentBy = new WeakMap<Outcome, Sent[]>();

/** Sends one answer until it is known to be taken or refused. */
async function send({ world }: Around, outcome: Outcome, questionId: string, answer: string): Promise<void> {
  const request = randomUUID();
  const sent: Sent = { answer, status: 0 };
  sentBy.set(outcome, [...(sentBy.get(outcome) ?? []), sent]);
  try {
    await until('answer', () =>
      world.api.chat.answerQuestion({ params: { question_id: questionId }, body: { answer } }, { headers: { 'x-request-id': request } }),
    );
    sent.status = 200;
  } catch (error) {
    if (!(error instanceof ApiError)) throw error;
    sent.status = error.status;
    if (error.status !== 409 && error.status !== 410) throw error;
  }
}

async function answerOnce(around: Around, outcome: Outcome, event: Event, afterMs: number): Promise<void> {
  await sleep(afterMs);
  await send(around, outcome, String(event.payload['wait_id']), `for ${outcome.token}`);
}

async function raceAnswers(around: Around, outcome: Outcome, event: Event): Promise<void> {
  await Promise.all(['red', 'green', 'blue'].map((colour) => send(around, outcome, String(event.payload['wait_id']), `${colour} for ${outcome.token}`)));
}

async function decide({ world }: Around, event: Event, decision: 'approve' | 'deny'): Promise<void> {
  const request = randomUUID();
  const approval_id = String(event.payload['wait_id']);
  await until('decide', () =>
    world.api.chat.decideScope({ params: { approval_id }, body: { decision, reason: 'by chance' } }, { headers: { 'x-request-id': request } }),
  ).catch((error: unknown) => {
    if (!(error instanceof ApiError) || error.status !== 410) throw error;
  });
}

/**
 * A plain call that meets a question: 202, and from then on like any durable run. The call itself is not sent
 * twice.
 */
async function held(around: Around, outcome: Outcome, chance: Chance): Promise<void> {
  const { world } = around;
  const response = await world.api.agents
    .invoke({ params: { name: outcome.agent, skill_name: 'ask' }, body: { token: outcome.token, marks: world.marks } }, { signal: AbortSignal.timeout(60_000) })
    .catch(() => undefined);
  if (response?.status !== 202) return void (outcome.state = response === undefined ? 'not accepted' : `answered ${response.status}`);
  const run = await jsonOf(response);
  await finish(around, outcome, String(run['run_id']), async (event) => answerOnce(around, outcome, event, chance.between(0, 1_000)));
}

/**
 * Where its caller was told nothing, or only of trouble, a run may wait all the same: they find it among what
 * waits for them, and answer it.
 */
export async function takeUp(around: Around, outcome: Outcome): Promise<void> {
  if (outcome.kind !== 'held-question' || outcome.runId !== undefined) return;
  const waits = await until('look for it', () => openWaits(around.world.inbox));
  const mine = waits.find(({ prompt }) => prompt.includes(outcome.token));
  if (!mine || mine.run_id === null) return;
  await finish(around, outcome, mine.run_id, async (event) => answerOnce(around, outcome, event, 0));
  outcome.ended = Date.now();
}

export function plainArgs({ marks }: World, { token }: Outcome): { token: string; marks: string; count: number; delay: number } {
  return { token, marks, count: 4, delay: 100 };
}

async function plain({ world }: Around, outcome: Outcome): Promise<void> {
  const response = await world.api.agents
    .invoke({ params: { name: outcome.agent, skill_name: 'steps' }, body: plainArgs(world, outcome) }, { signal: AbortSignal.timeout(60_000) })
    .catch(() => undefined);
  const text = await response?.text().catch(() => undefined);
  outcome.state = text?.includes('event: receipt') === true ? 'succeeded' : 'not accepted';
}

async function scheduled(around: Around, outcome: Outcome): Promise<void> {
  const { api } = around.world;
  // Not repeated: without a key of its own a second request would be a second run, and rightly.
  const fired = await api.schedules.run({ params: { schedule_id: around.scheduleId } }).catch(() => undefined);
  outcome.state = fired === undefined ? 'not accepted' : 'accepted';
}

async function cancelled(around: Around, outcome: Outcome, chance: Chance): Promise<void> {
  const { world } = around;
  const afterMs = chance.between(0, 2_000);
  await durable(around, outcome, 'ask', { token: outcome.token, marks: world.marks }, async () => {
    await sleep(afterMs);
    const run = await until('look', () => world.api.agents.run({ params: { name: outcome.agent, run_id: outcome.runId ?? '' } }).then(jsonOf));
    await until('cancel', () => world.api.workLedger.cancel({ params: { job_id: String(run['job_id']) } })).catch((error: unknown) => {
      if (!(error instanceof ApiError) || error.status !== 409) throw error;
    });
  });
}

/** What its answers promise; called when the operation has ended. */
export function answerFaults(outcome: Outcome): string[] {
  const sent = sentBy.get(outcome) ?? [];
  const taken = sent.filter(({ status }) => status === 200);
  const faults = taken.length > 1 ? [`${taken.length} answers were accepted`] : [];
  const result = JSON.stringify(outcomeResult.get(outcome) ?? null);
  const [winner] = taken;
  if (outcome.state === 'succeeded' && winner && !result.includes(winner.answer)) faults.push(`"${winner.answer}" was accepted, the skill got ${result}`);
  return faults;
}
