// Files in the browser: stored, replaced, moved, deleted; what hostile files hold never runs; who may read
// what.
import { createHash, randomBytes } from 'node:crypto';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import type { Locator, Page } from 'playwright-core';
import { createClient } from '#contract/client.ts';
import { inTx } from '#core/kernel/tx.ts';
import { LARGE_FILE_BYTES } from '#contract/wire/limits.ts';
import { mintGrant } from '#core/workspace/grant/mint.ts';
import { type DashboardWorld, dashboardWorld } from './dashboard.ts';

let it: DashboardWorld;
beforeAll(async () => {
  it = await dashboardWorld();
});
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
});

test('a file that is dropped on the page is stored', async () => {
  const { page } = await it.open('/files', { who: 'ada' });
  await page.getByRole('button', { name: 'Upload files' }).waitFor();
  await page.locator('main h1').waitFor();
  // A drop as the browser makes it, of one file.
  const data = await page.evaluateHandle(
    "(() => { const made = new DataTransfer(); made.items.add(new File(['dropped'], 'dropped.txt', { type: 'text/plain' })); return made; })()",
  );
  await page.getByRole('main').locator('[class*=area]').dispatchEvent('drop', { dataTransfer: data });
  await page.getByText('1 of 1 file stored').waitFor();
  expect(await textOf('dropped.txt')).toBe('dropped');
  await page.context().close();
});

test('a file is moved, not over another without a word, and deleted', async () => {
  await store('mv/a.txt', 'text/plain', 'a');
  await store('mv/b.txt', 'text/plain', 'b');
  const { page } = await it.open('/files?folder=mv/&path=mv/a.txt', { who: 'ada' });
  await page.getByRole('button', { name: 'Move or rename', exact: true }).click();
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
});

test('a file is dragged into a folder, and a folder renamed; what is there is asked about', async () => {
  for (const path of ['drag/a.txt', 'drag/one/b.txt', 'drag/two/b.txt']) await store(path, 'text/plain', path);
  const { page } = await it.open('/files?folder=drag/', { who: 'ada' });
  await page.getByRole('link', { name: 'a.txt' }).dragTo(page.getByRole('link', { name: 'one' }));
  await expect.poll(() => paths('drag/')).toEqual(['drag/one/a.txt', 'drag/one/b.txt', 'drag/two/b.txt']);
  await page.getByRole('link', { name: 'a.txt' }).waitFor({ state: 'detached' });
  await page.getByRole('button', { name: 'Move or rename one' }).click();
  const path = page.getByLabel('New path');
  // The name is selected: typing replaces it alone.
  await path.focus();
  await page.keyboard.type('two');
  expect(await path.inputValue()).toBe('drag/two');
  await page.getByRole('button', { name: 'Move', exact: true }).click();
  await page.getByText('Files with the same names are there.').waitFor();
  expect(await paths('drag/one/')).toHaveLength(2);
  await page.getByLabel('Replace those.').check();
  await page.getByRole('button', { name: 'Move', exact: true }).click();
  await expect.poll(() => paths('drag/')).toEqual(['drag/two/a.txt', 'drag/two/b.txt']);
  expect(await textOf('drag/two/b.txt')).toBe('drag/one/b.txt');
  await page.context().close();
});

