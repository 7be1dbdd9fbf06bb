// The local platform: workspaces under real grants, artifacts, other agents in memory; and calls over HTTP.
import { mkdtemp, mkdir, readFile, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it, onTestFinished, vi } from 'vitest';
import { z } from 'zod';
import { Agent } from '../authoring/agent.ts';
import { CallFailed, FileNotFound, GrantInvalid, SandboxUnavailable, ScopeDenied, SvcError, WorkspaceDenied } from '../authoring/errors.ts';
import { WorkspaceAccess } from '../authoring/policies.ts';
import { skill } from '../authoring/skill.ts';
import type { RunContext } from '../authoring/context.ts';
import { serve } from '../test/serve.ts';
import { testAgent } from '../testing.ts';
import { A2AClient } from './a2a-client.ts';
import { InMemoryA2AClient } from './in-memory.ts';
import { localPlatform } from './local.ts';
import { cites } from '../../../test/spec/verifies.ts';

/** Runs what a test gives it, as a skill. */
class Doer extends Agent {
  name = 'doer';
  description = 'For tests.';
  version = '1.0.0';
  override workspaceAccess = WorkspaceAccess.dynamic({ maxFiles: 3, allowedModes: ['read_only', 'read_write_overlay'], denyPatterns: ['private/**'] });
  work: (ctx: RunContext) => Promise<unknown> = async () => null;
  do = skill({ allowScopeExpansion: true, stream: true }, async (ctx) => await this.work(ctx));
}
class Outsider extends Doer {
  override workspaceAccess = WorkspaceAccess.none();
}
class Thrifty extends Doer {
  override workspaceAccess = WorkspaceAccess.dynamic({ allowedModes: ['read_write_overlay'], maxTotalSizeBytes: 10, requireReason: false });
}

const FILES = { 'docs/plan.md': 'the plan of the harbour', 'docs/notes.txt': 'nothing', 'private/diary.md': 'harbour secrets', 'data/x.csv': 'a,b' };
const text = (bytes: Uint8Array): string => new TextDecoder().decode(bytes);

function doer(work: (ctx: RunContext) => Promise<unknown>, options: Parameters<typeof testAgent>[1] = {}, Source: typeof Doer = Doer) {
  const agent = testAgent(Source, { workspace: FILES, ...options });
  agent.agent.work = work;
  return agent;
}
const result = async (agent: ReturnType<typeof doer>, options?: { grant?: string }): Promise<unknown> => (await agent.invoke('do', {}, options)).result;

