// A deployed agent's run context: what it asks of the platform, held to the contract of /run/v1 and of the
// workspace-grants.
import { describe, expect, it, onTestFinished, vi } from 'vitest';
import { mintGrant } from '../../../contract/crypto/grant-token.ts';
import { Agent } from '../authoring/agent.ts';
import {
  CallFailed,
  FileNotFound,
  GrantInvalid,
  NobodyToAsk,
  NotAvailable,
  QuestionTimeout,
  SandboxUnavailable,
  ScopeDenied,
  WorkspaceDenied,
} from '../authoring/errors.ts';
import { WorkspaceAccess } from '../authoring/policies.ts';
import { skill } from '../authoring/skill.ts';
import type { RunContext } from '../authoring/context.ts';
import { createAgentServer } from '../runtime/server.ts';
import { platformPeer, type Peer } from '../test/platform-peer.ts';
import { serve } from '../test/serve.ts';
import { controlPlane } from './control-plane.ts';
import { PlatformError } from './run-client.ts';
import { cites } from '../../../test/spec/verifies.ts';

class Deployed extends Agent {
  name = 'deployed';
  description = 'For tests.';
  version = '1.0.0';
  override workspaceAccess = WorkspaceAccess.dynamic({ allowedModes: ['read_only', 'read_write_overlay'] });
  override requiredSecrets = ['TOKEN'];
  work: (ctx: RunContext) => Promise<unknown> = async () => null;
  do = skill({ allowScopeExpansion: true }, async (ctx) => await this.work(ctx));
}

const KEY = new Uint8Array(32).fill(9);
const grantKey = Buffer.from(KEY).toString('base64url');
const mint = (id: string, more: object = {}): string =>
  mintGrant({ grantId: id, issuer: 'ada', audience: 'deployed', bucket: 'usr:1', mode: 'read_write_overlay', ...more }, KEY).token;
const LATER = '2030-01-01T00:00:00.000Z';

/** One run of `work`, with the platform of the peer. */
async function run(
  peer: Peer,
  work: (ctx: RunContext) => Promise<unknown>,
  { token = 'svc_run_t', grant, callerAnswers = false }: { token?: string | undefined; grant?: string; callerAnswers?: boolean } = {},
) {
  const agent = new Deployed();
  agent.work = work;
  const { executor, heldGrant, shutdown } = createAgentServer(agent, {
    platform: controlPlane({ url: peer.url, grantKey, agentsDomain: 'agents.test' }),
    secrets: { TOKEN: 's3cret' },
    onLog: () => {},
    drainMs: 100,
  });
  onTestFinished(() => shutdown());
  const prepared = await executor.prepare('do', {}, {});
  const events: { kind: string; payload: object }[] = [];
  const origin = { runId: 'run_1', ...(token && { runToken: token }), ...(grant && { grant: heldGrant(grant) }) };
  const handle = executor.start(prepared, { requestId: 'req_1', origin, callerAnswers, sink: (kind, payload) => void events.push({ kind, payload }) });
  const result = handle.result.finally(() => expect(peer.faults).toEqual([]));
  result.catch(() => undefined);
  return { result, events, pending: executor.pending, stop: handle.stop };
}