test('a large file is paused, and goes on after a reload when it is chosen again', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'svc-large-'));
  const [file, other] = [join(folder, 'large.bin'), join(folder, 'other.bin')];
  const bytes = randomBytes(LARGE_FILE_BYTES + 4 * 2 ** 20);
  await Promise.all([writeFile(file, bytes), writeFile(other, bytes.subarray(1))]);
  const api = createClient({ baseUrl: it.world.url, token: it.world.tokens.ada }).fileUploads;
  const { page } = await it.open('/files?folder=large/', { who: 'ada' });
  await page.getByText('Nothing is in this folder.').waitFor();
  let held = true;
  let sent = 0;
  await page.route(/\/v1\/me\/uploads\/upl_/, async (route) => {
    if (route.request().method() !== 'PATCH') return route.fallback();
    sent += 1;
    // The second part does not get through.
    if (held && sent > 1) return;
    await route.fallback();
  });
  await page.locator('input[type=file][multiple]').setInputFiles(file);
  await expect
    .poll(async () => (await api.list()).items.find(({ path }) => path === 'large/large.bin')?.received_bytes, { timeout: 30_000 })
    .toBe(LARGE_FILE_BYTES);
  await page.getByRole('button', { name: 'Pause large/large.bin' }).click();
  await page.getByRole('button', { name: 'Continue large/large.bin' }).waitFor();
  held = false;
  await page.reload();
  const left = page.getByRole('region', { name: 'Unfinished uploads' }).getByRole('group', { name: 'large/large.bin' });
  await left.getByText('16.0 MiB of 20.0 MiB').waitFor();
  await left.locator('input[type=file]').setInputFiles(other);
  await left.getByText('other.bin is another file').waitFor();
  sent = 0;
  await left.locator('input[type=file]').setInputFiles(file);
  await page.getByText('1 of 1 file stored').waitFor();
  // Only the rest was sent.
  expect(sent).toBe(1);
  await left.waitFor({ state: 'detached' });
  const { items } = await files().list({ query: { prefix: 'large/' } });
  expect(items).toMatchObject([{ path: 'large/large.bin', sha256: createHash('sha256').update(bytes).digest('hex') }]);
  await page.context().close();
  await rm(folder, { recursive: true, force: true });
});

const ACTS = "window.ran=1;fetch('/v1/ran')";
const SVG = `<svg xmlns="http://www.w3.org/2000/svg" width="40" height="40" onload="${ACTS}"><script>${ACTS}</script><image href="/v1/ran" width="9" height="9"/><foreignObject width="40" height="40"><iframe xmlns="http://www.w3.org/1999/xhtml" src="/v1/ran"></iframe></foreignObject><rect width="40" height="40" fill="red"/></svg>`;

const HOSTILE: { what: string; path: string; type: string; content: string; shown: (page: Page) => Locator }[] = [
  { what: 'an SVG with scripts', path: 'x/1.svg', type: 'image/svg+xml', content: SVG, shown: (page) => page.getByRole('img', { name: '1.svg' }) },
  {
    what: 'an SVG that says it is a PNG',
    path: 'x/2.png',
    type: 'image/png',
    content: SVG,
    shown: (page) => page.getByText('This is no image that the browser can show.'),
  },
  {
    what: 'a page',
    path: 'x/3.html',
    type: 'text/html',
    content: `<img src=x onerror="${ACTS}"><script>${ACTS}</script>`,
    shown: (page) => page.getByText('<img src=x onerror'),
  },
  {
    what: 'Markdown with HTML',
    path: 'x/4.md',
    type: 'text/markdown',
    content: `Hello\n\n<img src=/v1/ran onerror="${ACTS}">`,
    shown: (page) => page.getByText('Hello').first(),
  },
  {
    what: 'a table with HTML',
    path: 'x/5.csv',
    type: 'text/csv',
    content: `name,"<img src=/v1/ran onerror=${ACTS}>"\n1,two`,
    shown: (page) => page.getByRole('cell', { name: 'two' }),
  },
];

test('of hostile files nothing runs', async () => {
  await Promise.all(HOSTILE.map(({ path, type, content }) => store(path, type, content)));
  const { page, complaints } = await it.open('/files?folder=x/', { who: 'ada' });
  const asked: string[] = [];
  page.on('request', (request) => void (request.url().includes('/v1/ran') && asked.push(request.url())));
  for (const { what, path, shown } of HOSTILE) {
    await page.getByRole('link', { name: path.slice(2) }).click();
    await shown(page).waitFor();
    expect(await page.evaluate('window.ran'), what).toBeUndefined();
    expect(asked, what).toEqual([]);
    expect(page.frames(), what).toHaveLength(1);
    expect(complaints, what).toEqual([]);
    await page.getByRole('button', { name: 'Close the file' }).click();
    await page.getByRole('dialog').waitFor({ state: 'detached' });
  }
  await page.context().close();
});

