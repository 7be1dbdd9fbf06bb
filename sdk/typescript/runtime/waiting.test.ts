// Questions and scope requests, over the local platform and over HTTP.
import { setTimeout as sleep } from 'node:timers/promises';
import { describe, expect, it, vi } from 'vitest';
import { z } from 'zod';
import { Agent } from '../authoring/agent.ts';
import { GrantInvalid, QuestionTimeout, ScopeDenied, ScopeExpansionNotAllowed } from '../authoring/errors.ts';
import { WorkspaceAccess } from '../authoring/policies.ts';
import { skill } from '../authoring/skill.ts';
import { localPlatform } from '../platform/local.ts';
import { serve } from '../test/serve.ts';
import { testAgent } from '../testing.ts';
import { cites } from '../../../test/spec/verifies.ts';

class Asker extends Agent {
  name = 'asker';
  description = 'For tests.';
  version = '1.0.0';
  override workspaceAccess = WorkspaceAccess.dynamic({ allowedModes: ['read_only', 'read_write_overlay'], denyPatterns: ['private/**'] });
  override resources = { maxRuntimeSeconds: 600 };
  running = 0;
  seen: unknown[] = [];
  ask = skill({ stream: true, input: z.object({ timeout: z.number().optional() }) }, async (ctx, { timeout }) => {
    this.running += 1;
    const answer = await ctx.ask('Which city?', timeout);
    this.seen.push(this.running);
    this.running -= 1;
    return answer;
  });
  hurried = skill({ stream: true, timeoutSeconds: 0.15 }, async (ctx) => {
    const before = ctx.deadline;
    const answer = await ctx.ask('Are you there?');
    return { answer, later: ctx.deadline > before };
  });
  hurriedAfter = skill({ stream: true, timeoutSeconds: 0.1 }, async (ctx) => {
    await ctx.ask('Are you there?');
    await new Promise<void>((_, reject) => ctx.signal.addEventListener('abort', () => reject(ctx.signal.reason), { once: true }));
  });
  ofOwner = skill({ stream: true }, async (ctx) => {
    const asked = ctx.ask('Approve?', 5, { of: 'owner' });
    await vi.waitFor(() => expect(this.lastQuestion).toBeDefined());
    return [await ctx.answer(this.lastQuestion ?? '', 'approve'), await asked];
  });
  two = skill({ stream: true }, async (ctx) => await Promise.all([ctx.ask('First?'), ctx.ask('Second?')]));
  forgets = skill({}, async (ctx) => {
    void ctx.ask('Never mind?');
    return 'done';
  });
  self = skill({ stream: true }, async (ctx) => {
    const asked = ctx.ask('Who?');
    await vi.waitFor(() => expect(this.lastQuestion).toBeDefined());
    const said = [await ctx.answer('qst_none', 'x'), await ctx.answer(this.lastQuestion ?? '', 'me'), await ctx.answer(this.lastQuestion ?? '', 'again')];
    return [...said, await asked];
  });
  lastQuestion: string | undefined;
  widen = skill(
    {
      stream: true,
      allowScopeExpansion: true,
      input: z.object({ read: z.array(z.string()).default([]), writePrefix: z.string().optional(), timeout: z.number().optional(), ttl: z.int().optional() }),
    },
    async (ctx, { read, writePrefix, timeout, ttl }) => {
      const grant = await ctx.requestScope({
        reason: 'to look',
        read,
        ...(writePrefix && { writePrefix }),
        ...(timeout && { timeoutSeconds: timeout }),
        ...(ttl && { ttlSeconds: ttl }),
      });
      return { grant, installed: ctx.workspace.grant, callers: ctx.grant };
    },
  );
  settle = skill({ stream: true, allowScopeExpansion: true, input: z.object({ token: z.string().nullable() }) }, async (ctx, { token }) => {
    const wished = ctx.requestScope({ reason: 'me', writePrefix: 'out' }).then(
      (grant) => grant.grant_id,
      (error: unknown) => (error instanceof ScopeDenied ? `denied: ${error.message}` : 'other'),
    );
    await vi.waitFor(() => expect(this.lastRequest).toBeDefined());
    const id = this.lastRequest ?? '';
    if (token !== null) await expect(ctx.resolveScopeGrant(id, 'forged.token')).rejects.toThrow(GrantInvalid);
    return [await (token === null ? ctx.denyScope(id, 'not today') : ctx.resolveScopeGrant(id, token)), await ctx.denyScope('scr_none', 'x'), await wished];
  });
  lastRequest: string | undefined;
  closed = skill({}, async (ctx) => await ctx.requestScope({ reason: 'no' }));
  nothing = skill({}, async () => 'free');
}

