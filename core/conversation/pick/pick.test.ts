import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { AgentCard } from '#contract/wire/card.ts';
import { testContext, type TestContext, type TestUser } from '#test/support/context.ts';
import { liveAgent } from '#test/support/runs.ts';
import { startTurn, type BegunTurn } from '../chat/begin.ts';
import { fill } from './form.ts';
import { pickSkills } from './pick.ts';
import { presentTurn, type Turn } from '../chat/present.ts';

const schema = {
  type: 'object',
  properties: {
    amount: { type: 'number' },
    unit: { type: 'string', enum: ['km', 'mi'] },
    exact: { type: 'boolean' },
    note: { type: 'string' },
    times: { type: 'integer' },
  },
  required: ['amount', 'unit'],
};

describe('a form', () => {
  test('takes from a message what stands there by its name, with its type, and nothing else', () => {
    expect(fill('convert amount: 12.5 and unit=KM, exact: true, note: "as far as \\"here\\""', schema)).toEqual({
      args: { amount: 12.5, unit: 'km', exact: true, note: 'as far as "here"' },
      missing: [],
    });
    expect(fill('convert 12 km please', schema)).toEqual({ args: {}, missing: ['amount', 'unit'] });
    expect(fill('amount: many, times: 1.5, exact: yes, unit: yards', schema)).toEqual({ args: {}, missing: ['amount', 'unit'] });
    expect(fill('do it with {"amount": 1, "unit": "mi"}', schema).args).toEqual({ amount: 1, unit: 'mi' });
    expect(fill('do it with {"amount": 1, "sudo": true}', schema).args).toEqual({});
    expect(fill('constructor: x, __proto__: y, toString=z', schema).args).toEqual({});
  });

  test('of one text takes the one that is quoted; an apostrophe quotes nothing', () => {
    const text = { type: 'object', properties: { text: { type: 'string' } }, required: ['text'] };
    expect(fill('slugify "Hello World" for me', text)).toEqual({ args: { text: 'Hello World' }, missing: [] });
    expect(fill("let's slugify what's there", text).missing).toEqual(['text']);
    expect(fill('"one" or "two"', text).missing).toEqual(['text']);
  });

  test('of a schema that is none, or hostile, asks for nothing', () => {
    for (const odd of [{}, { required: 'x' }, { properties: 7, required: [1, null] }, { required: ['toString'] }])
      expect(fill('a: 1 {"b": 2', odd)).toMatchObject({ args: {} });
  });
});

