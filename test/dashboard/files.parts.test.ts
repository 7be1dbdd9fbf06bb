// Files in the browser: stored, replaced, moved, deleted; what hostile files hold never runs; who may read what.
import { afterAll, beforeAll, expect, test } from 'vitest';
import type { Page } from 'playwright-core';
import { newId } from '#core/kernel/ids.ts';
import { createJob } from '#core/jobs/create.ts';
import { transitionJob } from '#core/jobs/transition.ts';
import { inTx } from '#core/kernel/tx.ts';
import { mintGrant } from '#core/workspace/grant/mint.ts';
import { type DashboardWorld, dashboardWorld } from './dashboard.ts';

let it: DashboardWorld;
beforeAll(async () => {
  it = await dashboardWorld();
}, 120_000);
afterAll(() => it.close());

const files = () => it.world.as('ada').files;
const textOf = async (path: string) => (await files().get({ params: { path } })).text();
const paths = async (prefix: string) => (await files().list({ query: { prefix } })).items.map(({ path }) => path);
const choose = (page: Page, name: string, mimeType: string, content: string) =>
  page.locator('input[type=file][multiple]').setInputFiles({ name, mimeType, buffer: Buffer.from(content) });

async function store(path: string, type: string, content: string): Promise<void> {
  const body = new FormData();
  body.set('path', path);
  body.set('file', new Blob([content], { type }), path.split('/').at(-1) ?? path);
  await files().upload({ body, headers: {} });
}

test('a file is uploaded into the folder that is shown, and replaced only when one says so', async () => {
  const { page, complaints } = await it.open('/files?folder=up/', { who: 'ada' });
  await page.getByText('Nothing is in this folder.').waitFor();
  await choose(page, 'note.txt', 'text/plain', 'first');
  await page.getByText('1 of 1 file stored').waitFor();
  await page.getByRole('link', { name: 'note.txt' }).waitFor();
  expect(await textOf('up/note.txt')).toBe('first');
  await choose(page, 'note.txt', 'text/plain', 'second');
  await page.getByText('There is a file at this path.').waitFor();
  expect(await textOf('up/note.txt')).toBe('first');
  await page.getByRole('button', { name: 'Replace up/note.txt' }).click();
  await page.getByText('2 of 2 files stored').waitFor();
  expect(await textOf('up/note.txt')).toBe('second');
  // The browser names the refusal that the page asks about.
  expect(complaints.filter((text) => !text.includes('412'))).toEqual([]);
  await page.context().close();
}, 30_000);

test('a file that is dropped on the page is stored', async () => {
  const { page } = await it.open('/files', { who: 'ada' });
  await page.getByRole('button', { name: 'Upload files' }).waitFor();
  await page.locator('main h1').waitFor();
  // A drop as the browser makes it, of one file.
  const data = await page.evaluateHandle(
    "(() => { const made = new DataTransfer(); made.items.add(new File(['dropped'], 'dropped.txt', { type: 'text/plain' })); return made; })()",
  );
  await page.locator('[class*=area]').dispatchEvent('drop', { dataTransfer: data });
  await page.getByText('1 of 1 file stored').waitFor();
  expect(await textOf('dropped.txt')).toBe('dropped');
  await page.context().close();
}, 30_000);

test('a file is moved, not over another without a word, and deleted', async () => {
  await store('mv/a.txt', 'text/plain', 'a');
  await store('mv/b.txt', 'text/plain', 'b');
  const { page } = await it.open('/files?folder=mv/&path=mv/a.txt', { who: 'ada' });
  await page.getByRole('button', { name: 'Move or rename' }).click();
  const path = page.getByLabel('New path');
  await path.fill('mv/b.txt');
  await page.getByRole('button', { name: 'Move', exact: true }).click();
  await page.getByText('There is a file at this path.').waitFor();
  expect(await paths('mv/')).toEqual(['mv/a.txt', 'mv/b.txt']);
  await path.fill('mv/c.txt');
  await page.getByRole('button', { name: 'Move', exact: true }).click();
  await page.getByRole('heading', { name: 'mv/c.txt' }).waitFor();
  expect(await paths('mv/')).toEqual(['mv/b.txt', 'mv/c.txt']);
  expect(new URL(page.url()).searchParams.get('path')).toBe('mv/c.txt');
  await page.getByRole('button', { name: 'Delete' }).click();
  await page.getByRole('dialog', { name: 'Delete this file?' }).getByRole('button', { name: 'Delete' }).click();
  await expect.poll(() => paths('mv/')).toEqual(['mv/b.txt']);
  await page.context().close();
}, 30_000);

