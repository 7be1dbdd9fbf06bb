import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { ENTRIES } from '../../../docs/contents.ts';
import { writeMarkdown } from './markdown.ts';

test('every page is there as Markdown, listed in llms.txt, and links to the others as Markdown', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'svc-markdown-'));
  onTestFinished(() => rm(folder, { recursive: true }));
  await writeMarkdown(folder, join(import.meta.dirname, '../../..'));
  const list = await readFile(join(folder, 'llms.txt'), 'utf8');
  expect(list).toMatch(/^# svc\n\n> .+\n\n## Start\n\n- \[.+\]\(\/docs\.md\)\n/);
  const addresses = [...list.matchAll(/\]\((\/docs[^)]*\.md)\)/g)].map(([, address = '']) => address);
  expect(addresses).toHaveLength(ENTRIES.length);
  for (const address of addresses) {
    const text = await readFile(join(folder, address), 'utf8');
    expect([address, text.startsWith('# ')]).toEqual([address, true]);
    for (const [, to = ''] of text.matchAll(/\]\((\/docs[^)#]*)/g)) expect([address, addresses.includes(to)]).toEqual([address, true]);
  }
  expect(await readFile(join(folder, 'docs.md'), 'utf8')).toContain('](/docs/operating.md#machines-that-the-platform-runs-on)');
});