describe('the workspace client', () => {
  it('search(query, types, limit = 20) finds by name and content, never what the policy denies', cites('workspace.search'), async () => {
    const agent = doer(async (ctx) => [
      await ctx.workspace.search('harbour'),
      await ctx.workspace.search('plan.md'),
      await ctx.workspace.search('', { types: ['data'] }),
    ]);
    expect(await result(agent)).toEqual([
      [{ path: 'docs/plan.md', fileType: 'text', score: expect.any(Number), summary: 'the plan of the harbour', sizeBytes: 23 }],
      [expect.objectContaining({ path: 'docs/plan.md', score: 1 })],
      [expect.objectContaining({ path: 'data/x.csv' })],
    ]);
  });

  it('open_view picks files for a purpose and reads them; nothing else is readable', cites('workspace.open_view'), async () => {
    const agent = doer(async (ctx) => {
      const view = await ctx.workspace.openView({ purpose: 'harbour plan', fileTypes: ['text'] });
      await expect(view.read('data/x.csv')).rejects.toBeInstanceOf(WorkspaceDenied);
      await expect(view.read('private/diary.md')).rejects.toBeInstanceOf(WorkspaceDenied);
      await expect(view.read('../etc/passwd')).rejects.toBeInstanceOf(WorkspaceDenied);
      await expect(view.write('docs/plan.md', 'x')).rejects.toThrow(/read_only/);
      return [view.files.map(({ path }) => path), text(await view.read('docs/plan.md')), view.grant.allow_patterns];
    });
    expect(await result(agent)).toEqual([['docs/plan.md'], 'the plan of the harbour', ['docs/plan.md']]);
  });

  it('request_access asks for named files; the policy bounds number, mode and reason', cites('workspace.policy', 'workspace.request_access'), async () => {
    const agent = doer(
      async (ctx) => {
        const wish = { mode: 'read_only', reason: 'to compare' } as const;
        await expect(ctx.workspace.requestAccess(['a', 'b', 'c', 'd'], wish)).rejects.toThrow(/maxFiles/);
        await expect(ctx.workspace.requestAccess(['a'], { ...wish, reason: ' ' })).rejects.toThrow(ScopeDenied);
        const view = await ctx.workspace.requestAccess(['docs/notes.txt'], wish);
        await expect(view.read('docs/plan.md')).rejects.toBeInstanceOf(WorkspaceDenied);
        return text(await view.read('docs/notes.txt'));
      },
      { onScopeRequest: () => true },
    );
    expect(await result(agent)).toBe('nothing');
    const readOnly = doer(async (ctx) => await ctx.workspace.requestAccess(['a'], { mode: 'read_only', reason: '' }), {}, Thrifty);
    await expect(result(readOnly)).rejects.toThrow(/allowedModes/);
  });

  it('WorkspaceAccess.none(): an agent that touches no workspace asks for none, but may be given one', cites('workspace.policy'), async () => {
    const agent = doer(
      async (ctx) => (ctx.grant ? text(await (await ctx.workspace.view()).read('docs/notes.txt')) : await ctx.workspace.search('x')),
      {},
      Outsider,
    );
    await expect(result(agent)).rejects.toBeInstanceOf(WorkspaceDenied);
    expect(await result(agent, { grant: agent.mintGrant({ allowPatterns: ['docs/**'] }) })).toBe('nothing');
  });

  it('stages writes as patches, which are committed when the run succeeded', cites('workspace.patches'), async () => {
    const agent = doer(async (ctx) => {
      const view = await ctx.workspace.view();
      const patch = await view.write('out/report.md', 'done');
      expect(patch).toEqual({
        patchId: expect.stringMatching(/^pat_/),
        path: 'out/report.md',
        operation: 'write',
        sizeBytes: 4,
        sha256: expect.stringMatching(/^[0-9a-f]{64}$/),
        state: 'staged',
        reason: null,
      });
      await view.write('out/gone.md', 'x');
      await view.delete('out/gone.md');
      await expect(view.read('out/gone.md')).rejects.toBeInstanceOf(FileNotFound);
      await expect(view.write('docs/plan.md', 'x')).rejects.toBeInstanceOf(WorkspaceDenied);
      expect(await agent.files.read('out/report.md')).toBeUndefined();
      return [text(await view.read('out/report.md')), (await view.patches()).map(({ path, operation }) => `${operation} ${path}`)];
    });
    const grant = agent.mintGrant({ mode: 'read_write_overlay', outputsPrefix: 'out' });
    expect(await result(agent, { grant })).toEqual(['done', ['write out/report.md', 'delete out/gone.md']]);
    await vi.waitFor(async () => expect(text((await agent.files.read('out/report.md')) ?? new Uint8Array())).toBe('done'));
  });

  it('rejects them when the run failed, and keeps to max_total_size_bytes', cites('workspace.policy', 'workspace.patches'), async () => {
    const agent = doer(async (ctx) => {
      await (await ctx.workspace.view()).write('out/a', 'x');
      throw new Error('no');
    });
    const grant = { mode: 'read_write_overlay', outputsPrefix: 'out' } as const;
    await expect(result(agent, { grant: agent.mintGrant(grant) })).rejects.toThrow();
    expect(await agent.files.list()).toEqual(Object.keys(FILES).toSorted());
    const thrifty = doer(async (ctx) => await (await ctx.workspace.view()).write('out/a', 'more than ten'), {}, Thrifty);
    await expect(result(thrifty, { grant: thrifty.mintGrant(grant) })).rejects.toThrow(/maxTotalSizeBytes/);
  });

  it(
    'install_grant supersedes what is held: by token, or a grant this run was given; never another bucket or audience',
    cites('workspace.install'),
    async () => {
      const agent = doer(async (ctx) => {
        const first = ctx.workspace.grant;
        await expect((await ctx.workspace.view()).read('docs/plan.md')).rejects.toBeInstanceOf(WorkspaceDenied);
        await ctx.workspace.installGrant(wider);
        const read = text(await (await ctx.workspace.view()).read('docs/plan.md'));
        if (first) await ctx.workspace.installGrant(first);
        expect(ctx.workspace.grant).toEqual(first);
        await expect(ctx.workspace.installGrant(localPlatform().mintGrant({ audience: 'doer' }))).rejects.toThrow(GrantInvalid);
        await expect(ctx.workspace.installGrant({ ...(first ?? wrong()), grant_id: 'grt_unknown' })).rejects.toThrow(GrantInvalid);
        return [read, ctx.grant?.grant_id === first?.grant_id];
      });
      const wider = agent.mintGrant({ allowPatterns: ['docs/**'] });
      expect(await result(agent, { grant: agent.mintGrant({ allowPatterns: ['data/**'] }) })).toEqual(['the plan of the harbour', true]);
    },
  );

  it('delegate() gives a contained grant, and refuses a wider one', cites('workspace.delegate'), async () => {
    const agent = doer(async (ctx) => {
      const token = await ctx.workspace.delegate({ audience: 'other', allowPatterns: ['docs/*.md'] });
      await expect(ctx.workspace.delegate({ audience: 'other', allowPatterns: ['data/**'] })).rejects.toBeInstanceOf(WorkspaceDenied);
      await expect(ctx.workspace.delegate({ audience: 'other', mode: 'read_write_overlay' })).rejects.toBeInstanceOf(WorkspaceDenied);
      const granted = await ctx.workspace.listGrants();
      return [token.split('.').length, granted.map(({ audience, issuer, allow_patterns: allow }) => [audience, issuer, allow])];
    });
    expect(await result(agent, { grant: agent.mintGrant({ allowPatterns: ['docs/**'] }) })).toEqual([2, [['other', 'doer', ['docs/*.md']]]]);
    const none = doer(async (ctx) => await ctx.workspace.delegate({ audience: 'other' }));
    await expect(result(none)).rejects.toBeInstanceOf(WorkspaceDenied);
  });

  it('serves a folder: real files, links not followed, nothing outside', cites('workspace.no_paths'), async () => {
    const folder = await mkdtemp(join(tmpdir(), 'svc-local-'));
    onTestFinished(() => rm(folder, { recursive: true, force: true }));
    await mkdir(join(folder, 'in', 'node_modules'), { recursive: true });
    await writeFile(join(folder, 'secret.txt'), 'outside');
    await writeFile(join(folder, 'in', 'a.txt'), 'inside');
    await writeFile(join(folder, 'in', 'node_modules', 'b.txt'), 'package');
    await symlink('../secret.txt', join(folder, 'in', 'link.txt'));
    await symlink('..', join(folder, 'in', 'up'));
    const agent = doer(
      async (ctx) => {
        const view = await ctx.workspace.view();
        for (const path of ['link.txt', 'up/secret.txt']) await expect(view.read(path)).rejects.toBeInstanceOf(FileNotFound);
        await view.write('new/b.txt', 'written');
        return [(await ctx.workspace.search('')).map(({ path }) => path), text(await view.read('a.txt'))];
      },
      { workspace: join(folder, 'in') },
    );
    expect(await result(agent, { grant: agent.mintGrant({ mode: 'read_write_overlay' }) })).toEqual([['a.txt'], 'inside']);
    await vi.waitFor(async () => expect(await readFile(join(folder, 'in', 'new', 'b.txt'), 'utf8')).toBe('written'));
  });
});

