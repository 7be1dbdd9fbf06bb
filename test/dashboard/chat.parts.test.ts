// Talking with the platform in a browser: what is said arrives once, what agents do is shown as it happens.
import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { appendThreadEvents } from '#core/threads/append.ts';
import { type DashboardWorld, dashboardWorld, reaches, settled } from './dashboard.ts';

let it: DashboardWorld;
beforeAll(async () => {
  it = await dashboardWorld();
});
afterAll(() => it.close());

const agent = (): string => String(it.world.records['name']);
const threadIn = (url: string): string => /thr_[0-9a-f-]{36}/.exec(url)?.[0] ?? '';

async function messagesOf(thread_id: string) {
  return (await it.world.as('ada').chatThreads.messages({ params: { thread_id }, query: {} })).items.map(({ role, text }) => [role, text]).reverse();
}

test('a skill is named by the keyboard, called, and answers; the message is sent once though its first try is lost', async () => {
  const opened = await it.open('/chat', { who: 'ada' });
  const { page, complaints } = opened;
  await settled(opened);
  const field = page.getByRole('textbox', { name: 'Message' });
  await field.pressSequentially(`@${agent().slice(0, 9)}`);
  const options = page.getByRole('listbox', { name: 'Agents and skills' }).getByRole('option');
  await options
    .first()
    .filter({ hasText: `@${agent()}` })
    .waitFor();
  expect(await options.first().getAttribute('aria-selected')).toBe('true');
  await field.press('Enter');
  await options.filter({ hasText: `@${agent()}.greet` }).waitFor();
  await field.press('Enter');
  expect(await field.inputValue()).toBe(`@${agent()}.greet `);
  await field.pressSequentially('{"name": "Ada"}');
  let lost = 0;
  await page.route('**/v1/me/chat', async (route) => {
    if (lost++ > 0) return route.fallback();
    // It arrives, and its answer does not.
    await reaches(it, route, 'ada');
    await route.abort('connectionreset');
  });
  await field.press('Enter');
  await page.waitForURL(/\/chat\/thr_/);
  const talk = page.getByRole('log', { name: 'Conversation' });
  await talk
    .getByRole('article', { name: `Run of ${agent()}.greet` })
    .getByText('succeeded')
    .waitFor();
  await talk.getByRole('article', { name: 'Answer' }).getByText('Hello Ada').waitFor();
  expect(await talk.getByRole('article').count()).toBe(3);
  expect(lost).toBe(2);
  expect(await messagesOf(threadIn(page.url()))).toEqual([
    ['user', `@${agent()}.greet {"name": "Ada"}`],
    ['assistant', 'Hello Ada'],
  ]);
  expect(complaints.filter((one) => !one.includes('ERR_CONNECTION_RESET'))).toEqual([]);
  await page.context().close();
});

test('words that may mean a skill bring its form; filled, it is called. A mistake is marked where it is, and the draft stays', async () => {
  const thread = await it.world.as('ada').chatThreads.create({ body: { title: 'Forms' } });
  const opened = await it.open(`/chat/${thread.thread_id}`, { who: 'ada' });
  const { page } = opened;
  await settled(opened);
  const field = page.getByRole('textbox', { name: 'Message' });
  const wrong = `@${agent()}.greet {"name": }`;
  await field.fill(wrong);
  await field.press('Enter');
  await page
    .getByRole('alert')
    .getByText(/character/)
    .waitFor();
  expect(await page.evaluate('document.activeElement.selectionStart')).toBe(wrong.length - 1);
  await page.reload();
  await page.getByRole('textbox', { name: 'Message' }).waitFor();
  await expect.poll(() => field.inputValue()).toBe(wrong);
  await field.fill('');
  await field.press('Shift+Enter');
  await field.press('Enter');
  expect(await messagesOf(thread.thread_id)).toEqual([]);
  await field.fill('@nobody-at-all.greet {}');
  await field.press('Enter');
  await page.getByRole('alert').getByText('agent_not_found').waitFor();
  const turn_id = randomUUID();
  const schema = { type: 'object', properties: { name: { type: 'string' } }, required: ['name'] };
  const candidate = {
    agent: agent(),
    skill: 'greet',
    title: 'Greet',
    description: '',
    mine: true,
    score: 1,
    schema,
    args: { name: 'Grace' },
    missing: [],
    say: '',
  };
  await appendThreadEvents(it.world.ctx.db, thread.thread_id, [{ kind: 'turn.candidates', payload: { turn_id, candidates: [candidate] } }]);
  await page.getByRole('button', { name: 'Call' }).click();
  await page.getByRole('article', { name: 'Answer' }).getByText('Hello Grace').waitFor();
  await page.context().close();
});

