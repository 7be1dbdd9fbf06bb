import { request } from 'node:http';
import { createConnection, createServer as createTcpServer } from 'node:net';
import { describe, expect, it, vi } from 'vitest';
import { AgentCard } from '../../../contract/wire/card.ts';
import { AgentErrorBody } from '../../../contract/wire/errors.ts';
import { Agent } from '../authoring/agent.ts';
import { APIKeyAuth, type AuthRequest } from '../authoring/auth.ts';
import { AuthError, SkillInputError, SkillInvocationError } from '../authoring/errors.ts';
import { StaticAuthResolver } from '../authoring/resolvers.ts';
import { skill } from '../authoring/skill.ts';
import { z } from 'zod';
import { serve } from '../test/serve.ts';
import { createAgentServer } from './server.ts';
import { cites } from '../../../test/spec/verifies.ts';
import { turns } from '../../../test/support/turns.ts';

class Sample extends Agent {
  name = 'sample';
  description = 'For tests.';
  version = '1.2.3';
  override requiredSecrets = ['TOKEN'];
  greet = skill(
    { input: z.object({ name: z.string(), times: z.int().default(1) }), output: z.object({ text: z.string() }) },
    async (_ctx, { name, times }) => ({
      text: `Hello ${name}`.repeat(times),
    }),
  );
  fails = skill({}, async () => {
    throw new Error('the database password is hunter2');
  });
  refuses = skill({}, async () => {
    throw new SkillInvocationError('the city is unknown', { status: 422 });
  });
  picky = skill({ input: z.object({ n: z.number() }) }, async (_ctx, { n }) => {
    throw new SkillInputError(`${n} is not a prime`);
  });
  liar = skill({ output: z.object({ n: z.number() }) }, async () => JSON.parse('{"n":"one"}'));
  big = skill({}, async () => 1n);
  nothing = skill({}, async () => undefined);
  guarded = skill({ scopes: ['read', 'write'] }, async () => 'in');
  secret = skill({}, async (ctx) => ctx.secret('TOKEN').length);
  slow = skill({ timeoutSeconds: 0.05 }, async (ctx) => {
    await new Promise((_, reject) => ctx.signal.addEventListener('abort', () => reject(new Error('stopped')), { once: true }));
  });
}

