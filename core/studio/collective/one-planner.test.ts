// Chat, with a language model and without, composed agents and teams choose the same agent for the same need.
import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { AgentComposeIn } from '#contract/deploys/compose.ts';
import { LlmCredentialIn } from '#contract/money/llm-creds.ts';
import { TeamPlanIn } from '#contract/studio/collective-runtime.ts';
import type { LanguageModels, ModelRequest } from '#drivers/llm/port.ts';
import { testContext, type TestContext, type TestUser } from '#test/support/context.ts';
import { type LiveAgent, liveAgent } from '#test/support/runs.ts';
import { composeAgent } from '../../deploys/compose/compose.ts';
import type { Ctx } from '../../kernel/ctx.ts';
import { newId } from '../../kernel/ids.ts';
import { putCredential } from '../../money/llm/put.ts';
import { pickSkills } from '../../conversation/pick/pick.ts';
import { createPlan } from '../../conversation/plan/create.ts';
import { thinkOfPlan } from '../../conversation/plan/think.ts';
import { inTx } from '../../kernel/tx.ts';
import { planTeam } from './plan.ts';

const GOAL = 'appraise paintings';
const usage = { inputTokens: 1, cachedInputTokens: 0, cacheWriteTokens: 0, outputTokens: 1 };
const asked: ModelRequest[] = [];
const models: LanguageModels = {
  checkAddress: () => undefined,
  async *stream(_target, request) {
    asked.push(request);
    yield { type: 'text', text: 'Done.' };
    yield { type: 'end', reason: 'stop', usage };
  },
  generate: () => Promise.reject(new Error('not used')),
  exchange: () => Promise.reject(new Error('not used')),
};

let t: TestContext;
let ben: TestUser;
beforeAll(async () => {
  t = await testContext();
  ben = await t.user('ben');
});
afterAll(() => t.close());

interface Kind {
  description?: string;
  required?: string[];
  calls?: number;
  good?: number;
  bad?: number;
  priceMicros?: number;
}

/** Somebody's agents that all could do it, as ben offers them or as the person's own. */
async function offered(person: TestUser, tag: string, kinds: Record<string, Kind & { owner?: TestUser }>): Promise<Map<string, string>> {
  const names = new Map<string, string>();
  for (const [kind, of] of Object.entries(kinds)) {
    const owner = of.owner ?? ben;
    const properties = Object.fromEntries(['text', ...(of.required ?? [])].map((name) => [name, { type: name === 'text' ? 'string' : 'number' }]));
    const skills = [
      {
        id: 'appraise',
        name: 'appraise',
        description: of.description ?? 'Paintings',
        input_schema: { type: 'object', properties, required: of.required ?? ['text'] },
        output_schema: {},
      },
    ];
    const agent = await liveAgent(t.ctx, owner.actor.user_id, { card: { skills }, visibility: 'public' });
    await t.ctx
      .db('agents')
      .where({ agent_id: agent.id })
      .update({ tags: [tag], skills: ['appraise'], call_count: of.calls ?? 0, search_text: `${agent.name} appraise ${of.description ?? 'paintings'}` });
    const { good = 0, bad = 0 } = of;
    await t.ctx.db('scorecards').insert({ account_id: person.actor.user_id, agent_id: agent.id, good, bad, calls: good + bad, as_of: new Date() });
    if (of.priceMicros !== undefined) await priced(agent, of.priceMicros);
    names.set(agent.name, kind);
  }
  return names;
}

async function priced(agent: LiveAgent, micros: number): Promise<void> {
  const at = new Date();
  const none = { second_micros: 0, token_micros: 0, artifact_micros: 0, free_calls: 0 };
  const row = {
    price_id: newId('prc'),
    agent_id: agent.id,
    skill: 'appraise',
    version: 1,
    call_micros: micros,
    max_micros: micros,
    valid_from: at,
    created_at: at,
  };
  await t.ctx.db('skill_prices').insert({ ...row, ...none });
}

/** What each would call first. */
async function chosen(
  person: TestUser,
  tag: string,
  names: ReadonlyMap<string, string>,
): Promise<Record<'chat' | 'model' | 'composed' | 'team', string | undefined>> {
  const kind = (agent: string | null | undefined): string | undefined => names.get(agent ?? '');
  const { candidates } = await pickSkills(t.ctx, person.actor.user_id, GOAL);
  const composed = await composeAgent(
    person,
    AgentComposeIn.parse({ name: `made-${randomUUID().slice(0, 8)}`, goal: { objective: GOAL }, composition: { sub_agents: [{ tag, skills: ['appraise'] }] } }),
  );
  const team = await planTeam(person, TeamPlanIn.parse({ protocol: 'single_agent_task', goal: GOAL }));
  return {
    chat: kind(candidates[0]?.agent),
    model: kind(await offeredFirst(person)),
    composed: kind(composed.sub_agents[0]?.agent),
    team: kind(team.members[0]?.agent),
  };
}