describe('the run context at the control plane', () => {
  it('writes artifacts with the credential of the run, and tries again when the connection is lost', async () => {
    const peer = await platformPeer();
    let breaks = 1;
    const ref = { name: 'a b.txt', uri: 'http://cp/x', mime_type: 'text/plain', size_bytes: 2 };
    peer.answers.writeArtifact = () => (breaks-- > 0 ? 'break' : { value: ref });
    expect(await (await run(peer, (ctx) => ctx.writeArtifact('a b.txt', 'hi', 'text/plain'))).result).toEqual(ref);
    expect(peer.seen).toHaveLength(2);
    expect(peer.seen[1]).toMatchObject({ params: { name: 'a b.txt' }, query: { mime_type: 'text/plain' }, body: new Uint8Array([104, 105]) });
    expect(peer.seen[1]?.headers).toMatchObject({ authorization: 'Bearer svc_run_t', 'x-request-id': 'req_1' });
  });

  it('sends again what was sent away before anything was done, whatever it is', async () => {
    const peer = await platformPeer();
    let busy = 2;
    const token = mint('grt_1');
    const grant = JSON.parse(Buffer.from(token.split('.')[0] ?? '', 'base64url').toString());
    peer.answers['grants.delegate'] = () =>
      busy-- > 0 ? { status: 429, code: 'run_busy', message: 'too much at a time' } : { value: { token: 'child.token', grant } };
    expect(await (await run(peer, (ctx) => ctx.workspace.delegate({ audience: 'other' }), { grant: token })).result).toBe('child.token');
    expect(peer.seen.map(({ route }) => route)).toEqual(['grants.delegate', 'grants.delegate', 'grants.delegate']);
  });

  it('asks: the wait is opened first, then the event, and the answer is brought by the platform', async () => {
    const peer = await platformPeer();
    peer.answers.ask = ({ body }) => ({ value: { wait_id: (body as { question_id: string }).question_id, state: 'pending', expires_at: LATER } });
    const { result, events, pending } = await run(peer, (ctx) => ctx.ask('Which?', 30));
    await vi.waitFor(() => expect(events.some(({ kind }) => kind === 'question')).toBe(true));
    const [question] = pending.open('run_1');
    expect(peer.seen[0]?.body).toEqual({ question_id: question?.id, prompt: 'Which?', timeout_seconds: 30 });
    expect(pending.answer(question?.id ?? '', 'this one', 'platform')).toBe(true);
    expect(await result).toBe('this one');
  });

  it('looks up what became of a question before it gives up: an answer whose delivery was lost counts', async () => {
    const peer = await platformPeer();
    peer.answers.ask = () => ({ value: { wait_id: 'w', state: 'pending', expires_at: LATER } });
    peer.answers.getWait = () => ({ value: { wait_id: 'w', state: 'answered', expires_at: LATER, answer: 'just in time' } });
    expect(await (await run(peer, (ctx) => ctx.ask('?', 0.05))).result).toBe('just in time');
    peer.answers.getWait = () => ({ value: { wait_id: 'w', state: 'pending', expires_at: LATER } });
    peer.answers.cancelWait = () => ({ value: { wait_id: 'w', state: 'cancelled', expires_at: LATER } });
    await expect((await run(peer, (ctx) => ctx.ask('?', 0.05))).result).rejects.toBeInstanceOf(QuestionTimeout);
    peer.answers.cancelWait = () => ({ value: { wait_id: 'w', state: 'answered', expires_at: LATER, answer: { form: true } } });
    expect(await (await run(peer, (ctx) => ctx.ask('?', 0.05))).result).toBe('{"form":true}');
  });

  it('withdraws a question of a run that is stopped', async () => {
    const peer = await platformPeer();
    peer.answers.ask = () => ({ value: { wait_id: 'w', state: 'pending', expires_at: LATER } });
    peer.answers.getWait = () => ({ value: { wait_id: 'w', state: 'pending', expires_at: LATER } });
    const { result, events, stop, pending } = await run(peer, (ctx) => ctx.ask('?'));
    await vi.waitFor(() => expect(events.some(({ kind }) => kind === 'question')).toBe(true));
    stop();
    await expect(result).rejects.toMatchObject({ code: 'cancelled_by_caller' });
    expect(pending.open()).toEqual([]);
    await vi.waitFor(() => expect(peer.seen.at(-1)?.route).toBe('cancelWait'));
  });

  it('a question that its caller answers is withdrawn at the platform; who answered there before was the first', async () => {
    const peer = await platformPeer();
    const wait = { wait_id: 'w', expires_at: LATER };
    peer.answers.ask = () => ({ value: { ...wait, state: 'pending' } });
    peer.answers.getWait = () => ({ value: { ...wait, state: 'pending' } });
    peer.answers.cancelWait = () => ({ value: { ...wait, state: 'cancelled' } });
    const asked = async () => {
      const { result, pending } = await run(peer, (ctx) => ctx.ask('Which?'), { callerAnswers: true });
      const question = await vi.waitFor(() => pending.open('run_1')[0] ?? expect.fail('not asked'));
      await vi.waitFor(() => expect(peer.seen.at(-1)?.route).toBe('ask'));
      pending.answer(question.id, 'mine');
      return await result;
    };
    expect(await asked()).toBe('mine');
    expect(peer.seen.map(({ route }) => route)).toEqual(['ask', 'getWait', 'cancelWait']);
    peer.answers.getWait = () => ({ value: { ...wait, state: 'answered', answer: 'theirs' } });
    expect(await asked()).toBe('theirs');
    peer.answers.getWait = () => ({ status: 403, code: 'run_ended', message: 'the platform does not know' });
    expect(await asked()).toBe('mine');
  });

  it('where the platform knows nobody, a caller that can answer is asked alone', async () => {
    const peer = await platformPeer();
    peer.answers.ask = () => ({ status: 403, code: 'nobody_to_ask', message: 'the caller is anonymous' });
    const { result, events, pending } = await run(peer, (ctx) => ctx.ask('Which?'), { callerAnswers: true });
    await vi.waitFor(() => expect(events.some(({ kind }) => kind === 'question')).toBe(true));
    pending.answer(pending.open('run_1')[0]?.id ?? '', 'mine');
    expect(await result).toBe('mine');
    await expect((await run(peer, (ctx) => ctx.ask('Which?', 0.05), { callerAnswers: true })).result).rejects.toBeInstanceOf(QuestionTimeout);
    const stopped = await run(peer, (ctx) => ctx.ask('Which?'), { callerAnswers: true });
    await vi.waitFor(() => expect(stopped.events.some(({ kind }) => kind === 'question')).toBe(true));
    stopped.stop();
    await expect(stopped.result).rejects.toMatchObject({ code: 'cancelled_by_caller' });
    expect(peer.seen.map(({ route }) => route)).toEqual(['ask', 'ask', 'ask']);
  });

  it('a form travels as the JSON Schema of its answer', async () => {
    const peer = await platformPeer();
    const schema = { type: 'object', properties: { city: { type: 'string' } }, required: ['city'] };
    peer.answers.ask = () => ({ value: { wait_id: 'w', state: 'answered', expires_at: LATER, answer: { city: 'Rome' } } });
    expect(await (await run(peer, (ctx) => ctx.ask('Where?', 30, { schema }))).result).toBe('{"city":"Rome"}');
    expect(peer.seen[0]?.body).toMatchObject({ prompt: 'Where?', timeout_seconds: 30, schema });
    await expect((await run(peer, (ctx) => ctx.ask('?', 30, { schema: { type: 'nonsense' } }))).result).rejects.toMatchObject({
      code: 'skill_invocation_error',
    });
  });

  it('reports that there is no user to ask', async () => {
    const peer = await platformPeer();
    peer.answers.ask = () => ({ status: 403, code: 'nobody_to_ask', message: 'the caller is anonymous' });
    await expect((await run(peer, (ctx) => ctx.ask('?'))).result).rejects.toBeInstanceOf(NobodyToAsk);
  });

  it('requests scope: approved at once, or by a person; a token that is not for this agent is not installed', async () => {
    const peer = await platformPeer();
    const held = mint('grt_1', { mode: 'read_only', allowPatterns: ['a'] });
    const wider = mint('grt_2');
    peer.answers.requestScope = ({ body }) => ({
      value: { state: 'approved', request_id: (body as { request_id: string }).request_id, grant_token: wider, files: [] },
    });
    const work = async (ctx: RunContext) => [
      (await ctx.requestScope({ reason: 'r', read: ['docs/**'], writePrefix: 'out' })).grant_id,
      ctx.workspace.grant?.grant_id,
      ctx.grant?.grant_id,
    ];
    expect(await (await run(peer, work, { grant: held })).result).toEqual(['grt_2', 'grt_2', 'grt_1']);
    expect(peer.seen[0]?.body).toEqual({
      request_id: expect.stringMatching(/^scr_/),
      grant_token: held,
      reason: 'r',
      read: ['docs/**'],
      write_prefix: 'out',
      ttl_seconds: 60,
      mode: 'read_only',
      timeout_seconds: 60,
    });
    peer.answers.requestScope = () => ({ value: { state: 'denied', request_id: 'scr_1', reason: 'another bucket', files: [] } });
    await expect((await run(peer, work)).result).rejects.toThrow(new ScopeDenied('another bucket'));
    for (const bad of [mint('g', { audience: 'other' }), 'x.y']) {
      peer.answers.requestScope = () => ({ value: { state: 'approved', request_id: 'scr_1', grant_token: bad, files: [] } });
      await expect((await run(peer, work)).result).rejects.toBeInstanceOf(GrantInvalid);
    }
    const crossing = mint('grt_3', { bucket: 'usr:2' });
    peer.answers.requestScope = () => ({ value: { state: 'approved', request_id: 'scr_1', grant_token: crossing, files: [] } });
    await expect((await run(peer, work, { grant: held })).result).rejects.toBeInstanceOf(GrantInvalid);
    peer.answers.requestScope = () => ({ value: { state: 'pending', request_id: 'scr_1', expires_at: LATER, files: [] } });
    const waiting = await run(peer, work, { grant: held });
    await vi.waitFor(() => expect(waiting.events.some(({ kind }) => kind === 'scope_request')).toBe(true));
    waiting.pending.resolveScope(waiting.pending.open()[0]?.id ?? '', { token: wider });
    expect(await waiting.result).toEqual(['grt_2', 'grt_2', 'grt_1']);
  });

  it('uses the workspace under the grant, in the header svc-grant', async () => {
    const peer = await platformPeer();
    const token = mint('grt_1');
    const patch = { patch_id: 'pat_1', path: 'out/ä b.md', operation: 'write', size_bytes: 1, sha256: 'x', state: 'staged', reason: null };
    const match = { path: 'a.md', file_type: 'text', score: 1, summary: null, size_bytes: 3 };
    peer.answers = {
      searchFiles: () => ({ value: [match] }),
      openView: () => ({ value: { state: 'approved', request_id: 'scr_1', grant_token: token, files: [match] } }),
      requestAccess: () => ({ value: { state: 'approved', request_id: 'scr_1', grant_token: token, files: [] } }),
      listGrants: () => ({ value: [] }),
      listPatches: () => ({ value: [patch] }),
      'grants.delegate': () => ({ value: { grant: JSON.parse(Buffer.from(token.split('.')[0] ?? '', 'base64url').toString()), token: 'child.token' } }),
      'grants.read': () => ({ value: new Uint8Array([1, 2]) }),
      'grants.write': () => ({ value: patch }),
      'grants.remove': () => ({ status: 404, code: 'file_not_found', message: 'no' }),
    };
    const { result } = await run(peer, async (ctx) => {
      const found = await ctx.workspace.search('x', { types: ['text'] });
      const view = await ctx.workspace.openView({ purpose: 'p', hints: ['h'], fileTypes: ['text'], maxFiles: 99 });
      await ctx.workspace.requestAccess(['a.md'], { mode: 'read_only', reason: 'r' });
      const written = await view.write('out/ä b.md', 'x');
      await expect(view.delete('none.md')).rejects.toBeInstanceOf(FileNotFound);
      await expect(view.read('a/../../v1/me')).rejects.toThrow(/no path/);
      return [
        found,
        view.files,
        [...(await view.read('a.md'))],
        written.patchId,
        (await view.patches()).length,
        await ctx.workspace.delegate({ audience: 'other' }),
      ];
    });
    const camel = { path: 'a.md', fileType: 'text', score: 1, summary: null, sizeBytes: 3 };
    expect(await result).toEqual([[camel], [camel], [1, 2], 'pat_1', 1, 'child.token']);
    expect(peer.seen.find(({ route }) => route === 'openView')?.body).toMatchObject({ purpose: 'p', reason: 'p', max_files: 25, mode: 'read_only' });
    for (const { headers } of peer.seen.filter(({ route }) => route.startsWith('grants.'))) expect(headers['svc-grant']).toBe(token);
    expect(peer.seen.find(({ route }) => route === 'grants.write')?.params).toEqual({ path: 'out/ä b.md' });
    expect(peer.seen.find(({ route }) => route === 'grants.delegate')?.body).toMatchObject({ audience: 'other', ttl_seconds: 300, mode: 'read_only' });
  });

  it('tells apart what the platform refuses', async () => {
    const peer = await platformPeer();
    const grant = mint('grt_1');
    const refusals = [
      [403, 'grant_invalid', GrantInvalid],
      [403, 'grant_does_not_allow', WorkspaceDenied],
      [404, 'not_found', FileNotFound],
      [409, 'too_much', PlatformError],
    ] as const;
    for (const [status, code, error] of refusals) {
      peer.answers['grants.read'] = () => ({ status, code, message: 'no' });
      await expect((await run(peer, async (ctx) => (await ctx.workspace.view()).read('a'), { grant })).result).rejects.toBeInstanceOf(error);
    }
    peer.answers.createSandbox = () => ({ status: 503, code: 'sandbox_unavailable', message: 'none' });
    await expect((await run(peer, (ctx) => ctx.sandbox.create({ name: 'x' }))).result).rejects.toBeInstanceOf(SandboxUnavailable);
    await expect((await run(peer, (ctx) => ctx.ask('?'), { token: '' })).result).rejects.toBeInstanceOf(NotAvailable);
  });

  it('finds agents with every criterion, and says when there is none', async () => {
    const peer = await platformPeer();
    peer.answers.findAgents = () => ({ value: [] });
    peer.answers.getAgent = () => ({ status: 404, code: 'not_found', message: 'no' });
    const { result } = await run(peer, async (ctx) => {
      await expect(ctx.getAgent('none')).rejects.toMatchObject({ calleeCode: 'agent_not_found' });
      return await ctx.findAgents({ tags: ['a', 'b'], capability: 'c', skill: 's' });
    });
    expect(await result).toEqual([]);
    expect(peer.seen[1]?.query).toEqual({ tags: 'a,b', capability: 'c', skill: 's', limit: 10 });
  });

  it('drives sandboxes, with secrets by value from the agent and every default of the specification', cites('sandbox.spec'), async () => {
    const peer = await platformPeer();
    const made = { name: 'box', image: 'python:3.11-slim', state: 'running', labels: {} };
    const output = { stdout: 'o', stderr: '', exit_code: 3, truncated: true, timed_out: false };
    peer.answers = {
      createSandbox: () => ({ value: made }),
      getSandbox: () => ({ value: made }),
      listSandboxes: () => ({ value: [made] }),
      execInSandbox: () => ({ value: output }),
      shellInSandbox: () => ({ value: output }),
      sandboxLogs: () => ({ value: { text: 'log' } }),
      stopSandbox: () => ({ value: made }),
      killSandbox: () => ({ value: made }),
      removeSandbox: () => ({ value: undefined }),
      runOnce: () => ({ value: output }),
    };
    const { result } = await run(peer, async ({ sandbox }) => {
      const box = await sandbox.create({ name: 'box', secrets: ['TOKEN'], egress: ['example.com'] });
      await (await sandbox.get('box')).stop();
      await box.kill();
      await sandbox.remove('box');
      const once = [await sandbox.runPython('1'), await sandbox.runShell('true', { image: 'debian:bookworm-slim' })];
      return [
        await box.exec('ls', ['-l'], { timeoutSeconds: 5 }),
        (await box.shell('true')).exitCode,
        await box.logs({ tail: 3 }),
        await sandbox.list(),
        once.length,
      ];
    });
    expect(await result).toEqual([{ stdout: 'o', stderr: '', exitCode: 3, truncated: true, timedOut: false }, 3, 'log', ['box'], 2]);
    expect(peer.seen[0]?.body).toEqual({
      name: 'box',
      image: 'python:3.11-slim',
      memory_mib: 512,
      cpus: 1,
      workspace: null,
      secrets: { TOKEN: 's3cret' },
      egress: ['example.com'],
      labels: {},
    });
  });

  it("calls agents with the run's credential, and never sends it outside the platform", async () => {
    const peer = await platformPeer();
    const shown: (string | undefined)[] = [];
    class Callee extends Agent {
      name = 'callee';
      description = 'For tests.';
      version = '1.0.0';
      override authResolver = { resolve: ({ bearer }: { bearer: string | undefined }) => (shown.push(bearer), {}) };
      hi = skill({}, async () => 'hi');
    }
    const callee = await serve(Callee);
    const { result } = await run(peer, async (ctx) => (await ctx.call(callee.url, 'hi', {})).result);
    expect(await result).toBe('hi');
    expect(shown).toEqual([undefined]);
    await expect(
      (await run(peer, (ctx) => ctx.call('http://greeter.agents.test.evil.example', 'hi', {}, { timeoutSeconds: 5 }))).result,
    ).rejects.toBeInstanceOf(CallFailed);
  });
});
