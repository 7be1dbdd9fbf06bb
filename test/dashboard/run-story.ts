// Runs of Ada's as they are after some work: one that ended, with a wait of a day, a run below it, models,
// tools, a file and a receipt; one that waits for all kinds of decisions; one with ten thousand events.
import { randomUUID } from 'node:crypto';
import { Readable } from 'node:stream';
import { canonicalSha256 } from '#contract/crypto/sha256.ts';
import { spanOf } from '#drivers/traces/conformance.ts';
import { appendReceipt } from '#core/evidence/receipt/sign.ts';
import { appendEvents } from '#core/jobs/append-event.ts';
import { createJob } from '#core/jobs/create.ts';
import { transitionJob } from '#core/jobs/transition.ts';
import { newId } from '#core/kernel/ids.ts';
import { spanIdOf } from '#core/kernel/trace.ts';
import { inTx } from '#core/kernel/tx.ts';
import { writeArtifact } from '#core/runs/artifact/write.ts';
import { workflowOfRun } from '#core/jobs/of-run.ts';
import { mintGrant } from '#core/workspace/grant/mint.ts';
import { facts, userActor } from '../support/verbs.ts';
import { runOf } from '../support/runs.ts';
import type { World } from '../api/world.ts';

const DAY = 86_400_000;

export interface RunStory {
  ended: string;
  waiting: string;
  waitingJob: string;
  long: string;
  receipt: string;
}

