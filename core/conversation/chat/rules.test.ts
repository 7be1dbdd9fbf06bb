// Plans that rules read in a person's words: on a real database, as a turn of a conversation begins and its
// plan goes on.
import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { AgentCard } from '#contract/wire/card.ts';
import { testContext, type TestContext, type TestUser } from '#test/support/context.ts';
import { liveAgent } from '#test/support/runs.ts';
import { openStates } from '../../jobs/model.ts';
import { transitionJob } from '../../jobs/transition.ts';
import { advancePlan } from '../plan/advance.ts';
import { getPlan } from '../plan/read.ts';
import { recordWaitOutcome } from '../../pauses/wait/record-outcome.ts';
import { startTurn } from './begin.ts';
import { clauseOf, clausesOf, mentionsOf, unsureWord } from './clauses.ts';
import { presentTurn, type Turn } from './present.ts';

const text = { type: 'string' };
const number = { type: 'number' };
const table = { type: 'array', items: { type: 'array', items: number } };
const form = (properties: Record<string, object>, required = Object.keys(properties)): Record<string, unknown> => ({ type: 'object', properties, required });

describe('a message', () => {
  const clauses = (message: string): [string, boolean][] => clausesOf(clauseOf(message)).map(({ text: said, waits }) => [said.trim(), waits]);

  test('is cut at words of order, and never inside quotes or JSON', () => {
    expect(clauses('outline "first, then second", then compare it; after that tell {"x": "a then b"} -> end')).toEqual([
      ['outline "first, then second",', false],
      ['compare it', true],
      ['tell {"x": "a then b"}', true],
      ['end', true],
    ]);
    expect(clauses('Then slugify it und dann outline')).toEqual([
      ['slugify it', true],
      ['outline', true],
    ]);
    expect(clauses('strengthen; "then" `then` “then”')).toEqual([['strengthen', false]]);
  });

  test('with a condition, a choice or a refusal is not for rules; an argument of that name is', () => {
    expect(unsureWord(clauseOf("outline it, but don't compare it"))).toBe("don't");
    expect(unsureWord(clauseOf('outline it unless it is short'))).toBe('unless');
    expect(unsureWord(clauseOf('compare before: "a" after="b" with "c or d"'))).toBeUndefined();
  });

  test('hands over quotes and back references in its order; open quotes cost no time', () => {
    expect(mentionsOf(clauseOf('compare it with "b" and the result with “c”'))).toEqual([
      { kind: 'back' },
      { kind: 'quote', text: 'b' },
      { kind: 'back' },
      { kind: 'quote', text: 'c' },
    ]);
    for (const hostile of ['“', '`', '"\\', '{"', '{"a":"“', 'then ', 'it and '])
      expect(mentionsOf(clausesOf(clauseOf(hostile.repeat(60_000 / hostile.length))).at(0) ?? clauseOf('')).length).toBeGreaterThanOrEqual(0);
  });
});