describe('artifacts', () => {
  it('are stored, announced by emit_artifact and fetched by the caller', cites('run.artifacts'), async () => {
    const source = new Doer();
    source.work = async (ctx) => {
      const artifact = await ctx.writeArtifact('Bericht ä.html', '<script>alert(1)</script>', 'text/html');
      await ctx.emitArtifact(artifact);
      return artifact;
    };
    const agent = await serve(source);
    const { result: ref, artifacts } = await new A2AClient().call(agent.url, 'do', {});
    expect(artifacts).toEqual([ref]);
    expect(ref).toEqual({ name: 'Bericht ä.html', uri: expect.stringContaining(`${agent.url}/artifacts/run_`), mime_type: 'text/html', size_bytes: 25 });
    const response = await fetch(artifacts[0]?.uri ?? '');
    expect(await response.text()).toBe('<script>alert(1)</script>');
    expect(Object.fromEntries(response.headers)).toMatchObject({
      'content-type': 'text/html',
      'content-disposition': 'attachment',
      'content-security-policy': 'sandbox',
      'x-content-type-options': 'nosniff',
    });
    expect((await fetch(`${agent.url}/artifacts/run_none/x`)).status).toBe(404);
    expect((await fetch(`${agent.url}/artifacts/..%2f..%2fetc/passwd`)).status).toBe(404);
  });

  it.each(['', '..', 'a/b', 'a\nb'])('refuse the name %j', async (name) => {
    await expect(result(doer(async (ctx) => await ctx.writeArtifact(name, 'x', 'text/plain')))).rejects.toThrow();
  });
});

