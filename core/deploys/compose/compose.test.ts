// From a manifest to a project that is accepted: agents are found and wired to each other.
import { afterAll, beforeAll, expect, test } from 'vitest';
import { AgentComposeIn } from '#contract/deploys/compose.ts';
import { testContext, type TestContext, type TestUser } from '#test/support/context.ts';
import { liveAgent } from '#test/support/runs.ts';
import { composeAgent } from './compose.ts';
import { literal } from '../../agents/source/literal.ts';
import { cardSkill, foundAgent, search, summarize, text } from './test/skills.ts';
import { wire } from './wire.ts';
import { cites } from '#test/spec/verifies.ts';

let t: TestContext;
let ada: TestUser;
let ben: TestUser;
beforeAll(async () => {
  t = await testContext();
  [ada, ben] = [await t.user('ada'), await t.user('ben')];
});
afterAll(() => t.close());

async function agentWith(
  owner: TestUser,
  skills: object[],
  more: { tags?: string[]; visibility?: 'public' | 'unlisted'; card?: object; calls?: number } = {},
): Promise<string> {
  const { name, id } = await liveAgent(t.ctx, owner.actor.user_id, { card: { skills, ...more.card }, visibility: more.visibility ?? 'unlisted' });
  const names = skills.flatMap((one) => ('id' in one && typeof one.id === 'string' ? [one.id] : []));
  await t.ctx
    .db('agents')
    .where({ agent_id: id })
    .update({ tags: more.tags ?? [], skills: names, call_count: more.calls ?? 0 });
  return name;
}
let made = 0;
const manifest = (sub_agents: object[], composition: object = {}, more: object = {}) =>
  AgentComposeIn.parse({ name: `team-${(made += 1)}`, goal: { objective: 'Answer from the library' }, composition: { sub_agents, ...composition }, ...more });

test('skills are wired by name and type; what nothing gives is an argument of the composed skill; the deploy is queued', cites('agents.compose'), async () => {
  const library = await agentWith(ada, [search, cardSkill('remove', {}, {})]);
  const writer = await agentWith(ben, [summarize], { visibility: 'public' });
  const answer = await composeAgent(
    ada,
    manifest([
      { name: library, skills: ['search'], default_args: { limit: 5 } },
      { name: writer, default_args: { style: 'short' } },
    ]),
  );
  expect(answer).toMatchObject({
    state: 'queued',
    number: 1,
    arguments: ['question'],
    sub_agents: [
      {
        agent: library,
        chosen_by: 'name',
        version: '1.0.0',
        required: true,
        problem: null,
        skills: [{ skill: 'search', arguments: ['limit', 'question'], needs: [] }],
      },
      { agent: writer, skills: [{ skill: 'summarize', arguments: ['style', 'text'], needs: [`${library}.search`] }] },
    ],
  });
  const deployment = await t.ctx.db('deployments').where({ deploy_id: answer.deploy_id }).first();
  expect(deployment).toMatchObject({ state: 'queued', source_sha256: answer.source_sha256 });
  const started = await t.ctx
    .db('outbox')
    .where({ workflow_id: `deploy:${answer.deploy_id}` })
    .first('name');
  expect(started?.name).toBe('deployAgent');
  // Again: the same agent, the next version.
  const again = await composeAgent(ada, manifest([{ name: library, skills: ['search'] }], {}, { name: answer.name }));
  expect(again).toMatchObject({ name: answer.name, number: 2, arguments: ['question', 'limit'] });
});

test('a tag finds the own agents first, then the most called; only those with the skills and the version', async () => {
  const tags = ['lookup'];
  await agentWith(ben, [search], { tags, visibility: 'public', calls: 100 });
  await agentWith(ben, [search], { tags, calls: 1_000 });
  const mine = await agentWith(ada, [search], { tags });
  const chosen = async (user: TestUser, more: object = {}) => (await composeAgent(user, manifest([{ tag: 'lookup', ...more }]))).sub_agents[0]?.agent;
  expect(await chosen(ada)).toBe(mine);
  expect(await chosen(ben)).not.toBe(mine);
  await expect(chosen(ada, { version: '2' })).rejects.toMatchObject({
    issues: [{ path: ['body', 'composition', 'sub_agents', 0, 'tag'], message: expect.stringContaining('not 2') }],
  });
  await expect(chosen(ada, { skills: ['unheard'] })).rejects.toMatchObject({
    issues: [{ message: expect.stringContaining('no live agent with the tag lookup') }],
  });
});