describe('the HTTP face', () => {
  it.each([
    ['/invoke/picky', 400],
    ['/mcp', 400],
    ['/a2a', 200],
  ])('%s refuses a number that its skill would see as another one', async (path, status) => {
    const agent = await serve(Sample);
    const headers = { 'content-type': 'application/json', accept: 'application/json, text/event-stream' };
    const response = await fetch(agent.url + path, { method: 'POST', headers, body: '{"n":9007199254740993}' });
    expect([response.status, await response.text()]).toEqual([status, expect.stringContaining('9007199254740993 cannot be carried exactly')]);
  });

  it('answers liveness and card without a key', cites('service.routes', 'auth.key'), async () => {
    const agent = await serve(Sample, { apiKey: 'k' });
    expect(await (await fetch(`${agent.url}/healthz`)).json()).toEqual({ status: 'ok' });
    const card = AgentCard.parse(await (await fetch(`${agent.url}/.well-known/agent-card`)).json());
    expect(card).toMatchObject({ name: 'sample', version: '1.2.3', required_secrets: ['TOKEN'] });
    expect(card.skills.find(({ id }) => id === 'greet')?.input_schema).toEqual({
      type: 'object',
      properties: { name: { type: 'string' }, times: { type: 'integer', default: 1 } },
      required: ['name'],
      additionalProperties: false,
    });
  });

  it('runs a skill and names the run and the request', cites('endpoints.invoke'), async () => {
    const agent = await serve(Sample);
    const response = await agent.post('/invoke/greet', { name: 'Ada', times: 2 }, { headers: { 'x-request-id': 'req_abc' } });
    expect(await response.json()).toEqual({ text: 'Hello AdaHello Ada' });
    expect(response.headers.get('x-request-id')).toBe('req_abc');
    expect(response.headers.get('x-svc-run-id')).toMatch(/^run_[0-9a-f-]{36}$/);
  });

  it('takes an empty body for no arguments, and no result for null', async () => {
    const agent = await serve(Sample);
    const response = await fetch(`${agent.url}/invoke/nothing`, { method: 'POST' });
    expect(await response.json()).toBe(null);
  });

  it('works without listening: a host hands connections over', async () => {
    const { server, shutdown } = createAgentServer(Sample, { onLog: () => {}, drainMs: 1000 });
    const front = createTcpServer((socket) => void server.emit('connection', socket)).listen(0, '127.0.0.1');
    await new Promise((resolve) => front.once('listening', resolve));
    const address = front.address();
    if (address === null || typeof address === 'string') throw new Error('no port');
    expect((await fetch(`http://127.0.0.1:${address.port}/healthz`)).status).toBe(200);
    await shutdown();
    await new Promise((resolve) => front.close(resolve));
  });

  it.each([
    ['/invoke/greet', { nme: 'Ada' }, 400, 'skill_input_error'],
    ['/invoke/greet', [], 400, 'skill_input_error'],
    ['/invoke/greet', null, 400, 'skill_input_error'],
    ['/invoke/nope', {}, 404, 'skill_not_found'],
    ['/invoke/%E0%A4%A', {}, 404, 'skill_not_found'],
    ['/invoke/__proto__', {}, 404, 'skill_not_found'],
    ['/elsewhere', {}, 404, 'not_found'],
    ['/healthz', {}, 405, 'method_not_allowed'],
    ['/invoke/guarded', {}, 403, 'missing_scopes'],
    ['/invoke/fails', {}, 500, 'skill_invocation_error'],
    ['/invoke/refuses', {}, 422, 'skill_invocation_error'],
    ['/invoke/picky', { n: 4 }, 400, 'skill_input_error'],
    ['/invoke/liar', {}, 500, 'skill_output_error'],
    ['/invoke/big', {}, 500, 'skill_output_error'],
    ['/invoke/secret', {}, 500, 'secret_missing'],
    ['/invoke/slow', {}, 504, 'skill_timeout'],
  ])('POST %s %j answers %i %s', async (path, body, status, code) => {
    const agent = await serve(Sample);
    const refusal = await agent.refusal(path, body);
    expect([refusal.status, refusal.detail.code]).toEqual([status, code]);
    expect(refusal.headers.get('x-request-id')).toBe(refusal.detail.request_id);
  });

  it('lists every issue of the arguments with its path', cites('errors.input'), async () => {
    const agent = await serve(Sample);
    const { detail } = await agent.refusal('/invoke/greet', { name: 1, times: 'x', extra: true });
    expect(detail.issues?.map((issue) => issue.path.join('.'))).toEqual(expect.arrayContaining(['name', 'times', '']));
  });

  it("keeps a failure's details in the log", async () => {
    const agent = await serve(Sample);
    const { detail } = await agent.refusal('/invoke/fails', {});
    expect(JSON.stringify(detail)).not.toContain('hunter2');
    expect(agent.log).toContainEqual(expect.objectContaining({ level: 'error', error: 'the database password is hunter2', request_id: detail.request_id }));
  });

  it.each([
    ['not json', 'application/json', 400, 'bad_request'],
    ['a=1', 'application/x-www-form-urlencoded', 415, 'unsupported_media_type'],
    ['{"name":"Ada"}', 'text/plain', 415, 'unsupported_media_type'],
    [`{"name":"${'x'.repeat(2000)}"}`, 'application/json', 413, 'body_too_large'],
  ])('refuses a body: %#', async (body, type, status, code) => {
    const agent = await serve(Sample, { maxBodyBytes: 1000 });
    const response = await fetch(`${agent.url}/invoke/greet`, { method: 'POST', body, headers: { 'content-type': type } });
    expect([response.status, AgentErrorBody.parse(await response.json()).detail.code]).toEqual([status, code]);
  });

  it('refuses a body without a declared length once it has grown too long', async () => {
    const agent = await serve(Sample, { maxBodyBytes: 1000 });
    const status = await new Promise((resolve, reject) => {
      const req = request(`${agent.url}/invoke/greet`, { method: 'POST', headers: { 'content-type': 'application/json' } }, (res) => {
        resolve(res.statusCode);
        res.resume();
      });
      req.on('error', reject);
      req.write(`{"name":"${'x'.repeat(5000)}`);
    });
    expect(status).toBe(413);
  });

  it('survives a caller that goes away in the middle of its body', async () => {
    const agent = await serve(Sample);
    const socket = createConnection(Number(new URL(agent.url).port), '127.0.0.1');
    socket.write('POST /invoke/greet HTTP/1.1\r\nhost: x\r\ncontent-type: application/json\r\ncontent-length: 100\r\n\r\n{"na');
    await turns(10);
    socket.destroy();
    expect((await agent.post('/invoke/greet', { name: 'Ada' })).status).toBe(200);
  });
});

