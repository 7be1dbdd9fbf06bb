import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { turnsDuring } from '#test/support/turns.ts';
import { judgeApart, type ReviewTask } from './apart.ts';
import { project } from './test/project.ts';

const task = (text: string, more: Partial<ReviewTask> = {}): ReviewTask => {
  const { card, manifest, now } = project({});
  return { files: [{ path: 'agent.ts', content: text }], card, manifest, now, lockSince: undefined, advisoriesFile: undefined, ...more };
};
const slow = `${'console.a('.repeat(190)}\n`.repeat(500);

test('the thread judges one project after the other', async () => {
  const verdicts = await Promise.all(['eval(code)', 'export {};'].map((text) => judgeApart(task(text))));
  expect(verdicts.map(({ state }) => state)).toEqual(['warning', 'passed']);
});

test('a project on which rules take too long has no verdict, this process goes on meanwhile, and the next project has one', async () => {
  const files = Array.from({ length: 20 }, (_, at) => ({ path: `a${at}.ts`, content: slow }));
  const judging = judgeApart(task('', { files }), 20);
  const turns = turnsDuring(judging);
  await expect(judging).rejects.toThrow('longer than 20 ms');
  expect(await turns).toBeGreaterThan(5);
  expect(await judgeApart(task('eval(code)'))).toMatchObject({ state: 'warning' });
});

test("advisories come from the operator's file; one that does not exist is a fault, not a silence", async () => {
  const folder = await mkdtemp(join(tmpdir(), 'svc-osv-'));
  onTestFinished(() => rm(folder, { recursive: true, force: true }));
  const file = join(folder, 'osv.json');
  const record = {
    id: 'GHSA-1',
    summary: 'x',
    affected: [{ package: { ecosystem: 'PyPI', name: 'httpx' }, ranges: [{ type: 'ECOSYSTEM', events: [{ introduced: '0' }, { fixed: '0.23.0' }] }] }],
  };
  await writeFile(file, JSON.stringify([record]));
  const files = [{ path: 'requirements.txt', content: 'httpx==0.22.0\n' }];
  expect((await judgeApart(task('', { files, advisoriesFile: file }))).findings).toMatchObject([{ rule: 'known-advisory', path: 'requirements.txt', line: 1 }]);
  await expect(judgeApart(task('', { advisoriesFile: join(folder, 'none.json') }))).rejects.toThrow('ENOENT');
});