it('using the sandbox without an attached runtime raises SandboxUnavailable', cites('sandbox.unavailable'), async () => {
  for (const use of [
    (ctx: RunContext) => ctx.sandbox.create({ name: 'x' }),
    (ctx: RunContext) => ctx.sandbox.list(),
    (ctx: RunContext) => ctx.sandbox.runPython('1'),
    (ctx: RunContext) => ctx.sandbox.runShell('true'),
  ]) {
    await expect(result(doer(use))).rejects.toBeInstanceOf(SandboxUnavailable);
  }
});

class Callee extends Agent {
  name = 'callee';
  description = 'For tests.';
  version = '2.0.0';
  override concurrency = 16;
  override capabilities = { maths: true };
  double = skill({ tags: ['numbers'], input: z.object({ n: z.int() }) }, async (_ctx, { n }) => n * 2);
  streams = skill({ stream: true }, async (ctx) => {
    await ctx.emitProgress('half');
    return 'whole';
  });
  reads = skill({}, async (ctx) => text(await (await ctx.workspace.view()).read('docs/notes.txt')));
  stopped = false;
  hanging = 0;
  hangs = skill({}, async (ctx) => {
    this.hanging += 1;
    await new Promise<void>((resolve) => ctx.signal.addEventListener('abort', () => resolve()));
    this.stopped = true;
  });
  loops = skill({}, async (ctx) => (await ctx.call('callee', 'loops', {})).result);
  fails = skill({}, async () => {
    throw new Error('the reason is private');
  });
}