describe('rules', () => {
  let t: TestContext;
  let ada: TestUser;
  let ben: TestUser;
  let kit = '';
  let foreign = '';
  const add = async (
    owner: TestUser,
    description: string,
    skills: Record<string, [input: object, output: object, says: string]>,
    more = {},
  ): Promise<string> => {
    const made = await liveAgent(t.ctx, owner.actor.user_id, { visibility: owner === ben ? 'public' : 'unlisted' });
    const list = Object.entries(skills).map(([id, [input_schema, output_schema, says]]) => ({ id, name: id, description: says, input_schema, output_schema }));
    const card = JSON.stringify(AgentCard.parse({ name: made.name, description, version: '1.0.0', skills: list, ...more }));
    const said = list.map(({ id, description: says }) => `${id} ${says}`).join(' ');
    await t.ctx
      .db('agents')
      .where({ agent_id: made.id })
      .update({ card, search_text: `${made.name} ${description} ${said}` });
    await t.ctx.db('deployments').where({ deploy_id: made.deployId }).update({ card });
    return made.name;
  };
  beforeAll(async () => {
    t = await testContext();
    [ada, ben] = [await t.user('ada'), await t.user('ben')];
    kit = await add(ada, 'Works on writing', {
      outline: [form({ markdown: text }), form({ headings: { type: 'array', items: text }, words: number }), 'Outlines a document'],
      compare: [form({ before: text, after: text }), form({ similarity: number }), 'Compares two versions'],
      shorten: [form({ text }), form({ summary: text }), 'Shortens a writing'],
      slugify: [form({ title: text }), form({ slug: text }), 'Makes a slug'],
      extract: [form({ path: text }), form({ table }), 'Extracts the numbers of a file'],
      chart: [form({ table }), form({ svg: text, alt: text }), 'Draws a chart'],
      poem: [form({ topic: text }), form({ verses: text }), 'Writes'],
      poem_print: [form({ verses: text }), form({ pdf: text }), 'Sets'],
      frame: [form({ svg: text }), form({ svg: text }), 'Frames a drawing'],
    });
    foreign = await add(ben, 'Languages', { translate: [form({ phrase: text }), form({ phrase: text }), 'Translates a phrase'] });
  });
  afterAll(() => t.close());

  const begin = async (message: string): Promise<Turn> => {
    const { turn } = await startTurn({ ...ada, requestId: randomUUID() }, { message, model: true });
    const shown = await presentTurn(t.ctx, turn.turn_id);
    if (!shown) throw new Error('no turn');
    return shown;
  };
  const plan = async (message: string) => {
    const turn = await begin(message);
    expect(turn, turn.text).toMatchObject({ reading: 'plan', state: 'running' });
    const { planner, nodes } = await getPlan(ada, { dag_run_id: turn.dag_run_id ?? '' });
    expect(planner).toBe('rules');
    return nodes.map(({ agent, skill, args, depends_on }) => ({ agent, skill, args, depends_on }));
  };
  const asked = async (message: string): Promise<string> => {
    const turn = await begin(message);
    expect(turn).toMatchObject({ reading: 'candidates', state: 'succeeded', runs: [], dag_run_id: null });
    expect(await t.ctx.db('dag_runs').where({ thread_id: turn.thread_id })).toEqual([]);
    return turn.text;
  };

  test('read steps with references between them, and run them in their order to the result', async () => {
    const turn = await begin('First shorten "A long story", then slugify it');
    const dag = turn.dag_run_id ?? '';
    const { nodes } = await getPlan(ada, { dag_run_id: dag });
    expect(nodes).toMatchObject([
      { agent: kit, skill: 'shorten', args: { text: 'A long story' }, depends_on: [] },
      { agent: kit, skill: 'slugify', args: { title: '$1.result.summary' }, depends_on: [1] },
    ]);
    await advancePlan(t.ctx, dag);
    const finish = async (at: number, result: unknown): Promise<void> => {
      const node = (await getPlan(ada, { dag_run_id: dag })).nodes[at];
      await transitionJob(t.ctx.db, node?.job_id ?? '', { from: openStates, to: 'succeeded', output: { result } });
      await advancePlan(t.ctx, dag);
    };
    await finish(0, { summary: 'A story' });
    const [second] = await t.ctx.db('runs').where({ skill: 'slugify' }).select('args');
    expect(second?.args).toEqual({ title: 'A story' });
    await finish(1, { slug: 'a-story' });
    expect(await presentTurn(t.ctx, turn.turn_id)).toMatchObject({ state: 'succeeded', text: 'a-story' });
  });

  test('split at "and" only where each side asks for a skill of its own', async () => {
    expect(await plan('shorten "x" and slugify title: "bread and butter"')).toMatchObject([
      { skill: 'shorten', args: { text: 'x' }, depends_on: [] },
      { skill: 'slugify', args: { title: 'bread and butter' }, depends_on: [] },
    ]);
    expect(await asked('compare apples and pears')).toContain('compare');
  });

  test('take an input from the only earlier output of its name and type', async () => {
    expect(await plan('extract path: sales.csv, then chart, and then frame')).toMatchObject([
      { skill: 'extract', args: { path: 'sales.csv' } },
      { skill: 'chart', args: { table: '$1.result.table' }, depends_on: [1] },
      { skill: 'frame', args: { svg: '$2.result.svg' }, depends_on: [2] },
    ]);
  });

  test('put a step before one that cannot do without it, where one other skill gives what it needs', async () => {
    expect(await plan('chart the numbers with path: sales.csv')).toMatchObject([
      { skill: 'extract', args: { path: 'sales.csv' }, depends_on: [] },
      { skill: 'chart', args: { table: '$1.result.table' }, depends_on: [1] },
    ]);
    // The same without what the first needs, and where the first alone may be meant.
    expect(await asked('chart the numbers')).toContain('table');
    expect(await begin('extract "sales"')).toMatchObject({ reading: 'picked', runs: [{ skill: 'extract' }] });
    expect(await plan('poem_print with topic: spring')).toMatchObject([{ skill: 'poem' }, { skill: 'poem_print', args: { verses: '$1.result.verses' } }]);
    expect(await asked('poem topic: spring')).toContain('poem');
  });

  test('let a person confirm what was taken by its place; denied, nothing more runs', async () => {
    const turn = await begin('outline "# One", then compare it with "# Two"');
    const dag = turn.dag_run_id ?? '';
    expect((await getPlan(ada, { dag_run_id: dag })).nodes[1]?.args).toEqual({ before: '# One', after: '# Two' });
    await advancePlan(t.ctx, dag);
    const [outline] = (await getPlan(ada, { dag_run_id: dag })).nodes;
    await transitionJob(t.ctx.db, outline?.job_id ?? '', { from: openStates, to: 'succeeded', output: { result: { headings: [], words: 1 } } });
    await advancePlan(t.ctx, dag);
    const waiting = await presentTurn(t.ctx, turn.turn_id);
    expect(waiting).toMatchObject({ state: 'waiting', waits: [{ kind: 'handoff_approval', prompt: expect.stringContaining('Step 2 of your message') }] });
    expect(waiting?.waits[0]?.request).toMatchObject({ foreign: false, preview: expect.stringContaining('"after": "# Two"') });
    await recordWaitOutcome(t.ctx, waiting?.waits[0]?.wait_id ?? '', { decision: 'denied', reason: 'no', by: ada.actor.user_id, request_id: randomUUID() });
    await advancePlan(t.ctx, dag);
    expect(await presentTurn(t.ctx, turn.turn_id)).toMatchObject({ state: 'failed', error: { code: 'step_failed' } });
    expect(await t.ctx.db('runs').where({ skill: 'compare' })).toEqual([]);
  });

  test("ask before another's agent is called, as of a model's choice", async () => {
    const turn = await begin('translate "Guten Tag", then slugify it');
    await advancePlan(t.ctx, turn.dag_run_id ?? '');
    const now = await presentTurn(t.ctx, turn.turn_id);
    expect(now).toMatchObject({ state: 'waiting', runs: [], waits: [{ kind: 'handoff_approval', title: `May ${foreign}.translate be called?` }] });
  });

  test('ask instead of guessing, with the steps as far as they are known', async () => {
    expect(await asked('outline this text, then compare it with that one')).toContain(
      `Step 1 ("outline this text,") needs markdown. Complete and send: @${kit}.outline {"markdown":"<markdown>"} then @${kit}.compare`,
    );
    expect(await asked('shorten "a", then compare it')).toContain('needs before, after');
    expect(await asked('shorten "a", then juggle it')).toMatch(/Step 2 \("juggle it"\) fits no skill.*then @agent\.skill/);
    expect(await asked('slugify title: a "b", then shorten it')).toContain('has no argument for "b"');
    expect(await asked('shorten "a", then slugify it if it is long')).toContain('"if" needs a language model');
    // Two outputs may be meant.
    expect(await asked('extract path: x, then chart, then shorten it')).toContain('needs text');
    expect(await asked(Array.from({ length: 9 }, () => 'slugify "a"').join(' then '))).toContain('at most 8');
  });

  test('take texts as texts: what looks like a reference in quotes is none', async () => {
    expect(await plan('shorten "$1.result", then slugify title: $1.result.summary')).toMatchObject([
      { args: { text: '$$1.result' } },
      { args: { title: '$$1.result.summary' }, depends_on: [1] },
    ]);
  });

  test('leave a message of one skill what it was', async () => {
    expect(await begin('slugify "this then that"')).toMatchObject({ reading: 'picked', runs: [{ skill: 'slugify' }] });
    expect(await begin('quantum then chromodynamics')).toMatchObject({ reading: 'nothing' });
  });
});
