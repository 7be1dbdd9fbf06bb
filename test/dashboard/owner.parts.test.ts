// What an owner does with an agent, in a browser over the real API: what the page says, and what the API and
// the database say then.
import { mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import type { Page } from 'playwright-core';
import { afterAll, beforeAll, expect, onTestFinished, test } from 'vitest';
import { createClient } from '#contract/client.ts';
import { appendEvents } from '#core/jobs/append-event.ts';
import { createJob } from '#core/jobs/create.ts';
import { inTx } from '#core/kernel/tx.ts';
import { newId } from '#core/kernel/ids.ts';
import { readFiles } from '#core/agents/source/read-files.ts';
import { rawTar, type RawEntry } from '#core/agents/source/tar-fixture.ts';
import { type DashboardWorld, dashboardWorld, dropOn, type Opened, shoot, takenOver, WIDTHS } from './dashboard.ts';

let it: DashboardWorld;
let name: string;
beforeAll(async () => {
  it = await dashboardWorld();
  name = it.world.records['name'] ?? '';
});
afterAll(() => it.close());

const ada = () => it.world.as('ada');
const source = () => createClient({ baseUrl: it.world.url, token: it.world.tokens.ada }).sourceEditor;
const open = (path: string): Promise<Opened> => it.open(path, { who: 'ada' });
const button = (page: Page, label: string) => page.getByRole('button', { name: label, exact: true });

test('a secret is set, never shown again, and deleted by who says so twice', async () => {
  const { page, complaints } = await open(`/agents/mine/${name}/secrets`);
  await button(page, 'Add a secret').click();
  await page.getByLabel('Name').fill('1 wrong');
  await page.getByLabel('Value').fill('a value of mine');
  await button(page, 'Save secret').click();
  await page.getByText('use a letter or _').waitFor();
  await page.getByLabel('Name').fill('PAGE_TOKEN');
  await button(page, 'Save secret').click();
  await page.getByText('PAGE_TOKEN is set, version 1').waitFor();
  expect((await ada().agentSecrets.list({ params: { name } })).items).toContainEqual(expect.objectContaining({ key: 'PAGE_TOKEN', version: 1 }));
  expect(await page.content()).not.toContain('a value of mine');

  await page
    .getByRole('row', { name: /PAGE_TOKEN/ })
    .getByRole('button', { name: 'Delete' })
    .click();
  await page.getByRole('dialog').getByRole('button', { name: 'Delete' }).click();
  await page.getByText('PAGE_TOKEN is deleted.').waitFor();
  expect((await ada().agentSecrets.list({ params: { name } })).items.map(({ key }) => key)).not.toContain('PAGE_TOKEN');
  // What the API refused is an error of the browser's console, too; nothing else is.
  expect(complaints.filter((text) => !text.includes('422'))).toEqual([]);
  await page.context().close();
});

test('what the agent keeps for all its callers is found by its owner, saved as a file, and deleted', async () => {
  const params = { name };
  const body = { namespace: 'records', key: 'reg/1', value: { name: 'Grace', note: '=1+1' }, shared: true };
  await ada().agentMemory.upsert({ params, body });
  await ada().agentMemory.upsert({ params, body: { ...body, key: 'reg/2', value: { name: 'Alan' } } });
  const { page, complaints } = await open(`/agents/mine/${name}`);
  await page.getByRole('navigation', { name: 'Parts of this agent' }).getByRole('link', { name: 'Activity' }).click();
  await page.getByRole('navigation', { name: 'Activity' }).getByRole('link', { name: 'Memory' }).click();
  const table = page.getByRole('table', { name: `Shared memory of ${name}` });
  await table.getByRole('button', { name: 'reg/1' }).click();
  await page.getByRole('dialog').getByText('Grace').first().waitFor();
  await page.keyboard.press('Escape');
  const saved = async (label: string): Promise<string> => {
    const [download] = await Promise.all([page.waitForEvent('download'), button(page, label).click()]);
    expect(download.suggestedFilename()).toBe(`${name}-memory.${label === 'Download CSV' ? 'csv' : 'json'}`);
    return readFile(await download.path(), 'utf8');
  };
  expect(JSON.parse(await saved('Download JSON'))).toMatchObject([{ key: 'reg/1', value: body.value }, { key: 'reg/2' }]);
  expect((await saved('Download CSV')).split('\r\n')[1]).toMatch(/^records,reg\/1,.*,Grace,'=1\+1$/);
  await shoot(page, 'shared-memory-desk-light');
  await page.getByLabel('Search the memory').fill('Alan');
  await page.getByRole('table', { name: 'Records found' }).getByRole('button', { name: 'reg/2' }).waitFor();
  await page.getByLabel('Search the memory').fill('');
  await table
    .getByRole('row', { name: /reg\/1/ })
    .getByRole('button', { name: 'Delete' })
    .click();
  await page.getByRole('dialog').getByRole('button', { name: 'Delete' }).click();
  await page.getByText('Record deleted.').waitFor();
  expect((await ada().agentMemory.list({ params, query: { shared: true } })).items.map(({ key }) => key)).toEqual(['reg/2']);
  expect(complaints).toEqual([]);
  await page.context().close();
});

test('a token calls the agent until it is revoked', async () => {
  const { page } = await open(`/agents/mine/${name}/access`);
  await button(page, 'Create a token').click();
  await page.getByLabel('Which program gets it').fill('a <b>report</b>');
  await button(page, 'Create token').click();
  const token = await page.getByRole('group', { name: 'Token for a <b>report</b>' }).innerText();
  const call = async () =>
    (
      await fetch(`${it.world.url}/v1/agents/${name}/api/invoke/greet`, {
        method: 'POST',
        headers: { authorization: `Bearer ${token.trim()}`, 'content-type': 'application/json' },
        body: '{"name":"Ada"}',
      })
    ).status;
  expect(await call()).toBe(200);
  await button(page, 'I have it').click();
  expect(await page.content()).not.toContain(token.trim());
  await page
    .getByRole('row', { name: /report/ })
    .getByRole('button', { name: 'Revoke' })
    .click();
  await page.getByRole('dialog').getByRole('button', { name: 'Revoke' }).click();
  await page.getByText('The token is revoked.').waitFor();
  expect(await call()).toBe(401);
  await page.context().close();
});

test('an account is given scopes of the agent, and they are withdrawn', async () => {
  const { db } = it.world.ctx;
  const { card } = (await db('agents').where({ name }).first('card')) ?? {};
  await db('agents')
    .where({ name })
    .update({ card: db.raw(`jsonb_set(card::jsonb, '{skills,0,scopes}', '["letters:write"]')`) });
  // Beside those of the records.
  await db('caller_scopes').delete();
  const ben = await it.world.as('ben').auth.me({});
  const { page } = await open(`/agents/mine/${name}/access`);
  await page.getByText('Skills require: letters:write.').waitFor();
  await button(page, 'Give scopes').click();
  await page.getByRole('textbox', { name: 'Account' }).fill(ben.user_id);
  await button(page, 'Give scopes').click();
  await page.getByText(`${ben.email} has letters:write.`).waitFor();
  const row = page.getByRole('row', { name: new RegExp(ben.user_id) });
  await row.getByRole('button', { name: 'Withdraw' }).click();
  await page.getByRole('dialog').getByRole('button', { name: 'Withdraw' }).click();
  await page.getByText('No other account has scopes.').waitFor();
  await db('agents')
    .where({ name })
    .update({ card: JSON.stringify(card) });
  await page.context().close();
});

test('a project is written, committed and committed again over somebody else’s change', async () => {
  const mine = (await ada().agents.fromSource({ body: { name: 'written-here' } })).name;
  const params = { name: mine };
  const { page, complaints } = await open(`/agents/mine/${mine}/source`);
  await button(page, 'Switch the editor on').click();
  await button(page, 'New file').click();
  await page.getByLabel('Path').fill('../outside');
  await button(page, 'Create file').click();
  await page.getByText('Use a path inside the project').waitFor();
  await page.getByLabel('Path').fill('lib/words.ts');
  await button(page, 'Create file').click();
  const text = page.getByRole('textbox', { name: 'Text of lib/words.ts' });
  await text.fill('export const one = 1;');

  // What was written outlives a reload.
  await page.getByText('Commit 1 file').waitFor();
  page.on('dialog', (dialog) => void dialog.accept());
  await page.reload();
  await page.getByText('export const one = 1;').waitFor();
  await button(page, 'Commit').click();
  await page.getByText('Say what changed, and why.').waitFor();
  await page.getByLabel('Commit 1 file').fill('Say one');
  await button(page, 'Commit').click();
  await page.getByText('Committed as').waitFor();
  const first = await source().file({ params: { ...params, path: 'lib/words.ts' } });
  expect(first.content).toBe('export const one = 1;');

  await text.fill('export const mine = 2;');
  await page.getByLabel('Commit 1 file').fill('Say mine');
  const theirs = await source().save({
    params,
    body: { message: 'Theirs', changes: [{ path: 'lib/words.ts', blob: first.blob, content: 'export const theirs = 3;' }] },
  });
  await button(page, 'Commit').click();
  const conflict = page.getByRole('region', { name: 'Conflict in lib/words.ts' });
  await conflict.getByText('export const theirs = 3;').waitFor();
  await conflict.getByText('export const mine = 2;').waitFor();
  expect((await source().file({ params: { ...params, path: 'lib/words.ts' } })).content).toBe('export const theirs = 3;');
  await shoot(page, 'mine-source-conflict');
  await conflict.getByRole('button', { name: 'Keep mine' }).click();
  await button(page, 'Commit').click();
  await page.getByText('Commit 1 file').waitFor({ state: 'detached' });
  expect(await source().file({ params: { ...params, path: 'lib/words.ts' } })).toMatchObject({ content: 'export const mine = 2;' });
  expect((await ada().agents.source({ params })).head).not.toBe(theirs.commit);
  // The editor has the styles that the content security policy lets it have.
  expect(complaints.filter((text) => !text.includes('409'))).toEqual([]);
  await page.context().close();
});

test('a log of fifty thousand hostile lines is found in and harmless, and goes on where the connection broke off', async () => {
  const { ctx } = it.world;
  const { deployId, jobId } = await deploymentUnderWay();
  const hostile = [
    '\x1b]0;owned\x07\x1b[2Jafter the title',
    '<img src=x onerror="document.title=1">',
    'a\u202egnp.exe',
    'x'.repeat(1_000_000),
    '\x1b[31mnpm error the needle\x1b[0m',
  ];
  const texts = [...Array.from({ length: 50_000 }, (_, n) => `line ${n} of the build`), ...hostile];
  const line = (text: string) => ({ kind: 'log', payload: { at: Date.now(), stream: 'stdout', text } });
  const body = texts.map(
    (text, n) => `id: ${n + 1}\nevent: log\ndata: ${JSON.stringify({ job_id: jobId, seq: n + 1, at: new Date().toISOString(), ...line(text) })}\n\n`,
  );
  // The API would take its time for so many: they come at once, then the connection ends, and the API goes on
  // after the last of them.
  await ctx.db('jobs').where({ job_id: jobId }).update({ last_seq: texts.length });
  await appendEvents(ctx.db, jobId, [line('after the connection broke off')]);
  const { page, complaints } = await open('/agents/mine');
  await page.route('**/stream', (route) =>
    route.request().headers()['last-event-id'] === undefined ? route.fulfill({ contentType: 'text/event-stream', body: body.join('') }) : route.fallback(),
  );
  await page.goto(`${it.address}/agents/mine/${name}/deployments/${deployId}`);
  const log = page.getByRole('region', { name: 'Log' });
  await log.getByText('npm error the needle').waitFor();
  await log.getByText('after the connection broke off').waitFor();
  await page.getByText('50,006 lines').waitFor();
  await log.getByText('more characters are not kept').waitFor();
  await log.getByText('after the title').waitFor();
  await log.getByText('<img src=x onerror="document.title=1">').waitFor();
  await log.getByText('⟨U+202E⟩').waitFor();
  expect(await log.locator('img').count()).toBe(0);
  // Only what is seen is drawn.
  expect(await log.locator('time').count()).toBeLessThan(150);

  await page.getByLabel('Search the log').fill('LINE 12345 of');
  await page.getByText('1 of 1', { exact: true }).waitFor();
  await log.getByText('of the build').first().waitFor();
  expect(await log.locator('mark').allInnerTexts()).toEqual(['line 12345 of']);
  await shoot(page, 'mine-deployment-log');
  await page.getByLabel('Search the log').fill('');
  await page.getByText('Errors', { exact: true }).click();
  await page.getByText('1 line', { exact: true }).waitFor();
  expect(page.url()).toContain('level=error');

  // What comes now is shown now.
  await appendEvents(ctx.db, jobId, [line('error: and one more')]);
  await log.getByText('error: and one more').waitFor();
  await page.getByText('2 lines', { exact: true }).waitFor();
  expect(complaints).toEqual([]);
  await page.context().close();
  await ctx.db('deployments').where({ deploy_id: deployId }).update({ state: 'failed', ended_at: new Date() });
});

test('an earlier deployment is brought back by one who says so', async () => {
  const { ctx } = it.world;
  const live = await ctx.db('deployments as d').join('agents as a', 'a.live_deploy_id', 'd.deploy_id').where({ 'a.name': name }).first('d.*');
  const deploy_id = newId('dep');
  const job_id = await inTx(ctx, (ctx) => createJob(ctx, { kind: 'deploy', title: 'Deploy', ownerId: live.created_by }));
  const row = {
    agent_id: live.agent_id,
    created_by: live.created_by,
    entrypoint: live.entrypoint,
    manifest: '{}',
    source_key: 'x',
    source_sha256: '1'.repeat(64),
    source_bytes: 1,
  };
  await ctx.db('deployments').insert({ ...row, deploy_id, job_id, number: 77, state: 'superseded', version: '0.9.0', image: 'sha256:2' });
  await ctx.db('agents').where({ name }).update({ deploy_count: 77 });
  const { page } = await open(`/agents/mine/${name}/deployments`);
  await page
    .getByRole('row', { name: /0\.9\.0/ })
    .getByRole('button', { name: 'Roll back' })
    .click();
  const dialog = page.getByRole('dialog', { name: /back to deployment 77/ });
  await dialog.getByRole('button', { name: 'Roll back' }).click();
  await page.getByRole('heading', { name: /^Deployment 78/ }).waitFor();
  const [newest] = await ada().agents.deployments({ params: { name }, query: { limit: 1 } });
  expect(newest).toMatchObject({ number: 78, source_sha256: '1'.repeat(64) });
  expect(page.url()).toContain(newest?.deploy_id);
  await page.context().close();
});

test('an archive with a secret that git ignores, and with a key, is not uploaded before its owner has seen both and said so', async () => {
  const { page } = await open('/agents/mine?make=upload');
  const project: RawEntry[] = [
    { path: './svc.yaml', body: 'name: packed-by-hand\nversion: 1.0.0\nentrypoint: agent:Packed\n' },
    { path: './agent.ts', body: 'export class Packed {}\n' },
  ];
  const secrets: RawEntry[] = [
    { path: './.gitignore', body: '.env\n' },
    { path: './.env', body: 'API_TOKEN=s3cret\n' },
    { path: './deploy/id_ed25519', body: 'x' },
  ];
  const choose = (entries: RawEntry[]) =>
    page.getByLabel('Project', { exact: true }).setInputFiles({ name: 'project.tar.gz', mimeType: 'application/gzip', buffer: rawTar(entries) });
  await choose([...project, ...secrets]);
  const warning = page.getByRole('alert').filter({ hasText: 'These files look like secrets' });
  await warning.waitFor();
  await shoot(page, 'upload-secrets');
  const shown = await warning.innerText();
  expect(shown).toContain('deploy/id_ed25519: a private key');
  expect(shown).not.toContain('.env');
  expect(await page.getByRole('status').filter({ hasText: 'Left out' }).innerText()).toContain('.env');
  expect(await button(page, 'Deploy').isDisabled()).toBe(true);
  // Without them there is nothing to say.
  await choose(project);
  await warning.waitFor({ state: 'detached' });
  await page.getByText(/^project\.tar\.gz, /).waitFor();
  expect(await button(page, 'Deploy').isEnabled()).toBe(true);
  await choose([...project, ...secrets]);
  await warning.waitFor();
  expect(await button(page, 'Deploy').isDisabled()).toBe(true);
  expect(await uploadedOf('packed-by-hand')).toEqual([]);
  await page.getByLabel('They are not secrets: upload them').check();
  await button(page, 'Deploy').click();
  await page.waitForURL(/\/agents\/mine\/packed-by-hand\/deployments\/dep_/);
  expect(await uploadedOf('packed-by-hand')).toEqual(['.gitignore', 'agent.ts', 'deploy/id_ed25519', 'svc.yaml']);
  await page.context().close();
});

test('of a folder that is dropped, and of one that is chosen, what its ignore files name stays on the machine, and the page says so', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'svc-dropped-'));
  onTestFinished(() => rm(folder, { recursive: true }));
  for (const [path, content] of Object.entries({
    'svc.yaml': 'name: dropped-folder\nversion: 1.0.0\nentrypoint: agent:Dropped\n',
    'agent.ts': 'export class Dropped {}\n',
    '.env': 'API_TOKEN=s3cret\n',
    '.gitignore': 'private/\n*.sql\n!schema.sql\n',
    'private/customers.csv': 'Ada',
    'lib/schema.sql': 'create',
    'lib/.gitignore': '/local.json\n',
    'lib/local.json': '{}',
    '.git/info/exclude': 'notes.md\n',
    'notes.md': 'mine',
  })) {
    await mkdir(dirname(join(folder, path)), { recursive: true });
    await writeFile(join(folder, path), content);
  }
  const kept = ['.gitignore', 'agent.ts', 'lib/.gitignore', 'lib/schema.sql', 'svc.yaml'];
  const { page, complaints } = await open('/agents/mine?make=upload');
  const saysWhat = async (): Promise<void> => {
    const left = page.getByRole('status').filter({ hasText: 'Left out' });
    await left.waitFor();
    expect((await left.innerText()).split('\n')).toEqual(expect.arrayContaining(['.env', 'lib/local.json', 'notes.md', 'private/']));
    expect(await page.getByRole('alert').count()).toBe(0);
  };
  await dropOn(page, page.getByText('Drop a folder'), folder);
  await saysWhat();
  await shoot(page, 'upload-left-out');
  await button(page, 'Deploy').click();
  await page.waitForURL(/\/agents\/mine\/dropped-folder\/deployments\/dep_/);
  expect(await uploadedOf('dropped-folder')).toEqual(kept);

  await writeFile(join(folder, 'svc.yaml'), 'name: chosen-folder\nversion: 1.0.0\nentrypoint: agent:Dropped\n');
  await page.goto(`${it.address}/agents/mine?make=upload`);
  // The page holds events back until its scripts run, and the browser's driver waits for one.
  await takenOver(page);
  await page.getByLabel('Project folder').setInputFiles(folder);
  await saysWhat();
  await button(page, 'Deploy').click();
  await page.waitForURL(/\/agents\/mine\/chosen-folder\/deployments\/dep_/);
  expect(await uploadedOf('chosen-folder')).toEqual(kept);
  expect(complaints).toEqual([]);
  await page.context().close();
});

