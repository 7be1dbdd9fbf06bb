// Two recipes of the studio behind the real ingress, called by their owner, by another account and by who is
// not signed in: who is asked, who answers, and who finds what was kept.
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest';
import { createClient } from '#contract/client.ts';
import { ApprovalDesk } from '#core/studio/recipe/approval-desk/project/agent.ts';
import { FormToRecord } from '#core/studio/recipe/form-to-record/project/agent.ts';
import type { Agent } from '#sdk/typescript/index.ts';
import { testAgent } from '#sdk/typescript/testing.ts';
import { type McpWorld, mcpWorld, type Person } from '../protocols/mcp-world.ts';

// The recipes' own import, of this tree.
vi.mock('@svc/sdk', () => import('#sdk/typescript/index.ts'));

/** Ben owns both. */
const recipes = { desk: ApprovalDesk, form: FormToRecord };
const worlds = new Map<keyof typeof recipes, McpWorld>();

beforeAll(async () => {
  for (const [name, recipe] of Object.entries(recipes) as [keyof typeof recipes, new () => Agent][]) {
    const world = await mcpWorld((called) => Object.assign(new recipe(), { name: called, requiredSecrets: [] }));
    const { card } = testAgent(recipe);
    await world.world.ctx
      .db('deployments')
      .where({ deploy_id: world.agent.deployId })
      .update({ card: JSON.stringify({ ...card, name: world.agent.name }) });
    worlds.set(name, world);
  }
});
afterAll(async () => {
  for (const world of worlds.values()) await world.close();
});

function at(name: keyof typeof recipes): McpWorld {
  const world = worlds.get(name);
  if (!world) throw new Error(`no ${name}`);
  return world;
}

interface Answer {
  status: number;
  body: unknown;
}

async function call(name: keyof typeof recipes, skill: string, args: object, who: Person | null): Promise<Answer> {
  const { url, world } = at(name);
  const headers = { 'content-type': 'application/json', prefer: 'wait=60', ...(who && { authorization: `Bearer ${world.tokens[who]}` }) };
  const response = await fetch(new URL(`/invoke/${skill}`, url), { method: 'POST', headers, body: JSON.stringify(args) });
  return { status: response.status, body: await response.json() };
}

describe('the approval desk', () => {
  test.each<[string, Person | null]>([
    ['another account', 'ada'],
    ['who is not signed in', null],
    ['the owner', 'ben'],
  ])('a request of %s waits for the owner', async (who, person) => {
    const { world } = at('desk');
    const inbox = (of: Person) => createClient({ baseUrl: world.url, token: world.tokens[of] }).inbox;
    const request = { reference: `trip-${person}`, title: `A trip of ${who}`, amount: 900 };
    const decided = call('desk', 'decide', request, person);
    const wait = await vi.waitFor(
      async () => (await inbox('ben').waits({ query: {} })).items.find(({ prompt }) => prompt.includes(request.title)) ?? expect.fail('not asked'),
    );
    const answer = { params: { request_id: wait.wait_id }, body: { values: { decision: 'deny', comment: 'too far' } } };
    await expect(world.as('ada').chat.giveInput(answer)).rejects.toMatchObject({ status: 404 });
    expect(JSON.stringify(await inbox('ada').waits({ query: {} }))).not.toContain(request.title);
    await world.as('ben').chat.giveInput(answer);
    expect(await decided).toMatchObject({ status: 200, body: { decision: { decision: 'denied', by: 'person', comment: 'too far' }, repeated: false } });
    expect(await call('desk', 'decide', request, person)).toMatchObject({ status: 200, body: { repeated: true } });
  });

  test('each requester looks up their own decision, the owner all, and nobody else', async () => {
    const own = async (who: Person) => (await call('desk', 'list_decisions', {}, who)).body;
    expect(await own('ada')).toMatchObject({ decisions: [{ reference: 'trip-ada', decision: 'denied' }] });
    expect(await call('desk', 'decision', { reference: 'trip-ada' }, 'ada')).toMatchObject({ body: { decision: { title: 'A trip of another account' } } });
    expect(await call('desk', 'decision', { reference: 'trip-ada' }, 'ben')).toMatchObject({ status: 200, body: { decision: null } });
    expect(await call('desk', 'decision', { reference: 'trip-null' }, null)).toMatchObject({ status: 400 });
    const all = await call('desk', 'all_decisions', {}, 'ben');
    expect((all.body as { decisions: { reference: string }[] }).decisions.map(({ reference }) => reference).toSorted()).toEqual([
      'trip-ada',
      'trip-ben',
      'trip-null',
    ]);
    for (const who of ['ada', null] as const)
      expect(await call('desk', 'all_decisions', {}, who)).toMatchObject({ status: 403, body: { detail: { code: 'missing_scopes' } } });
  });
});

test('form to record: all submit, each finds their own, the owner lists all, and others nothing', async () => {
  const email = (who: string): object => ({ email: `${who}@example.com`, meal: 'meat' });
  for (const who of ['ada', 'ben', null] as const) expect(await call('form', 'submit', email(String(who)), who)).toMatchObject({ status: 200 });
  expect(await call('form', 'submit', email('ben'), 'ada')).toMatchObject({ status: 400, body: { detail: { message: expect.stringContaining('already') } } });
  const emails = ({ body }: Answer): string[] => (body as { records: { values: { email: string } }[] }).records.map(({ values }) => values.email).toSorted();
  expect(emails(await call('form', 'find_records', {}, 'ada'))).toEqual(['ada@example.com']);
  expect(emails(await call('form', 'list_records', {}, 'ben'))).toEqual(['ada@example.com', 'ben@example.com', 'null@example.com']);
  expect(await call('form', 'find_records', {}, null)).toMatchObject({ status: 400 });
  for (const who of ['ada', null] as const) expect(await call('form', 'list_records', {}, who)).toMatchObject({ status: 403 });
  const { world, agent } = at('form');
  const shared = { params: { name: agent.name }, query: { shared: true, namespace: 'records' } } as const;
  expect((await world.as('ben').agentMemory.list(shared)).items).toHaveLength(3);
  await expect(world.as('ada').agentMemory.list(shared)).rejects.toMatchObject({ status: 404 });
});

test('form to record: a stranger fills a day with junk, and no more; who signs in still submits', async () => {
  const junk = (n: number) => call('form', 'submit', { email: `junk${n}@example.com` }, null);
  let kept = 0;
  let refused: Answer | undefined;
  for (let n = 0; n < 60 && refused === undefined; n += 1) {
    const answer = await junk(n);
    if (answer.status === 200) kept += 1;
    else refused = answer;
  }
  // One of this day was submitted before.
  expect(kept).toBe(49);
  expect(refused).toMatchObject({
    status: 400,
    body: { detail: { code: 'skill_input_error', message: expect.stringMatching(/^Today's 50 forms .*: sign in/) } },
  });
  expect(await call('form', 'submit', { email: 'late@example.com' }, 'ada')).toMatchObject({ status: 200 });
});