describe.each(['in memory', 'over HTTP'])('calls of other agents %s', (how) => {
  const setUp = async () => {
    const callee = new Callee();
    const memory = new InMemoryA2AClient([callee], { workspace: FILES });
    if (how === 'in memory') return { callee, client: memory, target: 'callee', mint: memory.platform.mintGrant };
    const platform = localPlatform({ workspace: FILES });
    const { url } = await serve(callee, { platform });
    return { callee, client: new A2AClient(), target: url, mint: platform.mintGrant };
  };
  const failure = async (call: Promise<unknown>): Promise<unknown> =>
    await call.then(
      () => 'no failure',
      (error: unknown) => (error instanceof CallFailed ? [error.calleeCode, error.calleeStatus] : error),
    );

  it('return a CallResult: result, events, artifacts, grant_id', cites('run.call'), async () => {
    const { client, target } = await setUp();
    expect(await client.call(target, 'double', { n: 4 })).toMatchObject({ result: 8, artifacts: [], grantId: null });
    const streamed = await client.call(target, 'streams', {});
    expect([streamed.result, streamed.events.map(({ kind }) => kind)]).toEqual(['whole', ['status', 'progress']]);
  });

  it('pass a grant on, which is verified at the callee', async () => {
    const { client, target, mint } = await setUp();
    const grant = mint({ audience: 'callee', allowPatterns: ['docs/**'] });
    const answer = await client.call(target, 'reads', {}, { grant });
    expect([answer.result, answer.grantId]).toEqual(['nothing', expect.stringMatching(/^grt_/)]);
    expect(await failure(client.call(target, 'reads', {}, { grant: mint({ audience: 'other' }) }))).toEqual(['grant_invalid', 403]);
    expect(await failure(client.call(target, 'reads', {}))).toEqual(['workspace_denied', 403]);
  });

  it("fail with the callee's own code, and nothing of its insides", async () => {
    const { client, target } = await setUp();
    expect(await failure(client.call(target, 'double', { n: 'x' }))).toEqual(['skill_input_error', 400]);
    expect(await failure(client.call(target, 'none', {}))).toEqual(['skill_not_found', 404]);
    expect(await failure(client.call(target, 'fails', {}))).toEqual(['skill_invocation_error', 500]);
    await expect(client.call(target, 'fails', {})).rejects.not.toThrow(/private/);
    await expect(client.call(target, 'double', {})).rejects.toMatchObject({ issues: [expect.objectContaining({ path: ['n'] })] });
  });

  it('end after their timeout, and when their caller goes', cites('client.timeout'), async () => {
    const { client, target, callee } = await setUp();
    expect(await failure(client.call(target, 'hangs', {}, { timeoutSeconds: 1 }))).toEqual(['call_timeout', 0]);
    await vi.waitFor(() => expect(callee.stopped).toBe(true));
    callee.stopped = false;
    const gone = new AbortController();
    const call = client.call(target, 'hangs', {}, { signal: gone.signal });
    const begun = vi.waitFor(() => expect(callee.hanging).toBe(2)).then(() => gone.abort(new SvcError('cancelled_by_caller', 'gone', 499)));
    await Promise.all([expect(call).rejects.toMatchObject({ code: 'cancelled_by_caller' }), begun]);
    await vi.waitFor(() => expect(callee.stopped).toBe(true));
  });
});

describe('agents that call each other', () => {
  class Caller extends Agent {
    name = 'caller';
    description = 'For tests.';
    version = '1.0.0';
    relay = skill({}, async (ctx) => (await ctx.call('callee', 'double', { n: 21 })).result);
    lends = skill({}, async (ctx) => {
      const grant = await ctx.workspace.delegate({ audience: 'callee', allowPatterns: ['docs/**'] });
      return (await ctx.call('callee', 'reads', {}, { grant })).result;
    });
    uncaught = skill({}, async (ctx) => await ctx.call('callee', 'double', {}));
    finds = skill({}, async (ctx) => [
      (await ctx.findAgents({ tags: ['numbers'], capability: 'maths', skill: 'double' })).map(({ name }) => name),
      (await ctx.findAgents({ skill: 'none' })).length,
      (await ctx.getAgent('callee')).card.version,
    ]);
  }
  const agents = (): InMemoryA2AClient => new InMemoryA2AClient([Caller, Callee], { workspace: FILES });

  it('reach each other by name, a fresh context per callee, under a delegated grant', cites('service.handover', 'client.memory'), async () => {
    const client = agents();
    expect((await client.call('caller', 'relay', {})).result).toBe(42);
    const grant = client.platform.mintGrant({ audience: 'caller' });
    expect((await client.call('caller', 'lends', {}, { grant })).result).toBe('nothing');
  });

  it('find each other by tags, capability and skill', async () => {
    expect((await agents().call('caller', 'finds', {})).result).toEqual([['callee'], 0, '2.0.0']);
  });

  it('do not go in circles', cites('client.loops'), async () => {
    await expect(agents().call('callee', 'loops', {})).rejects.toThrow(/already in the chain of calls/);
  });

  it('blame the callee, not the caller, for an uncaught refusal', async () => {
    await expect(agents().call('caller', 'uncaught', {})).rejects.toMatchObject({ calleeCode: 'call_failed', calleeStatus: 502 });
  });
});

function wrong(): never {
  throw new Error('a grant was expected');
}