test('what happens while the connection is gone is shown once when it is back; a wait is a card until it is decided', async () => {
  const { db } = it.world.ctx;
  const { thread_id } = await it.world.as('ada').chatThreads.create({ body: { title: 'Lost and found' } });
  const of = { agent: agent(), skill: 'greet', run_id: `run_${randomUUID()}`, job_id: `job_${randomUUID()}` };
  const say = (text: string) => ({ kind: 'run.text_delta', payload: { run_id: of.run_id, text } });
  await appendThreadEvents(db, thread_id, [{ kind: 'run.started', payload: of }, say('one ')]);
  const opened = await it.open(`/chat/${thread_id}`, { who: 'ada' });
  const { page } = opened;
  const run = page.getByRole('article', { name: `Run of ${agent()}.greet` });
  // As Markdown: all scripts are there.
  await run.getByRole('paragraph').getByText('one', { exact: true }).waitFor();
  let tries = 0;
  await page.route('**/activity', (route) => (tries++ < 2 ? route.abort('connectionreset') : route.fallback()));
  // Ends the stream that is open.
  await page.evaluate('window.stop()');
  await appendThreadEvents(db, thread_id, [say('two '), say('three')]);
  await run.getByText('one two three', { exact: true }).waitFor();
  const wait_id = `qst_${randomUUID()}`;
  const wait = { wait_id, kind: 'question', prompt: 'Which color?', expires_at: new Date(Date.now() + 60_000).toISOString(), ...of };
  await appendThreadEvents(db, thread_id, [{ kind: 'wait.opened', payload: wait }]);
  await page.getByText('Which color?').waitFor();
  await run.getByText('waiting').waitFor();
  await appendThreadEvents(db, thread_id, [{ kind: 'wait.answered', payload: { wait_id, kind: 'question', run_id: of.run_id } }]);
  await page.getByRole('article', { name: 'Decided' }).getByText('Answered').waitFor();
  await run.getByText('running').waitFor();
  await page.context().close();
});

test('a conversation is renamed, archived, restored and deleted; the rule of its agents is kept', async () => {
  const ada = it.world.as('ada');
  const { thread_id } = await ada.chatThreads.create({ body: { title: 'Before' } });
  const opened = await it.open(`/chat/${thread_id}`, { who: 'ada' });
  const { page } = opened;
  await settled(opened);
  await page.getByRole('button', { name: 'Rename and rules' }).click();
  await page.getByRole('textbox', { name: 'Title' }).fill('After');
  await page.getByRole('button', { name: 'Rename', exact: true }).click();
  await page.getByRole('heading', { level: 1, name: 'After' }).waitFor();
  await page.getByRole('button', { name: 'Rename and rules' }).click();
  await page.getByLabel('An agent asks before it calls another one').selectOption('never');
  await page.getByText('Kept.').waitFor();
  await page.keyboard.press('Escape');
  await page.getByRole('button', { name: 'Archive' }).click();
  await page.getByRole('button', { name: 'Restore' }).waitFor();
  const away = await ada.chatThreads.list({ query: { archived: true } });
  expect(away.items).toMatchObject([{ thread_id, title: 'After', handoffs: 'never', archived: true }]);
  await page.getByRole('button', { name: 'Delete' }).click();
  await page.getByRole('dialog').getByRole('button', { name: 'Delete' }).click();
  await page.waitForURL(/\/chat(\?|$)/);
  await expect(ada.chatThreads.messages({ params: { thread_id }, query: {} })).rejects.toMatchObject({ status: 404 });
  await page.context().close();
});

test('a long conversation begins with its newest messages; earlier ones come with all that belongs to them', async () => {
  const { db } = it.world.ctx;
  const { thread_id } = await it.world.as('ada').chatThreads.create({ body: { title: 'Long' } });
  for (let at = 1; at <= 40; at += 1) {
    const turn_id = `trn_${randomUUID()}`;
    const [said, run_id] = [
      (role: string, text: string) => ({ kind: 'message', payload: { message_id: randomUUID(), role, turn_id, text } }),
      `run_${randomUUID()}`,
    ];
    await appendThreadEvents(db, thread_id, [
      said('user', `Question ${at}`),
      { kind: 'run.started', payload: { run_id, agent: agent(), skill: 'greet' } },
      { kind: 'run.succeeded', payload: { run_id, agent: agent(), skill: 'greet', result: at } },
      said('assistant', `Answer ${at}`),
    ]);
  }
  const opened = await it.open(`/chat/${thread_id}`, { who: 'ada' });
  const { page } = opened;
  await page.getByText('Answer 40').waitFor();
  const runs = page.getByRole('article', { name: `Run of ${agent()}.greet` });
  expect(await page.getByText('Question 1', { exact: true }).count()).toBe(0);
  const earlier = page.getByRole('button', { name: 'Show earlier messages' });
  while (await earlier.isVisible()) {
    const before = await runs.count();
    await earlier.click();
    await expect.poll(() => runs.count()).toBeGreaterThan(before);
  }
  expect(await runs.count()).toBe(40);
  expect(await page.getByRole('article', { name: 'You' }).allInnerTexts()).toMatchObject(
    Array.from({ length: 40 }, (_, at) => expect.stringContaining(`Question ${at + 1}`)),
  );
  await page.context().close();
});

