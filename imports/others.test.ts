// Who else is imported, and what is refused: older cards, agents of another installation, addresses that lead
// inside, cards that are none.
import { createServer } from 'node:http';
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from 'vitest';
import { importAgent } from '#core/imports/import/import.ts';
import { probeImports } from '#core/imports/import/probe.ts';
import { agentUptime } from '#core/deploys/uptime/read.ts';
import { searchAgents } from '#core/agents/agent/search.ts';
import { getAgent, getMine } from '#core/agents/agent/get.ts';
import { deleteAgent } from '#core/agents/agent/delete.ts';
import { redeploySource } from '#core/deploys/deployment/redeploy.ts';
import { remoteAgents } from '#drivers/remote-agent/agents.ts';
import { NO_CREDENTIALS } from '#drivers/remote-agent/port.ts';
import { Agent, skill, z } from '#sdk/typescript/index.ts';
import { serve } from '#sdk/typescript/test/serve.ts';
import type { TestUser } from '#test/support/context.ts';
import { addAgent } from '#test/support/verbs.ts';
import { a2aCardJson, a2aRemote, hostOf, junkRemote, olderRemote, type Remote } from './test/remotes.ts';
import { importWorld, type ImportWorld } from './test/world.ts';

const allowed: string[] = [];
let t: ImportWorld;
let ada: TestUser;
beforeAll(async () => {
  t = await importWorld({ importLocalHosts: allowed });
  ada = await t.user('ada');
});
afterAll(() => t.close());

/** May be imported from, and goes with the test. */
async function there(remote: Promise<Remote>): Promise<Remote> {
  const it = await remote;
  allowed.push(hostOf(it));
  onTestFinished(() => it.close());
  return it;
}
const take = (url: string, name?: string) => importAgent(ada, { url, visibility: 'unlisted', auth: null, ...(name !== undefined && { name }) });
const refusal = (promise: Promise<unknown>): Promise<string> =>
  promise.then(
    () => 'was not refused',
    (error: { code: string; message: string }) => `${error.code}: ${error.message}`,
  );

test('an agent of A2A 0.3, its card at the older place', async () => {
  const older = await there(olderRemote());
  expect(await take(older.url)).toMatchObject({ name: 'older-echo', import: { protocol: 'a2a', protocol_version: expect.stringMatching(/^0\.3/) } });
  expect(await t.call(ada, 'older-echo', 'say', { text: 'hi' })).toMatchObject({ status: 200, body: { text: 'you said: hi' } });
});

class Ours extends Agent {
  override name = 'ours';
  override description = 'Of another installation.';
  override version = '3.1.4';
  double = skill({ input: z.object({ n: z.int() }), output: z.object({ twice: z.int() }) }, async (_ctx, { n }) => ({ twice: 2 * n }));
  says = skill({ stream: true }, async (ctx) => {
    await ctx.emitTextDelta('one ');
    await ctx.emitTextDelta('two');
    return 'said';
  });
}

test('an agent of another installation keeps its skills, their schemas and its results', async () => {
  const ours = await serve(Ours);
  allowed.push(new URL(ours.url).host);
  expect(await take(ours.url)).toMatchObject({ name: 'ours', version: '3.1.4', skills: ['double', 'says'], import: { protocol: 'svc' } });
  expect((await getAgent(ada, { name: 'ours' })).card?.skills[0]?.input_schema).toMatchObject({ properties: { n: { type: 'integer' } }, required: ['n'] });
  expect(await t.call(ada, 'ours', 'double', { n: 21 })).toMatchObject({ status: 200, body: { twice: 42 } });
  const { body } = await t.call(ada, 'ours', 'says', {}, 'text/event-stream');
  const events = (await Array.fromAsync(body as AsyncIterable<Uint8Array>)).map((one) => Buffer.from(one).toString()).join('');
  expect(events).toMatch(/"text":"one "[\s\S]*"text":"two"[\s\S]*"result":"said"[\s\S]*event: receipt/);
});