describe('ask() (spec: questions)', () => {
  it('emits the event `question` with the prompt, and returns the text of the answer', cites('ask.event'), async () => {
    const agent = testAgent(Asker, { onQuestion: ({ prompt }) => (prompt === 'Which city?' ? 'Rome' : undefined) });
    const { result, events } = await agent.invoke('ask', {});
    expect(result).toBe('Rome');
    expect(events.map(({ kind, payload }) => (kind === 'status' ? payload['state'] : kind))).toEqual(['running', 'waiting', 'question', 'running']);
    expect(events[2]?.payload).toEqual({
      question_id: expect.stringMatching(/^qst_[0-9a-f-]{36}$/),
      prompt: 'Which city?',
      expires_at: expect.stringMatching(/Z$/),
    });
  });

  it('is open for 180 seconds by default', cites('ask.timeout'), async () => {
    const agent = testAgent(Asker, { onQuestion: () => 'x' });
    const before = Date.now();
    const { events } = await agent.invoke('ask', {});
    const until = Date.parse(String(events[2]?.payload['expires_at']));
    expect(until).toBeGreaterThanOrEqual(before + 180_000);
    expect(until).toBeLessThanOrEqual(Date.now() + 180_000);
  });

  it('raises a timeout error when no answer comes within the timeout', cites('ask.timeout'), async () => {
    const agent = testAgent(Asker);
    await expect(agent.invoke('ask', { timeout: 0.05 })).rejects.toBeInstanceOf(QuestionTimeout);
    const served = await serve(Asker);
    const { status, detail } = await served.refusal('/invoke/ask', { timeout: 0.05 }, { headers: { accept: 'application/json' } });
    expect([status, detail.code]).toEqual([504, 'question_expired']);
  });

  it('answer(question_id, answer) returns a bool: true once, for an open question', cites('ask.answer'), async () => {
    const agent = testAgent(Asker, { onQuestion: ({ questionId }) => void (agent.agent.lastQuestion = questionId) });
    expect((await agent.invoke('self', {})).result).toEqual([false, true, false, 'me']);
  });

  it('lets several questions be open at once', async () => {
    const second = Promise.withResolvers<void>();
    const agent = testAgent(Asker, {
      onQuestion: async ({ prompt }) => {
        if (prompt === 'First?') await second.promise;
        else second.resolve();
        return prompt;
      },
    });
    expect((await agent.invoke('two', {})).result).toEqual(['First?', 'Second?']);
  });

  it('does not disturb a run that ends without having waited', async () => {
    const agent = testAgent(Asker);
    expect((await agent.invoke('forgets', {})).result).toBe('done');
  });

  it('stops the clock: neither the skill timeout nor max_runtime_seconds passes while a person is waited for', cites('run.deadlines'), async () => {
    const agent = testAgent(Asker, { onQuestion: async () => (await sleep(400), 'yes') });
    expect((await agent.invoke('hurried', {})).result).toEqual({ answer: 'yes', later: true });
    await expect(agent.invoke('hurriedAfter', {})).rejects.toMatchObject({ code: 'skill_timeout' });
  });

  it('gives its place to other calls meanwhile, and has one again before the next line', async () => {
    const asker = new Asker();
    const agent = await serve(asker);
    const questions: string[] = [];
    const answers = [1, 2, 3].map(async () => {
      for await (const event of agent.stream('/invoke/ask', {})) {
        if (event.kind === 'question') questions.push(String(event.payload['question_id']));
        if (event.kind === 'result') return event.payload['result'];
      }
    });
    // concurrency is 1, and all three have asked.
    await vi.waitFor(() => expect(questions).toHaveLength(3));
    expect(await (await agent.post('/invoke/nothing', {})).json()).toBe('free');
    for (const [index, id] of questions.entries()) {
      expect(await (await agent.post(`/answers/${id}`, { answer: String(index) })).json()).toEqual({ resolved: true });
    }
    expect((await Promise.all(answers)).toSorted()).toEqual(['0', '1', '2']);
  });
});

it('a run that waits for a person does not delay the end of its agent, and is notified', async () => {
  const agent = await serve(Asker, { drainMs: 60_000 });
  const asked = Promise.withResolvers<void>();
  const end = (async () => {
    for await (const event of agent.stream('/invoke/ask', {})) {
      if (event.kind === 'question') asked.resolve();
      if (event.kind === 'failed') return event.payload;
    }
  })();
  await asked.promise;
  await agent.shutdown();
  expect(await end).toMatchObject({ status: 503, detail: { code: 'agent_not_ready' } });
});