test('a schedule is made with its next times in view, paused, changed and deleted', async () => {
  const ada = it.world.as('ada');
  const titled = async (title: string) => (await ada.schedules.list({ query: {} })).items.find((one) => one.title === title);
  const opened = await it.open('/schedules?edit=new', { who: 'ada' });
  const { page } = opened;
  await settled(opened);
  const cron = page.getByRole('textbox', { name: 'When' });
  await cron.fill('0 25 * * *');
  await page.getByText(/hour "25": use 0 to 23/).waitFor();
  await page.getByRole('combobox', { name: 'Time zone' }).fill('Europe/Berlin');
  await page.getByRole('option', { name: 'Europe/Berlin' }).click();
  await cron.fill('30 2 * * *');
  await page.getByText(/Mar \d+: the clock skips 02:30; runs once at 03:00\./).waitFor();
  await page.getByText(/Oct \d+: 02:30 comes twice; only the first runs\./).waitFor();
  await page.getByRole('combobox', { name: 'Times that the clock skips' }).selectOption('Skip');
  await page.getByText(/the clock skips 02:30; nothing runs for it\./).waitFor();
  await cron.fill('0 9 LW * *');
  await page.getByText(/: the clock skips/).waitFor({ state: 'detached' });
  await cron.fill('15 6 1 1 *');
  const next = page.getByRole('status', { name: 'Next times' });
  await next.getByText(/At 06:15/).waitFor();
  expect(await next.getByRole('listitem').count()).toBe(5);
  await page.getByRole('combobox', { name: 'Agent' }).fill(agent());
  await page.getByRole('combobox', { name: 'Skill' }).selectOption('greet');
  await page.getByRole('textbox', { name: 'Title' }).fill('New year');
  await page.getByRole('button', { name: 'Create' }).click();
  const row = page.getByRole('row').filter({ hasText: 'New year' });
  await row.waitFor();
  expect(await titled('New year')).toMatchObject({
    cron: '15 6 1 1 *',
    time_zone: 'Europe/Berlin',
    skipped_times: 'leave_out',
    repeated_times: 'once',
    paused: false,
    target: { kind: 'skill', agent: agent(), skill: 'greet' },
  });
  await row.getByRole('button', { name: 'Pause' }).click();
  await row.getByRole('button', { name: 'Resume' }).waitFor();
  expect(await titled('New year')).toMatchObject({ paused: true, paused_by: 'owner' });
  await row.getByRole('button', { name: 'Edit' }).click();
  await page.getByText('A message to the platform').click();
  await page.getByRole('textbox', { name: 'Message' }).fill('Wish everybody well');
  await page.getByRole('button', { name: 'Change' }).click();
  await row.getByText('Wish everybody well').waitFor();
  expect(await titled('New year')).toMatchObject({ paused: true, target: { kind: 'prompt', prompt: 'Wish everybody well' } });
  await row.getByRole('button', { name: 'Delete' }).click();
  await page.getByRole('dialog').getByRole('button', { name: 'Delete' }).click();
  await row.waitFor({ state: 'detached' });
  expect(await titled('New year')).toBeUndefined();
  await page.context().close();
});

test('a plan is shown as a graph and as a list that follow its steps; a goal is made for an agent', async () => {
  const { db } = it.world.ctx;
  const dag_run_id = String(it.world.records['dag_run_id']);
  const opened = await it.open(`/plans/${dag_run_id}`, { who: 'ada' });
  const { page } = opened;
  await page.getByRole('img', { name: /1 of 3 steps done/ }).waitFor();
  const steps = page.getByRole('list', { name: 'Steps' }).getByRole('listitem');
  expect(await steps.count()).toBe(3);
  await db('dag_nodes').where({ dag_run_id, number: 2 }).update({ state: 'succeeded', ended_at: new Date() });
  await page.getByRole('img', { name: /2 of 3 steps done/ }).waitFor();
  await steps.nth(1).getByText('succeeded').waitFor();
  await page.goto(`${it.address}/agents/mine/${agent()}/goals?make=true`);
  await page.getByRole('textbox', { name: 'Goal' }).fill('Greet everybody');
  await page.getByRole('textbox', { name: 'When it is reached' }).fill('Ada is greeted\n\nBen is greeted');
  await page.getByRole('button', { name: 'Create' }).click();
  await page.getByRole('link', { name: 'Greet everybody' }).click();
  await page.getByRole('heading', { level: 1, name: 'Greet everybody' }).waitFor();
  const { items } = await it.world.as('ada').metaAgentRuns.list({ params: { name: agent() }, query: {} });
  expect(items[0]).toMatchObject({ goal: 'Greet everybody', criteria: ['Ada is greeted', 'Ben is greeted'], status: 'planning' });
  await page.context().close();
});