/** The first tool that a language model is given for the same words. */
async function offeredFirst(person: TestUser): Promise<string | undefined> {
  const ctx: Ctx = { ...t.ctx, drivers: { ...t.ctx.drivers, llm: models } };
  const key = LlmCredentialIn.parse({ name: 'main', provider: 'openai', api_key: 'sk-test-0000000000', default: true });
  await putCredential({ ...ctx, actor: person.actor }, key);
  const { dag_run_id } = await inTx(person, (ctx) =>
    createPlan(ctx, { ownerId: person.actor.user_id, threadId: null, title: GOAL, planner: 'model', nodes: [] }),
  );
  await thinkOfPlan(ctx, dag_run_id, AbortSignal.timeout(10_000));
  return asked.at(-1)?.tools?.[0]?.name.replace(/__appraise$/, '');
}

const all = (kind: string) => ({ chat: kind, model: kind, composed: kind, team: kind });
const person = () => t.user(`person-${randomUUID().slice(0, 8)}`);

test('of what fits alike, the one that is surely good, however often the others are called', async () => {
  const ada = await person();
  const names = await offered(ada, 'art-good', { proven: { good: 30 }, famous: { calls: 9_000 }, lucky: { good: 1 }, own: { owner: ada } });
  expect(await chosen(ada, 'art-good', names)).toEqual(all('proven'));
  await t.ctx.db('scorecards').where({ account_id: ada.actor.user_id }).update({ good: 0, bad: 20 });
  await t.ctx
    .db('agents')
    .whereIn('name', [...names.keys()])
    .update({ unanswered: false });
  await t.ctx.db('scorecards').where({ account_id: ada.actor.user_id }).whereIn('agent_id', t.ctx.db('agents').where({ owner_id: ada.actor.user_id }).select('agent_id')).update({ bad: 0 }); // prettier-ignore
  expect(await chosen(ada, 'art-good', names)).toEqual(all('own'));
  await gone(names);
});

test('the own one among equals, then the cheaper one', async () => {
  const ada = await person();
  const dear = await offered(ada, 'art-price', { dear: { priceMicros: 500_000, calls: 5 }, cheap: { priceMicros: 1_000 } });
  expect(await chosen(ada, 'art-price', dear)).toEqual(all('cheap'));
  const own = await offered(ada, 'art-price', { own: { owner: ada } });
  expect(await chosen(ada, 'art-price', new Map([...dear, ...own]))).toEqual(all('own'));
  await gone(new Map([...dear, ...own]));
});

test('what can take the arguments before what lacks one, and what fits far better before what is better known', async () => {
  const ada = await person();
  const able = await offered(ada, 'art-able', { able: {}, lacking: { required: ['width', 'height'], calls: 50 } });
  expect((await chosen(ada, 'art-able', able)).team).toBe('able');
  await gone(able);
  const fitting = await offered(ada, 'art-fit', { fitting: {}, known: { description: 'Sculptures', good: 3 } });
  expect(await chosen(ada, 'art-fit', fitting)).toEqual(all('fitting'));
  await gone(fitting);
});

test('what is blocked is chosen nowhere, and what does not answer only where a person sees it', async () => {
  const ada = await person();
  const names = await offered(ada, 'art-blocked', { leaking: { good: 50 }, silent: { good: 40 }, plain: {} });
  const of = (kind: string): string => [...names].find(([, one]) => one === kind)?.[0] ?? '';
  const leaking = await t.ctx.db('agents').where({ name: of('leaking') }).first('agent_id', 'live_deploy_id'); // prettier-ignore
  await t.ctx.db('agent_findings').insert({ finding_id: newId('fnd'), agent_id: leaking?.agent_id, source: 'review_run', deploy_id: leaking?.live_deploy_id, hash: 'x', severity: 'critical', rule: 'r', title: 'It leaks', message: 'm', confirmed: true, state: 'open', created_at: new Date() } as never); // prettier-ignore
  await t.ctx.db('agents').where({ name: of('silent') }).update({ unanswered: true }); // prettier-ignore
  expect(await chosen(ada, 'art-blocked', names)).toEqual(all('plain'));
  const { candidates } = await pickSkills(t.ctx, ada.actor.user_id, GOAL);
  expect(candidates.map(({ agent }) => names.get(agent))).toEqual(['plain', 'silent']);
  await gone(names);
});

async function gone(names: ReadonlyMap<string, string>): Promise<void> {
  await t.ctx
    .db('agents')
    .whereIn('name', [...names.keys()])
    .update({ deleted_at: new Date() });
}