describe('words', () => {
  let t: TestContext;
  let ada: TestUser;
  let ben: TestUser;
  const add = async (owner: TestUser, id: string, more: { description: string; visibility?: 'public' | 'unlisted'; input?: object }): Promise<string> => {
    const made = await liveAgent(t.ctx, owner.actor.user_id, { visibility: more.visibility ?? 'unlisted' });
    const input_schema = more.input ?? { type: 'object', properties: { text: { type: 'string' } }, required: ['text'] };
    const skills = [{ id, name: id, description: more.description, input_schema, output_schema: {} }];
    const card = JSON.stringify(AgentCard.parse({ name: made.name, description: '', version: '1.0.0', skills }));
    await t.ctx
      .db('agents')
      .where({ agent_id: made.id })
      .update({ card, search_text: `${made.name} ${id} ${more.description}` });
    return made.name;
  };
  let slugger = '';
  let foreign = '';
  beforeAll(async () => {
    t = await testContext();
    [ada, ben] = [await t.user('ada'), await t.user('ben')];
    slugger = await add(ada, 'slugify', { description: 'Makes a slug of a title' });
    await add(ada, 'weather', { description: 'Tells the weather of a city' });
    foreign = await add(ben, 'translate', { description: 'Translates a text', visibility: 'public' });
    await add(ben, 'secret_translate', { description: 'Translates a text' });
  });
  afterAll(() => t.close());

  const say = (message: string, as = ada): Promise<BegunTurn> => startTurn({ ...as, requestId: randomUUID() }, { message, model: true });
  const shown = async ({ turn }: BegunTurn): Promise<Turn> => {
    const found = await presentTurn(t.ctx, turn.turn_id);
    if (!found) throw new Error('no turn');
    return found;
  };

  test('that one own skill fits, with all it needs, call it; what is missing is a form', async () => {
    expect(await shown(await say('please slugify "Hello World"'))).toMatchObject({
      reading: 'picked',
      state: 'running',
      runs: [{ agent: slugger, skill: 'slugify' }],
    });
    const form = await shown(await say('make a slug'));
    expect(form).toMatchObject({
      reading: 'candidates',
      state: 'succeeded',
      runs: [],
      candidates: [{ agent: slugger, skill: 'slugify', missing: ['text'], mine: true }],
    });
    expect(form.candidates[0]?.say).toBe(`@${slugger}.slugify {"text":"<text>"}`);
    expect(form.text).toContain('It needs: text');
  });

  test("another's agent is never called only for words, unless they name it; what cannot be seen is not found", async () => {
    expect(await shown(await say('translate "guten Tag"'))).toMatchObject({
      reading: 'candidates',
      runs: [],
      candidates: [{ agent: foreign, args: { text: 'guten Tag' } }],
    });
    expect(await shown(await say(`translate with ${foreign} "guten Tag"`))).toMatchObject({ reading: 'picked', runs: [{ agent: foreign }] });
    const { candidates } = await pickSkills(t.ctx, ada.actor.user_id, 'secret translate');
    expect(candidates.map(({ skill }) => skill)).not.toContain('secret_translate');
  });

  test('an agent that does not answer is offered after all others, however well it fits, and not called for words', async () => {
    const [gone, here] = [await add(ada, 'weigh_parcel', { description: 'Weighs a parcel' }), await add(ada, 'parcel_post', { description: 'Posts it' })];
    const best = async (): Promise<string | undefined> => (await pickSkills(t.ctx, ada.actor.user_id, 'weigh parcel')).candidates[0]?.agent;
    expect(await best()).toBe(gone);
    await t.ctx.db('agents').where({ name: gone }).update({ unanswered: true });
    expect(await best()).toBe(here);
    expect((await pickSkills(t.ctx, ada.actor.user_id, 'weigh parcel "x"')).clear).toBe(false);
  });

  test('that fit nothing say so; a misspelt one is understood where the listing knows it', async () => {
    expect(await shown(await say('quantum chromodynamics'))).toMatchObject({ reading: 'nothing', state: 'succeeded', candidates: [], runs: [] });
    expect(await shown(await say('the and of with'))).toMatchObject({ reading: 'nothing' });
  });

  test('of every kind do no harm: operators, quotes, zero bytes, ten thousand words', async () => {
    for (const text of [
      "' | '' & !( <->",
      `"; drop table agents; --`,
      'slug\0ify',
      '\ud800 slug',
      ':* & slug:*',
      '(((('.repeat(500),
      'word '.repeat(10_000),
      '{"'.repeat(5000),
      `slug ${'“'.repeat(60_000)}`,
    ]) {
      const turn = await say(text).catch((error: Error) => error);
      if (turn instanceof Error) expect(turn.name).toMatch(/Invalid|BadRequest/);
      else expect(['picked', 'candidates', 'nothing']).toContain((await shown(turn)).reading);
    }
    expect(await t.ctx.db('agents').first('agent_id')).toBeDefined();
  });

  test('a filled form is called as it is; an agent that does not exist, or cannot be seen, is not found', async () => {
    const begun = await startTurn({ ...ada, requestId: randomUUID() }, { message: '', agent: slugger, args: { text: 'x' }, model: true });
    expect(await shown(begun)).toMatchObject({ reading: 'call', runs: [{ agent: slugger, skill: 'slugify' }] });
    await expect(say(`@${slugger}.nothing {}`)).rejects.toMatchObject({ code: 'skill_not_found' });
    await expect(say(`@${slugger}.slugify {}`, ben)).rejects.toMatchObject({ code: 'agent_not_found' });
    await expect(say('@no-such-agent {}')).rejects.toMatchObject({ code: 'agent_not_found' });
    await expect(say(`@${slugger}`)).rejects.toMatchObject({ issues: [{ path: ['body', 'message', 0] }] });
    await expect(say(`@${slugger}.slugify {"text": "$2.result"}`)).rejects.toMatchObject({ issues: [{ path: ['body', 'message', 0] }] });
  });
});
