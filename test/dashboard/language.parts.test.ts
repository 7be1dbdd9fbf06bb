// Every page in the pseudo-language: what a reader sees of it is a message of web/words/en.json, or data. Then
// another language says it as well.
import { appendFile } from 'node:fs/promises';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { PSEUDO } from '#web/build/words/language.ts';
import type { Who } from '../api/world.ts';
import { type DashboardWorld, dashboardWorld, type Opened, settled } from './dashboard.ts';
import { addMoneyRecords } from './money-records.ts';
import { PageData } from './page-data.ts';
import { pagePaths } from './paths.ts';
import { addProofRecords } from './proof-records.ts';
import { addRunRecords } from './run-story.ts';
import { textOutside } from './seen-text.ts';
import { visit } from './visits.ts';

/** Not words, in any language. */
const NO_WORDS: readonly RegExp[] = [
  // Numbers, with their units; keys of the keyboard.
  /^[-+~≈]?[\d.,\s]+(?:[KMG]iB|B|ms|s|min|h|d|%|×|k|M)?$/,
  /^[^\p{L}]*\p{L}?[^\p{L}]*$/u,
];

let it: DashboardWorld;
beforeAll(async () => {
  it = await dashboardWorld({ language: PSEUDO });
  delete it.world.ctx.drivers.workflowVersions;
  await addRunRecords(it.world);
  await addProofRecords(it.world);
  await addMoneyRecords(it.world);
}, 600_000);
afterAll(() => it.close());

test('no page shows a word that is no message', async () => {
  const faults: string[] = [];
  const tabs = new Map<Who | undefined, { tab: Opened; data: PageData }>();
  for (const { name, path, who } of pagePaths(it.world)) {
    const { tab, data } = tabs.get(who) ?? (await openTab(who));
    tabs.set(who, { tab, data });
    data.addRendered(await visit(it, tab.page, path, 'load'));
    await settled(tab);
    const { outside, open } = await textOutside(tab.page);
    if (open !== 0) faults.push(`${name}: ${open} messages are cut`);
    faults.push(...outside.filter(({ text }) => !isData(text, data)).map(({ text, where }) => `${name}: "${text}" in ${where}`));
    faults.push(...tab.complaints.splice(0).map((text) => `${name}: ${text}`));
  }
  if (process.env.FAULTS) await appendFile(process.env.FAULTS, [...faults, ...it.unrendered].join('\n'));
  expect([...faults, ...it.unrendered]).toEqual([]);
}, 1_500_000);

async function openTab(who: Who | undefined): Promise<{ tab: Opened; data: PageData }> {
  const tab = await it.open('/receipts', { ...(who && { who }) });
  const data = new PageData();
  data.watch(tab.page);
  return { tab, data };
}

function isData(text: string, data: PageData): boolean {
  const isOne = (part: string): boolean => NO_WORDS.some((pattern) => pattern.test(part)) || data.has(part);
  return isOne(text) || text.split(/\s*[·,;:()/|"“”]+\s*|\s+[–→-]\s+/).every(isOne);
}