/** Paths of what the platform received. */
async function uploadedOf(agent: string): Promise<string[]> {
  const { db, drivers } = it.world.ctx;
  const row = await db('deployments as d').join('agents as a', 'a.agent_id', 'd.agent_id').where({ 'a.name': agent }).first('d.source_key');
  return row ? (await readFiles(await drivers.storage.get(row.source_key))).map(({ path }) => path).toSorted() : [];
}

test('on a phone the tab that one comes to is in view, also where it is the last of a row that scrolls', async () => {
  const right = async ({ page }: Opened): Promise<number> => {
    const { x, width } = (await page.getByRole('tab').last().boundingBox()) ?? { x: Infinity, width: 0 };
    return x + width;
  };
  const first = await it.open(`/agents/${name}`, { who: 'ada', width: 'phone' });
  // The row is wider than the screen, or this would show nothing.
  expect(await right(first)).toBeGreaterThan(WIDTHS.phone.width);
  await first.page.getByRole('tab').last().click();
  await first.page.waitForURL((url) => url.pathname !== `/agents/${name}`);
  const there = await it.open(new URL(first.page.url()).pathname, { who: 'ada', width: 'phone' });
  await expect.poll(() => right(there)).toBeLessThanOrEqual(WIDTHS.phone.width);
  for (const { page } of [first, there]) await page.context().close();
});

test('who has no agents is told how to make one, and nobody sees those of others', async () => {
  const opened = await it.open('/agents/mine', { who: 'ben' });
  await opened.page.getByText('You have no agents yet.').waitFor();
  await opened.page.goto(`${it.address}/agents/mine/${name}`);
  await opened.page.getByRole('heading', { name: 'Not found' }).waitFor();
  await opened.page.context().close();
});

async function deploymentUnderWay(): Promise<{ deployId: string; jobId: string }> {
  const { ctx } = it.world;
  const agent = await ctx.db('agents').where({ name }).first('agent_id', 'owner_id');
  const deploy_id = newId('dep');
  const job_id = await inTx(ctx, (ctx) => createJob(ctx, { kind: 'deploy', title: 'Deploy', ownerId: agent?.owner_id ?? '' }));
  await ctx.db('deployments').insert({
    deploy_id,
    job_id,
    agent_id: agent?.agent_id ?? '',
    created_by: agent?.owner_id ?? '',
    number: 50,
    state: 'building',
    entrypoint: 'agent:Agent',
    manifest: '{}',
    source_key: 'sources/x',
    source_sha256: '0'.repeat(64),
    source_bytes: 1,
  });
  return { deployId: deploy_id, jobId: job_id };
}