describe('addresses that lead inside are refused, and not asked', () => {
  test.each([
    'http://127.0.0.1:9/', 'https://127.0.0.1/', 'https://localhost/', 'https://x.localhost/', 'https://10.0.0.1/', 'https://192.168.1.1/', 'https://169.254.169.254/latest',
    'https://[::1]/', 'https://[::ffff:127.0.0.1]/', 'https://[fd00::1]/', 'https://[fe80::1]/', 'https://[64:ff9b::7f00:1]/', 'https://0.0.0.0/', 'https://2130706433/', 'https://0x7f.1/',
    'https://intranet/', 'https://user:pass@example.com/', 'http://example.com/',
  ])('%s', async (url) => {
    expect(await refusal(take(url))).toMatch(/^remote_address_refused: The address /);
  }); // prettier-ignore

  test('a name whose address is internal, now or only the second time it is looked up', async () => {
    const asked: string[] = [];
    const inside = createServer((_request, response) => void response.end(JSON.stringify(a2aCardJson('https://name.example.com'))));
    await new Promise<void>((resolve) => inside.listen(0, '127.0.0.1', resolve));
    onTestFinished(() => void inside.close());
    const answers = [['127.0.0.1'], ['169.254.169.254'], ['::ffff:7f00:1'], ['10.1.2.3', '127.0.0.1']];
    for (const answer of answers) {
      const agents = remoteAgents({ lookup: (host) => (asked.push(host), Promise.resolve(answer)), connectMs: 2_000 });
      const look = agents.discover({ url: 'https://name.example.com/', credentials: NO_CREDENTIALS, signal: AbortSignal.timeout(10_000) });
      expect(await refusal(look)).toMatch(/^remote_(?:unreachable|not_an_agent): .*not reached: the name service knows no address/);
      const token = agents.refresh({ token_url: 'https://name.example.com/token', refresh_token: 'r', signal: AbortSignal.timeout(10_000) });
      expect(await refusal(token)).toMatch(/^remote_unreachable/);
      await agents.close();
    }
    expect(asked.length).toBeGreaterThanOrEqual(answers.length * 2);
  });

  test('a redirect into the inside', async () => {
    const secret = await a2aRemote();
    onTestFinished(() => secret.close());
    const remote = await there(junkRemote('', { location: `${secret.url}/.well-known/agent-card.json` }, 302));
    expect(await refusal(take(remote.url))).toMatch(/^remote_address_refused/);
    expect(secret.seen).toEqual([]);
  });
});

describe('what is no card', () => {
  const deep = (levels: number): unknown => (levels === 0 ? { type: 'string' } : { type: 'object', properties: { x: deep(levels - 1) } });
  test.each([
    ['nothing', () => junkRemote('', {}, 404), /^remote_not_an_agent: No agent was found at .*agent-card\.json: 404/],
    ['a page', () => junkRemote('<html>'), /^remote_not_an_agent/],
    ['a list', () => junkRemote('[1]'), /^remote_not_an_agent/],
    ['a list of lists of lists …', () => junkRemote(`${'['.repeat(100_000)}${']'.repeat(100_000)}`), /^remote_card_invalid: .*nested more than/],
    ['too much', () => junkRemote(() => 'x'.repeat(1_048_577)), /^remote_too_large/],
    ['no skills', () => a2aRemote({ card: { skills: [] } }), /^remote_card_invalid: The card lists no skills/],
    [
      'too many skills',
      () => a2aRemote({ card: { skills: Array.from({ length: 257 }, (_, n) => ({ id: `s${n}`, name: 's' })) } }),
      /257 skills; the most is 256/,
    ],
    [
      'an interface of another kind',
      () => a2aRemote({ card: { supportedInterfaces: [{ url: 'https://x', protocolBinding: 'GRPC' }] } }),
      /no interface that is spoken here.*GRPC/,
    ],
    [
      'a card that sends calls elsewhere',
      () => a2aRemote({ card: { supportedInterfaces: [{ url: 'https://elsewhere.example.com/rpc', protocolBinding: 'JSONRPC' }] } }),
      /sends calls to https:\/\/elsewhere\.example\.com/,
    ],
    ['a loop of redirects', () => junkRemote('', { location: '/' }, 302), /^remote_unreachable: .*redirects more than 5 times/],
  ] as const)('%s', async (_, make, message) => {
    const remote = await there(make());
    expect(await refusal(take(remote.url))).toMatch(message);
  });

  test('schemas that grow when their references are followed, or are too deep, are refused', async () => {
    const { checkedSchema, checkedInputSchema } = await import('#drivers/remote-agent/schemas.ts');
    const bomb: Record<string, unknown> = { $ref: '#/$defs/a0', $defs: Object.fromEntries(Array.from({ length: 20 }, (_, n) => [`a${n}`, { allOf: Array.from({ length: 8 }, () => ({ $ref: `#/$defs/a${n + 1}` })) }])) }; // prettier-ignore
    expect(() => checkedSchema(bomb, 'It')).toThrow(/more than 20000 parts/);
    expect(() => checkedSchema(deep(40), 'It')).toThrow(/nested more than/);
    expect(() => checkedInputSchema({ type: 'string' }, 'It')).toThrow(/not of type "object"/);
    const tree = { type: 'object', properties: { pattern: { type: 'string', pattern: '^(a+)+$' }, kids: { type: 'array', items: { $ref: '#' } } } };
    expect(checkedInputSchema(tree, 'It')).toEqual({ type: 'object', properties: { pattern: { type: 'string' }, kids: tree.properties.kids } });
  });

  test('names that meet get a mark of their own, always the same', async () => {
    const skills = ['say it', 'say.it', 'answer_question', '9 lives', '日本'].map((id) => ({ id, name: id }));
    const remote = await there(a2aRemote({ card: { name: 'Clash', skills } }));
    const { skills: named } = await take(remote.url);
    expect(named).toEqual([expect.stringMatching(/^say_it_[0-9a-f]{6}$/), expect.stringMatching(/^say_it_[0-9a-f]{6}$/), expect.stringMatching(/^answer_question_[0-9a-f]{6}$/), 's_9_lives', expect.stringMatching(/^skill_/)]); // prettier-ignore
    expect((await take(remote.url)).skills).toEqual(named);
    expect(await t.call(ada, 'clash', named[1] ?? '', { text: 'hi' })).toMatchObject({ status: 200 });
  });

  test('a name of another agent', async () => {
    const remote = await there(a2aRemote());
    const { name } = await addAgent(t.ctx.db, ada.actor.user_id, { live: true });
    const ben = await t.user('ben');
    const theirs = await addAgent(t.ctx.db, ben.actor.user_id);
    expect(await refusal(take(remote.url, name))).toMatch(/^agent_exists/);
    expect(await refusal(take(remote.url, theirs.name))).toMatch(/^name_taken/);
    expect(await refusal(take(remote.url, 'mine'))).toMatch(/^name_reserved/);
  });
});