const ACTS = "window.ran=1;fetch('/v1/ran')";
const SVG = `<svg xmlns="http://www.w3.org/2000/svg" width="40" height="40" onload="${ACTS}"><script>${ACTS}</script><image href="/v1/ran" width="9" height="9"/><foreignObject width="40" height="40"><iframe xmlns="http://www.w3.org/1999/xhtml" src="/v1/ran"></iframe></foreignObject><rect width="40" height="40" fill="red"/></svg>`;

test.each([
  ['an SVG with scripts', 'x/evil.svg', 'image/svg+xml', SVG, (page: Page) => page.getByRole('img', { name: 'evil.svg' })],
  ['an SVG that says it is a PNG', 'x/evil.png', 'image/png', SVG, (page: Page) => page.getByText('This is no image that the browser can show.')],
  ['a page', 'x/evil.html', 'text/html', `<img src=x onerror="${ACTS}"><script>${ACTS}</script>`, (page: Page) => page.getByText('<img src=x onerror')],
  ['Markdown with HTML', 'x/evil.md', 'text/markdown', `# Hello\n<img src=/v1/ran onerror="${ACTS}">`, (page: Page) => page.getByText('Hello').first()],
  ['a table with HTML', 'x/evil.csv', 'text/csv', `name,"<img src=/v1/ran onerror=${ACTS}>"\n1,2`, (page: Page) => page.getByRole('cell', { name: '2' })],
])(
  'of %s nothing runs',
  async (_, path, type, content, shown) => {
    await store(path, type, content);
    const opened = await it.open('/files?folder=x/', { who: 'ada' });
    const { page, complaints } = opened;
    const asked: string[] = [];
    page.on('request', (request) => void (request.url().includes('/v1/ran') && asked.push(request.url())));
    await page.getByRole('link', { name: path.slice(2) }).click();
    await shown(page).waitFor();
    expect(await page.evaluate('window.ran')).toBeUndefined();
    expect(asked).toEqual([]);
    expect(page.frames()).toHaveLength(1);
    expect(complaints).toEqual([]);
    await page.context().close();
  },
  30_000,
);

test('who may read or write a file is named; the run that holds a grant can be cancelled', async () => {
  const { ctx, records } = it.world;
  const { user_id } = await it.world.as('ada').auth.me();
  const audience = records.name ?? '';
  const run_id = newId('run');
  const as = { ...ctx, actor: { kind: 'user', user_id, email: 'ada@example.test', operator: false, via: 'bearer' } as const };
  await store('held/a.txt', 'text/plain', 'a');
  const job_id = await inTx(as, async (tx, inner) => {
    const grant = { userId: user_id, audience, allow: ['held/**'], deny: [], mode: 'read_write_overlay', outputsPrefix: 'held', ttlSeconds: 600 } as const;
    await mintGrant(tx, inner, { ...grant, runId: run_id });
    const made = await createJob(tx, inner, { kind: 'run', title: 'Run', ownerId: user_id, input: { run_id } });
    await transitionJob(tx, made, { from: ['queued'], to: 'running' });
    return made;
  });
  const { page } = await it.open('/files?folder=held/&path=held/a.txt', { who: 'ada' });
  const cancel = page.getByRole('row').filter({ hasText: 'read and write' }).getByRole('button', { name: 'Cancel the run' });
  await cancel.and(page.locator(':not([aria-disabled=true])')).first().click();
  await page.getByRole('dialog', { name: 'Cancel the run that holds this grant?' }).getByRole('button', { name: 'Cancel the run' }).click();
  await page.getByText('The run is being cancelled').waitFor();
  expect(await it.world.as('ada').workLedger.get({ params: { job_id } })).toMatchObject({ state: 'cancelled' });
  await page.context().close();
}, 30_000);