describe('POST /answers/{id}', () => {
  const asked = async (options: Parameters<typeof serve>[1] = {}) => {
    const agent = await serve(Asker, options);
    const auth = options.apiKey ? { authorization: `Bearer ${options.apiKey}` } : {};
    const id = Promise.withResolvers<string>();
    const end = (async () => {
      for await (const event of agent.stream('/invoke/ask', {}, { headers: auth })) {
        if (event.kind === 'question') id.resolve(String(event.payload['question_id']));
        if (event.kind === 'result' || event.kind === 'failed') return event;
      }
    })();
    return { agent, auth, id: await id.promise, end };
  };

  it('takes the key and nothing else where one is set', cites('endpoints.scope_grants'), async () => {
    const { agent, auth, id, end } = await asked({ apiKey: 'the-key' });
    expect((await agent.post(`/answers/${id}`, { answer: 'x' })).status).toBe(401);
    expect((await agent.post(`/answers/${id}`, { answer: 'x' }, { headers: { authorization: 'Bearer the-kez' } })).status).toBe(401);
    expect((await agent.post(`/answers/${id}`, { answer: 'mine' }, { headers: auth })).status).toBe(200);
    expect((await end)?.payload['result']).toBe('mine');
    expect((await agent.post(`/answers/${id}`, { answer: 'again' }, { headers: auth })).status).toBe(404);
  });

  it('tells of expiry, turns a form into JSON text, and refuses what is neither', async () => {
    const expired = await asked();
    expect((await expired.agent.post(`/answers/${expired.id}`, { expired: true })).status).toBe(200);
    expect(await expired.end).toMatchObject({ kind: 'failed', payload: { detail: { code: 'question_expired' } } });
    const form = await asked();
    for (const body of [{}, { expired: false }, [], { answr: 1 }]) expect((await form.agent.post(`/answers/${form.id}`, body)).status).toBe(400);
    expect((await fetch(`${form.agent.url}/answers/${form.id}`)).status).toBe(405);
    expect((await form.agent.post(`/answers/${form.id}`, { answer: { city: 'Rome' } })).status).toBe(200);
    expect((await form.end)?.payload['result']).toBe('{"city":"Rome"}');
  });
});

describe('request_scope (spec: scope requests)', () => {
  it('raises ScopeExpansionNotAllowed where the skill did not opt in', cites('scope.opt_in'), async () => {
    await expect(testAgent(Asker).invoke('closed', {})).rejects.toBeInstanceOf(ScopeExpansionNotAllowed);
  });

  it('approves a read-only, short, lowest-risk wish at once in auto mode; the grant is verified, installed and returned', async () => {
    const agent = testAgent(Asker, { workspace: { 'docs/a.md': 'a' } });
    const { result, events } = await agent.invoke('widen', { read: ['docs/*.md'] });
    expect(result).toMatchObject({
      grant: { audience: 'asker', mode: 'read_only', allow_patterns: ['docs/*.md'], deny_patterns: ['private/**'] },
      callers: null,
    });
    const { grant, installed } = result as { grant: { expires_at: number; issued_at: number }; installed: unknown };
    expect(installed).toEqual(grant);
    expect(grant.expires_at - grant.issued_at).toBe(60);
    expect(events.map(({ kind }) => kind)).toEqual(['status']);
  });

  it.each<[string, { read?: string[]; writePrefix?: string; ttl?: number }]>([
    ['a write prefix', { writePrefix: 'out' }],
    ['a name that may be a secret', { read: ['**/.env'] }],
    ['everything', { read: ['**'] }],
    ['a long lifetime', { read: ['docs/*.md'], ttl: 301 }],
  ])('always asks for %s, with reason and patterns on the card', cites('scope.asks'), async (_, wish) => {
    const asked: unknown[] = [];
    const agent = testAgent(Asker, { onScopeRequest: (request) => (asked.push(request), true) });
    const { result, events } = await agent.invoke('widen', wish);
    expect(asked).toHaveLength(1);
    expect(events.map(({ kind, payload }) => (kind === 'status' ? payload['state'] : kind))).toEqual(['running', 'waiting', 'scope_request', 'running']);
    expect(events[2]?.payload).toMatchObject({ reason: 'to look', grant_id: null, read: wish.read ?? [], write_prefix: wish.writePrefix ?? null });
    expect(result).toMatchObject({ grant: { mode: wish.writePrefix ? 'read_write_overlay' : 'read_only', outputs_prefix: wish.writePrefix ?? null } });
  });

  it('raises ScopeDenied with the reason, and without a decision within the timeout', cites('scope.denied'), async () => {
    const denying = testAgent(Asker, { onScopeRequest: () => 'not my files' });
    await expect(denying.invoke('widen', { writePrefix: 'out' })).rejects.toThrow(new ScopeDenied('not my files'));
    await expect(testAgent(Asker).invoke('widen', { writePrefix: 'out', timeout: 0.05 })).rejects.toThrow(/no decision within 0.05 s/);
  });

  it('deny_scope and resolve_scope_grant settle an open request; a token that is not for this agent is GrantInvalid', cites('scope.denied'), async () => {
    const agent = testAgent(Asker, { onScopeRequest: ({ requestId }) => void (agent.agent.lastRequest = requestId) });
    expect((await agent.invoke('settle', { token: null })).result).toEqual([true, false, 'denied: not today']);
    agent.agent.lastRequest = undefined;
    const token = agent.mintGrant({ allowPatterns: ['a'] });
    expect((await agent.invoke('settle', { token })).result).toEqual([true, false, expect.stringMatching(/^grt_/)]);
  });
});

