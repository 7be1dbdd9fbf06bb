// A called agent that says it waits for a person, and does not: its caller's time passes. Only a wait that
// the platform knows of stops it.
import { createServer } from 'node:http';
import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, expect, onTestFinished, test } from 'vitest';
import { HEADER } from '#contract/wire/headers.ts';
import { mintRunCredential } from '#core/runs/run/credential.ts';
import { askPerson, cancelWait } from '#core/pauses/wait/ask.ts';
import { controlPlane } from '#sdk/typescript/platform/control-plane.ts';
import { createWorld, type World } from '#test/api/world.ts';
import { type LiveAgent, liveAgent, runOf, type TestRun } from '#test/support/runs.ts';
import { addUser } from '#test/support/verbs.ts';

let world: World;
let [planner, hostile] = [{} as LiveAgent, {} as LiveAgent];
let userId = '';
beforeAll(async () => {
  world = await createWorld();
  userId = await addUser(world.ctx.db);
  planner = await liveAgent(world.ctx, userId);
  hostile = await liveAgent(world.ctx, userId);
});
afterAll(() => world.close());

const event = (kind: string, payload: object): string => `event: ${kind}\ndata: ${JSON.stringify({ kind, payload })}\n\n`;
const waits = (state: string): string => event('status', { state, run_id: 'run_1', skill: 'work' });

/** An agent's host that answers as run `called`, says what `says` gives, and never ends. */
async function agentHost(called: string, says: (send: (text: string) => void) => void): Promise<string> {
  const server = createServer((_request, response) => {
    response.writeHead(200, { 'content-type': 'text/event-stream', [HEADER.runId]: called });
    says((text) => void response.write(text));
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  onTestFinished(() => void server.close().closeAllConnections());
  const address = server.address();
  return `127.0.0.1:${typeof address === 'object' && address ? address.port : 0}`;
}

/** The planner's call of it, by the SDK, with what it heard of waits. */
async function callOf(run: TestRun, host: string, timeoutSeconds: number): Promise<{ ended: Promise<unknown>; heard: boolean[] }> {
  const token = await mintRunCredential(world.ctx.drivers.vault, run.actor, Date.now() + 60_000);
  const identity = {
    runId: run.actor.run_id,
    requestId: 'req_1',
    agent: planner.name,
    skill: 'work',
    signal: new AbortController().signal,
    token,
  };
  // Under the agents' domain, as the ingress is: else the client shows no credential, and hears nothing.
  const platform = controlPlane({ url: world.url, agentsDomain: host.replace(/^[^.]*\./, '') });
  // Safe: of a run, calls use what is here.
  const services = platform.attach(identity as unknown as Parameters<typeof platform.attach>[0]);
  const heard: boolean[] = [];
  const call = services.call(`http://${host}`, 'work', {}, { timeoutSeconds, onWait: (now) => heard.push(now) });
  return { ended: call.catch((error: unknown) => error), heard };
}

/** Run `run` calls the hostile agent. */
const callee = (run: TestRun): TestRun =>
  runOf(world.ctx, hostile, userId, { parent_run_id: run.actor.run_id, chain: [...run.actor.chain, `${hostile.name}/work`] });
const question = () => ({ question_id: `qst_${randomUUID()}`, prompt: 'Which?', timeout_seconds: 600 });

test.each([
  ['nobody is asked', async () => undefined],
  ['a question is open in another run of it', async () => void (await askPerson(callee(runOf(world.ctx, planner, userId)), question()))],
])('a run that says it waits does not hold its caller: %s', async (_, before) => {
  await before();
  const run = runOf(world.ctx, planner, userId);
  const host = await agentHost(callee(run).actor.run_id, (send) => send(waits('waiting')));
  const { ended, heard } = await callOf(run, host, 1);
  expect(await ended).toMatchObject({ calleeCode: 'call_timeout' });
  expect(heard).toEqual([]);
});

test("nor does one that names another run's question as its own", async () => {
  const other = callee(runOf(world.ctx, planner, userId));
  await askPerson(other, question());
  const host = await agentHost(other.actor.run_id, (send) => send(waits('waiting')));
  const { ended } = await callOf(runOf(world.ctx, planner, userId), host, 1);
  expect(await ended).toMatchObject({ calleeCode: 'call_timeout' });
});

test('while the platform knows of its question the time stands; from its end on it passes, whatever the agent says', async () => {
  const run = runOf(world.ctx, planner, userId);
  const child = callee(run);
  const asked = question();
  await askPerson(child, asked);
  const host = await agentHost(child.actor.run_id, (send) => send(waits('waiting')));
  const { ended, heard } = await callOf(run, host, 1);
  await expect.poll(() => heard).toEqual([true]);
  await cancelWait(child, { wait_id: asked.question_id });
  expect(await ended).toMatchObject({ calleeCode: 'call_timeout' });
  expect(heard).toEqual([true, false]);
});