test('who may read or write a file is named, and may no longer when one says so', async () => {
  const { ctx, records } = it.world;
  const { user_id } = await it.world.as('ada').auth.me();
  const audience = records.name ?? '';
  const as = { ...ctx, actor: { kind: 'user', user_id, email: 'ada@example.test', operator: false, via: 'bearer' } as const };
  await store('held/a.txt', 'text/plain', 'a');
  const allow = { userId: user_id, audience, allow: ['held/**'], deny: [], mode: 'read_write_overlay', outputsPrefix: 'held', ttlSeconds: 600 } as const;
  const { row } = await inTx(as, (ctx) => mintGrant(ctx, allow));
  const { page } = await it.open('/files?folder=held/&path=held/a.txt', { who: 'ada' });
  const held = page.locator(`tr:has(a[href="/grants/${row.grant_id}"])`, { hasText: 'read and write' });
  await held.getByRole('button', { name: 'Revoke' }).click();
  await page.getByRole('dialog', { name: 'Revoke this grant?' }).getByRole('button', { name: 'Revoke' }).click();
  await page.getByText(`Grant for ${audience} revoked.`).waitFor();
  expect(await it.world.as('ada').grants.get({ params: { grant_id: row.grant_id } })).toMatchObject({ state: 'revoked' });
  await held.waitFor({ state: 'detached' });
  await page.context().close();
});

test('a tab that acts for an organization previews its files and links to them; another tab those of another', async () => {
  const made = await Promise.all(
    ['links-one', 'links-two'].map(async (slug) => {
      const { organization_id } = await it.world.as('ada').organizations.create({ body: { slug, name: slug } });
      const body = new FormData();
      body.set('path', 'same/name.txt');
      body.set('file', new Blob([`of ${slug}`], { type: 'text/plain' }), 'name.txt');
      const stored = await fetch(`${it.world.url}/v1/me/files`, {
        method: 'POST',
        headers: { authorization: `Bearer ${it.world.tokens.ada}`, 'svc-organization': slug },
        body,
      });
      expect(stored.ok).toBe(true);
      return { slug, organization_id };
    }),
  );
  await store('same/name.txt', 'text/plain', 'of ada');
  const { page } = await it.open('/files?folder=same/&path=same/name.txt', { who: 'ada' });
  const context = page.context();
  const opened = async (at: Page, slug: string | undefined): Promise<string[]> => {
    await at.goto(`${it.address}/files?folder=same/&path=same/name.txt${slug === undefined ? '' : `&org=${slug}`}`);
    const drawer = at.getByRole('dialog', { name: 'File same/name.txt' });
    const shown = await drawer.getByText(/^of /).first().textContent();
    // As the browser follows a link: without a header of the page.
    const saved: string[] = [];
    for (const link of await drawer.getByRole('link', { name: 'Download' }).all()) {
      const address = await link.getAttribute('href');
      saved.push(await at.evaluate<string>(`fetch(${JSON.stringify(address)}).then((answer) => answer.text())`));
    }
    return [shown ?? '', ...saved];
  };
  const [one, two] = [await context.newPage(), await context.newPage()];
  expect(await opened(page, undefined)).toEqual(['of ada', 'of ada', 'of ada']);
  for (const [at, { slug }] of [
    [one, made[0]],
    [two, made[1]],
  ] as [Page, { slug: string }][])
    expect(await opened(at, slug)).toEqual(Array(3).fill(`of ${slug}`));
  // In one browser the tabs stay apart.
  expect(await opened(one, made[0]?.slug)).toEqual(Array(3).fill('of links-one'));
  const file = async (query: string, who: 'ada' | 'ben' = 'ada') => {
    const answer = await fetch(`${it.world.url}/v1/me/files/same/name.txt${query}`, { headers: { authorization: `Bearer ${it.world.tokens[who]}` } });
    return [answer.status, await answer.text()];
  };
  expect(await file('?svc_organization=links-two')).toEqual([200, 'of links-two']);
  // The same members as by the header.
  expect((await file('?svc_organization=links-two', 'ben'))[0]).toBe(403);
  expect((await file('?svc_organization=no-such-one'))[0]).toBe(403);
  await it.world.ctx
    .db('organization_members')
    .where({ organization_id: made[1]?.organization_id ?? '' })
    .update({ state: 'suspended' });
  expect((await file('?svc_organization=links-two'))[0]).toBe(403);
  // What answers no file does not look at it.
  const listed = await fetch(`${it.world.url}/v1/me/files?prefix=same/&svc_organization=links-one`, {
    headers: { authorization: `Bearer ${it.world.tokens.ada}` },
  });
  expect([listed.status, JSON.stringify(await listed.json()).includes('links-one')]).toEqual([200, false]);
  await context.close();
});