export async function addRunStory(world: World): Promise<RunStory> {
  const { ctx, records } = world;
  const agent = await ctx
    .db('agents')
    .where({ name: records['name'] ?? '' })
    .first();
  const deployId = agent?.live_deploy_id ?? '';
  if (!agent) throw new Error('the world has no agent');
  const of = { id: agent.agent_id, name: agent.name, ownerId: agent.owner_id, deployId };
  const user = { ...ctx, actor: userActor(agent.owner_id) };
  const began = Date.now() - 2 * DAY;
  const at = (ms: number): Date => new Date(began + ms);

  async function addRun(more: {
    args?: object;
    state?: 'running' | 'waiting' | 'succeeded';
    grant_id?: string;
    parent_run_id?: string;
    started_at?: Date;
    ended_at?: Date;
  }) {
    const run = runOf(ctx, of, agent?.owner_id ?? '', { skill: 'greet' });
    const { run_id } = run.actor;
    const input = { run_id, agent: of.name, skill: 'greet' };
    const job = { kind: 'run', title: `${of.name}.greet`, ownerId: of.ownerId, agent: of, workflowId: workflowOfRun(run_id), input };
    const job_id = await inTx(user, (ctx) => createJob(ctx, job));
    const { args = {}, ...rest } = more;
    const row = {
      run_id,
      agent_id: of.id,
      agent_name: of.name,
      deploy_id: deployId,
      skill: 'greet',
      user_id: of.ownerId,
      caller_kind: 'user',
      job_id,
      kind: 'started' as const,
    };
    await ctx.db('runs').insert({ ...row, started_at: new Date(), state: 'running', args: JSON.stringify(args), input_sha256: canonicalSha256(args), ...rest });
    await transitionJob(ctx.db, job_id, { from: ['queued'], to: 'running' });
    if (more.started_at) await ctx.db('jobs').where({ job_id }).update({ created_at: more.started_at, started_at: more.started_at });
    return { run_id, job_id, run };
  }
  const wait = (run_id: string, row: object) =>
    ctx.db('waits').insert({
      wait_id: `qst_${randomUUID()}`, kind: 'question', run_id, asked_of: of.ownerId, agent_id: of.id, agent_name: of.name, skill: 'greet',
      prompt: 'Which greeting do you like best?', request: '{}', expires_at: new Date(Date.now() + 3_600_000), ...row,
    }); // prettier-ignore
  const use = (run_id: string, from: number, to: number, row: object) =>
    ctx.db('llm_usage').insert({
      usage_id: newId('llu'), user_id: of.ownerId, credential_id: 'llc_1', credential: 'main', provider: 'openai', model: 'gpt-5-mini', purpose: 'chat', run_id,
      day: '2026-11-25', state: 'ok', started_at: at(from), ended_at: at(to), ...row,
    }); // prettier-ignore

  const { grant } = await inTx(user, (ctx) =>
    mintGrant(ctx, {
      userId: of.ownerId,
      audience: of.name,
      allow: ['notes/**'],
      deny: ['notes/private/**'],
      mode: 'read_only',
      outputsPrefix: null,
      ttlSeconds: 3600,
    }),
  );
  const args = { name: 'Ada' };
  const result = { text: 'Hello Ada', words: 2 };
  const ended = await addRun({ args, grant_id: grant.grant_id, started_at: at(0) });
  const below = await addRun({ args: { name: 'below' }, parent_run_id: ended.run_id, state: 'succeeded', started_at: at(2_500), ended_at: at(5_200) });
  await wait(ended.run_id, { state: 'answered', created_at: at(6_000), resolved_at: at(DAY + 6_000) });
  await use(ended.run_id, 300, 2_100, { input_tokens: 1_204, output_tokens: 381, cost_micros: 4_310 });
  await use(below.run_id, 2_700, 4_900, { input_tokens: 310, output_tokens: 92, cost_micros: 820 });
  const ns = (ms: number): string => `${at(ms).getTime()}000000`;
  const said = (id: string, name: string, from: number, to: number, more: Partial<Parameters<typeof spanOf>[0]> = {}) =>
    spanOf({
      run_id: ended.run_id,
      span_id: id.repeat(16),
      parent_id: spanIdOf(ended.run_id),
      agent_name: of.name,
      owner_id: of.ownerId,
      name,
      start_ns: ns(from),
      end_ns: ns(to),
      ...more,
    });
  ctx.drivers.traces.add([
    said('a', 'read the dictionary', 5_300, 5_900),
    said('b', 'a name of a span that is so long that nobody would ever read all of it, and that must not move anything on the page', 5_350, 5_600, {
      parent_id: 'a'.repeat(16),
      status: 'error',
      message: 'the dictionary has no page 12',
    }),
    said('c', 'write it down', DAY + 6_400, DAY + 8_700, { attributes: { 'gen_ai.tool.name': 'write_file' } }),
  ]);
  await ctx.drivers.traces.flush();
  await writeArtifact(ended.run, { name: 'greeting.md', mime_type: 'text/markdown', body: Readable.from(['# Hello Ada\n\nA *greeting*.\n']) });
  await appendEvents(ctx.db, ended.job_id, [
    { kind: 'run.progress', payload: { message: 'Reads the dictionary', progress: 1, total: 3 } },
    { kind: 'run.tool', payload: { call_id: '1', name: 'dictionary', phase: 'finished', summary: '3 words' } },
    { kind: 'run.text_delta', payload: { text: 'Hello ' } },
    { kind: 'run.text_delta', payload: { text: 'مرحبا بالعالم' } },
    { kind: 'run.error', payload: { message: 'the dictionary has no page 12', code: null } },
    { kind: 'run.artifact', payload: { name: 'greeting.md', uri: 'x', mime_type: 'text/markdown', size_bytes: 28 } },
  ]);
  const seal = (more: object) =>
    inTx(ctx, (ctx) =>
      appendReceipt(
        ctx,
        facts(of, {
          skill: 'greet',
          caller: { kind: 'user', id: of.ownerId, userId: of.ownerId },
          inputSha256: canonicalSha256(args),
          outputSha256: canonicalSha256(result),
          ...more,
        }),
      ),
    );
  await seal({});
  const receipt = await seal({ runId: ended.run_id, jobId: ended.job_id });
  await ctx
    .db('runs')
    .where({ run_id: ended.run_id })
    .update({ state: 'succeeded', ended_at: at(DAY + 9_000), receipt_id: receipt.receipt_id });
  await transitionJob(ctx.db, ended.job_id, { from: ['running'], to: 'succeeded', output: { result, receipt_id: receipt.receipt_id } });
  await transitionJob(ctx.db, below.job_id, { from: ['running'], to: 'succeeded', output: { result: 'done' } });

  await ctx
    .db('jobs')
    .where({ job_id: ended.job_id })
    .update({ ended_at: at(DAY + 9_000) });

  const waiting = await addRun({ args: { name: 'Ada' }, state: 'waiting', started_at: new Date(Date.now() - 60_000) });
  await wait(waiting.run_id, { request: JSON.stringify({ schema: { enum: ['Good morning', 'Hello', 'Hi'] } }) });
  await wait(waiting.run_id, { prompt: 'What shall I say after it?', expires_at: new Date(Date.now() + 7_200_000) });
  const schema = {
    type: 'object',
    properties: { city: { type: 'string', title: 'City' }, guests: { type: 'integer', title: 'Guests', minimum: 1 } },
    required: ['city'],
  };
  await wait(waiting.run_id, {
    wait_id: `inr_${randomUUID()}`,
    kind: 'input_request',
    prompt: 'Where is the party?',
    request: JSON.stringify({ schema }),
    expires_at: new Date(Date.now() + DAY),
  });
  const preview = JSON.stringify({ to: 'ada@example.test', subject: 'An invitation' }, null, 2);
  const handoff = {
    agent: 'postman',
    skill: 'send',
    input_sha256: canonicalSha256({ to: 'ada@example.test', subject: 'An invitation' }),
    preview,
    grant_id: null,
    foreign: true,
  };
  await wait(waiting.run_id, {
    wait_id: `hof_${randomUUID()}`,
    kind: 'handoff_approval',
    prompt: `${of.name} wants to call @postman.send`,
    request: JSON.stringify(handoff),
    expires_at: new Date(Date.now() + 2 * DAY),
  });
  const scope = {
    bucket: 'b', grant_id: null, old: { allow_patterns: ['notes/**'], mode: 'read_only', outputs_prefix: null }, read: ['reports/2026/**'], write_prefix: 'out', mode: 'read_write_overlay',
    ttl_seconds: 900, deny_patterns: [], reason: 'to sum the year up', files: [],
  }; // prettier-ignore
  await wait(waiting.run_id, {
    wait_id: `scr_${randomUUID()}`,
    kind: 'scope_request',
    prompt: `${of.name} (greet) asks to read reports/2026/** and to write below out, for 900 s.`,
    request: JSON.stringify(scope),
    expires_at: new Date(Date.now() + 3 * DAY),
  });
  await transitionJob(ctx.db, waiting.job_id, { from: ['running'], to: 'waiting' });

  const long = await addRun({});
  for (let from = 0; from < 10_000; from += 2_000)
    await appendEvents(
      ctx.db,
      long.job_id,
      Array.from({ length: 2_000 }, (_, n) => ({ kind: n % 10 === 0 ? 'run.tick' : 'run.progress', payload: { message: `Step ${from + n + 1}` } })),
    );
  return { ended: ended.run_id, waiting: waiting.run_id, waitingJob: waiting.job_id, long: long.run_id, receipt: receipt.receipt_id };
}

/** As records of the world, for `pagePaths`. */
export async function addRunRecords(world: World): Promise<void> {
  const { ended, waiting, waitingJob, long, receipt } = await addRunStory(world);
  Object.assign(world.records, { 'run.ended': ended, 'run.waiting': waiting, 'job.waiting': waitingJob, 'run.long': long, 'receipt.of_run': receipt });
}