describe('who may call', () => {
  const bearer = (token: string) => ({ headers: { authorization: `Bearer ${token}` } });

  it.each(['', 'Bearer', 'Bearer wrong', 'Basic key', 'Bearer keyx', 'bearer  '])(
    'refuses "%s" where a key is set',
    cites('auth.key'),
    async (authorization) => {
      const agent = await serve(Sample, { apiKey: 'key' });
      const { status, headers, detail } = await agent.refusal('/invoke/greet', { name: 'Ada' }, { headers: { authorization } });
      expect([status, detail.code, headers.get('www-authenticate')]).toEqual([401, 'auth_error', 'Bearer']);
      expect((await agent.post('/mcp', {}, { headers: { authorization } })).status).toBe(401);
    },
  );

  it('lets the key in, also after it was changed', async () => {
    const agent = await serve(Sample, { apiKey: 'key', secrets: { TOKEN: 'abc' } });
    expect((await agent.post('/invoke/secret', {}, bearer('key'))).status).toBe(200);
    agent.update({ apiKey: 'other', secrets: { TOKEN: 'abcdef' } });
    expect((await agent.post('/invoke/secret', {}, bearer('key'))).status).toBe(401);
    expect(await (await agent.post('/invoke/secret', {}, bearer('other'))).json()).toBe(6);
  });

  it('turns the key into an API-key principal only for an agent that asks for one; it holds no scopes', async () => {
    class Keyed extends Sample {
      override authModel = APIKeyAuth;
      who = skill({}, async (ctx) => ctx.authAs(APIKeyAuth));
    }
    const agent = await serve(Keyed, { apiKey: 'key' });
    expect(await (await agent.post('/invoke/who', {}, bearer('key'))).json()).toEqual({ apiKeyId: 'configured', scopes: [] });
    const { detail } = await agent.refusal('/invoke/guarded', {}, bearer('key'));
    expect(detail.missing_scopes).toEqual(['read', 'write']);
  });

  it("enforces scopes against what the agent's resolver found", cites('run.scopes'), async () => {
    class Static extends Sample {
      override authModel = APIKeyAuth;
      override authResolver = new StaticAuthResolver({ apiKeyId: 'x', scopes: ['read', 'write'] });
    }
    const agent = await serve(Static);
    expect(await (await agent.post('/invoke/guarded', {})).json()).toBe('in');
  });

  it("gives a resolver the caller's own token, from the ingress when the key is used", async () => {
    const seen: (string | undefined)[] = [];
    class Remote extends Sample {
      override authResolver = {
        resolve: async ({ bearer: token }: AuthRequest) => {
          seen.push(token);
          if (token === 'gone') throw new AuthError('no longer', { status: 410 });
          if (token === 'broken') throw new Error('down');
          return {};
        },
      };
    }
    const open = await serve(Remote);
    expect((await open.post('/invoke/nothing', {}, bearer('mine'))).status).toBe(200);
    expect((await open.post('/invoke/nothing', {}, bearer('gone'))).status).toBe(410);
    expect((await open.post('/invoke/nothing', {}, bearer('broken'))).status).toBe(503);
    const behind = await serve(Remote, { apiKey: 'key' });
    const headers = { authorization: 'Bearer key', 'x-svc-caller-authorization': 'Bearer theirs' };
    expect((await behind.post('/invoke/nothing', {}, { headers })).status).toBe(200);
    expect(seen).toEqual(['mine', 'gone', 'broken', 'theirs']);
  });
});

describe('life of the agent', () => {
  it('starts once before the first invocation and stops once, with running skills finished', cites('class.hooks'), async () => {
    const steps: string[] = [];
    const finish = Promise.withResolvers<void>();
    class Living extends Agent {
      name = 'living';
      description = '';
      version = '1.0.0';
      override concurrency = 4;
      override async startup(): Promise<void> {
        steps.push('startup');
      }
      override async shutdown(): Promise<void> {
        steps.push('shutdown');
      }
      work = skill({}, async () => {
        steps.push('begin');
        await finish.promise;
        steps.push('end');
      });
    }
    const agent = await serve(Living);
    await fetch(`${agent.url}/.well-known/agent-card`);
    expect(steps).toEqual([]);
    const calls = Promise.all([agent.post('/invoke/work', {}), agent.post('/invoke/work', {})]);
    await vi.waitFor(() => expect(steps).toEqual(['startup', 'begin', 'begin']));
    const stopped = Promise.all([agent.shutdown(), agent.shutdown()]);
    finish.resolve();
    await stopped;
    expect((await calls).map((response) => response.status)).toEqual([200, 200]);
    expect(steps).toEqual(['startup', 'begin', 'begin', 'end', 'end', 'shutdown']);
  });

  it('takes no calls and is not healthy when its startup failed', async () => {
    class Broken extends Sample {
      override async startup(): Promise<void> {
        throw new Error('no database');
      }
    }
    const agent = await serve(Broken);
    expect((await fetch(`${agent.url}/healthz`)).status).toBe(200);
    for (let call = 0; call < 2; call += 1) {
      const { status, detail } = await agent.refusal('/invoke/nothing', {});
      expect([status, detail.code]).toEqual([503, 'agent_not_ready']);
    }
    expect((await fetch(`${agent.url}/healthz`)).status).toBe(503);
    expect(agent.log.filter((entry) => entry['error'] === 'no database')).toHaveLength(1);
  });

  it('asks health() and reports its failure', cites('class.health'), async () => {
    class Ill extends Sample {
      override health(): Promise<boolean> {
        return Promise.reject(new Error('ill'));
      }
    }
    expect((await fetch(`${(await serve(Ill)).url}/healthz`)).status).toBe(503);
  });
});