describe('POST /scope-grants/{id}', () => {
  const wished = async () => {
    const platform = localPlatform({});
    const agent = await serve(Asker, { platform });
    const id = Promise.withResolvers<string>();
    const end = (async () => {
      for await (const event of agent.stream('/invoke/widen', { writePrefix: 'out' })) {
        if (event.kind === 'scope_request') id.resolve(String(event.payload['request_id']));
        if (event.kind === 'result' || event.kind === 'failed') return event;
      }
    })();
    return { platform, agent, id: await id.promise, end };
  };

  it(
    'resolves the pending request by a fresh signed grant; another token is 403 grant_invalid and leaves it open',
    cites('scope.approved', 'endpoints.scope_grants'),
    async () => {
      const { platform, agent, id, end } = await wished();
      const other = platform.mintGrant({ audience: 'somebody-else' });
      for (const token of [other, `${other}x`, 'x.y', '']) {
        const { status, detail } = await agent.refusal(`/scope-grants/${id}`, { grant_token: token });
        expect([status, detail.code, detail.message]).toEqual([403, 'grant_invalid', 'the grant is not valid here']);
      }
      const token = platform.mintGrant({ audience: 'asker', mode: 'read_write_overlay', outputsPrefix: 'out' });
      expect((await agent.post(`/scope-grants/${id}`, { grant_token: token })).status).toBe(200);
      expect((await end)?.payload['result']).toMatchObject({ grant: { outputs_prefix: 'out' }, installed: { outputs_prefix: 'out' } });
      expect((await agent.post(`/scope-grants/${id}`, { grant_token: token })).status).toBe(404);
    },
  );

  it('denies with a reason, expires, and on a laptop approves by a word', async () => {
    const denied = await wished();
    await denied.agent.post(`/scope-grants/${denied.id}`, { denied: { reason: 'no' } });
    expect(await denied.end).toMatchObject({ kind: 'failed', payload: { status: 403, detail: { code: 'scope_denied', message: 'no' } } });
    const late = await wished();
    await late.agent.post(`/scope-grants/${late.id}`, { expired: true });
    expect(await late.end).toMatchObject({ payload: { detail: { code: 'scope_denied' } } });
    const approved = await wished();
    expect((await approved.agent.post(`/scope-grants/${approved.id}`, { approved: true })).status).toBe(200);
    expect(await approved.end).toMatchObject({ kind: 'result', payload: { result: { grant: { mode: 'read_write_overlay', allow_patterns: ['out/**'] } } } });
  });
});

it('what the owner is asked, the caller neither reads nor answers', async () => {
  const asked = Promise.withResolvers<string>();
  const said = Promise.withResolvers<string>();
  const agent = testAgent(Asker, {
    onQuestion: ({ questionId }) => {
      asked.resolve(questionId);
      return said.promise;
    },
  });
  const run = agent.invoke('ofOwner', {});
  agent.agent.lastQuestion = await asked.promise;
  said.resolve('denied');
  const { result, events } = await run;
  expect(result).toEqual([false, 'denied']);
  expect(events.map(({ kind }) => kind)).not.toContain('question');
});