describe('an imported agent is looked at again', () => {
  // Well in the past: PostgreSQL's now() has microseconds, a process's clock is up to a millisecond behind
  // it.
  const due = (name: string) => t.ctx.db('agent_imports').whereIn('agent_id', t.ctx.db('agents').where({ name }).select('agent_id')).update({ next_probe_at: new Date(t.ctx.clock() - 60_000) }); // prettier-ignore

  test('one that does not answer says so and comes last in a search, until it answers again; one that changed says what', async () => {
    const card: Record<string, unknown> = { name: 'Zebra Probe', description: 'stripes' };
    const first = await there(a2aRemote({ card }));
    const { port } = new URL(first.url);
    await take(first.url);
    const other = await there(a2aRemote({ card: { name: 'Zebra Other', description: 'a zebra' } }));
    await take(other.url);
    const order = async (): Promise<string[]> => (await searchAgents(ada, { q: 'zebra stripes probe', limit: 5 })).concat(await searchAgents(ada, { q: 'zebra', limit: 5 })).map(({ name }) => name); // prettier-ignore
    expect(await order()).toContain('zebra-probe');
    await first.close();
    await due('zebra-probe');
    expect(await probeImports(t.ctx)).toEqual(['zebra-probe']);
    const silent = await getMine(ada, { name: 'zebra-probe' });
    expect(silent).toMatchObject({
      state: 'live',
      out_of_service: { reason: expect.stringContaining('does not answer') },
      imported: { failure: { code: 'remote_unreachable' } },
    });
    expect(silent.imported?.unanswered_since).not.toBeNull();
    expect(await t.ctx.db('agents').where({ name: 'zebra-probe' }).first('unanswered')).toEqual({ unanswered: true });
    expect((await searchAgents(ada, { q: 'zebra', limit: 5 })).map(({ name }) => name).at(-1)).toBe('zebra-probe');
    expect(await refusal(t.call(ada, 'zebra-probe', 'say_it', { text: 'hi' }))).toMatch(/^remote_failed: .*does not answer/);

    const skills = [
      { id: 'say it', name: 'Say' },
      { id: 'sing', name: 'Sing' },
    ];
    const again = await there(a2aRemote({ port: Number(port), card: { ...card, skills, version: '3.0.0' } })); // prettier-ignore
    await due('zebra-probe');
    expect(await probeImports(t.ctx)).toEqual(['zebra-probe']);
    const back = await getMine(ada, { name: 'zebra-probe' });
    expect(back).toMatchObject({
      version: '3.0.0',
      skills: ['say_it', 'sing'],
      out_of_service: null,
      deploy_count: 2,
      imported: { failure: null, unanswered_since: null },
    });
    expect(await t.ctx.db('agents').where({ name: 'zebra-probe' }).first('unanswered')).toEqual({ unanswered: false });
    const { hours, changes } = await agentUptime(ada, { name: 'zebra-probe' });
    expect(changes.map(({ is_well }) => is_well)).toEqual([true, false]);
    expect(hours.reduce((sum, { looks }) => sum + looks, 0)).toBeGreaterThanOrEqual(2);
    expect(back.imported?.changes).toEqual(expect.arrayContaining(['new skills: sing', 'version 2.1.0 is 3.0.0 now']));
    expect(await t.call(ada, 'zebra-probe', 'sing', { text: 'la' })).toMatchObject({ status: 200, body: { text: 'you said: la' } });
    expect(again.seen.length).toBeGreaterThan(1);
  });

  test('it has no source here, and goes like any other', async () => {
    const remote = await there(a2aRemote({ card: { name: 'Gone Soon' } }));
    const { name } = await take(remote.url);
    expect(await refusal(redeploySource(ada, { name }))).toMatch(/^agent_imported/);
    await deleteAgent(ada, { name });
    expect(await refusal(t.call(ada, name, 'say_it', { text: 'hi' }))).toMatch(/^agent_not_found/);
    expect(await t.ctx.db('agent_imports').where({ url: remote.url })).toEqual([]);
  });
});