test('every mistake is named at its place, in the form that was sent', async () => {
  const hidden = await agentWith(ben, [search]);
  const two = await agentWith(ada, [search, summarize]);
  const sub_agents = [
    { name: 'no-such-agent' },
    { name: hidden },
    { name: two },
    { name: two, skills: ['fly'] },
    { name: 'itself' },
    { name: hidden, required: false },
  ];
  const nested = AgentComposeIn.parse({ manifest: { name: 'itself', goal: { objective: 'x' }, composition: { sub_agents } } });
  const at = (n: number) => ['body', 'manifest', 'composition', 'sub_agents', n, 'name'];
  await expect(composeAgent(ada, nested)).rejects.toMatchObject({
    issues: [
      { path: at(0), message: 'there is no agent no-such-agent that you can call' },
      { path: at(1), message: `there is no agent ${hidden} that you can call` },
      { path: at(2), message: `${two} has several skills: name those to call in "skills", of search, summarize` },
      { path: at(3), message: `${two} has no skill fly; it has search, summarize` },
      { path: at(4), message: 'an agent cannot be a part of itself' },
    ],
  });
  const wrong = manifest([{ name: two, skills: ['search'], default_args: { limit: 'many', colour: 'red', question: '$nobody.knows.text' } }]);
  await expect(composeAgent(ada, wrong)).rejects.toMatchObject({
    issues: [
      { path: ['body', 'composition', 'sub_agents', 0, 'default_args', 'colour'], message: expect.stringContaining('there are question, limit') },
      { path: expect.arrayContaining(['limit']), message: expect.stringContaining('expected number') },
      { path: expect.arrayContaining(['question']), message: expect.stringContaining(`there are ${two}.search`) },
    ],
  });
  const circle = manifest([
    { name: two, skills: ['search'], default_args: { question: `$${two}.summarize.summary` } },
    { name: two, skills: ['summarize'], default_args: { text: `$${two}.search.text` } },
  ]);
  await expect(composeAgent(ada, circle)).rejects.toMatchObject({ issues: [{ message: `${two}.search takes, over others, its own result` }] });
  await expect(composeAgent(ada, manifest([{ name: two, skills: ['search', 'summarize'] }], { max_nodes: 1 }))).rejects.toMatchObject({
    issues: [{ path: ['body', 'composition', 'max_nodes'], message: expect.stringContaining('2 calls') }],
  });
  await expect(composeAgent(ada, manifest([{ name: hidden, required: false }]))).rejects.toMatchObject({
    issues: [{ message: expect.stringContaining('none of them') }],
  });
});

test('what an agent needs of the caller is asked for before anything is made; not where it is not required', async () => {
  const needy = await agentWith(ada, [search], { card: { consumer_setup: [{ name: 'region', required: true }] } });
  const plain = await agentWith(ada, [summarize]);
  const with_ = (required: boolean) => composeAgent(ada, manifest([{ name: needy, required }, { name: plain }]));
  await expect(with_(true)).rejects.toMatchObject({ code: 'setup_required', details: { agents: [{ agent: needy, fields: ['region'] }] } });
  const [first] = (await with_(false)).sub_agents;
  expect(first).toMatchObject({ agent: needy, required: false, problem: expect.stringContaining(`svc setup ${needy}`) });
});

test('one skill called twice has two steps; arguments of one name that are different get names of their own', async () => {
  const other = cardSkill('count', { limit: text }, {});
  const wanted = AgentComposeIn.parse(manifest([{ name: 'library' }, { name: 'library', required: false }]));
  const { sub_agents } = 'manifest' in wanted ? wanted.manifest.composition : wanted.composition;
  const { steps, inputs } = await wire([foundAgent('library', [search, other]), foundAgent('library', [search])], sub_agents, []);
  expect(steps.map(({ id, args, required, repeatable }) => [id, args, required, repeatable])).toEqual([
    ['library.search', { question: '$input.question', limit: '$input.limit' }, true, true],
    ['library.count', { limit: '$input.count_limit' }, true, false],
    ['library.search_2', { question: '$input.question', limit: '$input.limit' }, false, true],
  ]);
  expect([...inputs.keys()]).toEqual(['question', 'limit', 'count_limit']);
});

test('any JSON is written so that it reads back as the same', async () => {
  const values = [{ a: [1, 'two', null, true, { "it's": '\n"\\' }], ['__proto__']: { x: 1 }, 'b-c': 'x'.repeat(200) }, [], {}, '\u2028</script>', -0.5];
  for (const value of values) {
    const source = `data:text/javascript,${encodeURIComponent(`export const value = ${literal(value)};`)}`;
    expect(((await import(source)) as { value: unknown }).value).toEqual(value);
  }
});
