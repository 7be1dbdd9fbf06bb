// Every page in the pseudo-language: what a reader sees of it is a message of web/words/en.json, or data.
import { afterAll, beforeAll, expect, test } from 'vitest';
import { PSEUDO } from '#web/build/words/language.ts';
import type { Who } from '../api/world.ts';
import { type DashboardWorld, dashboardWorld, goOn, type Opened, settled } from './dashboard.ts';
import { isEnglish } from './english-texts.ts';
import { addMoneyRecords } from './money-records.ts';
import { PageData } from './page-data.ts';
import { pagePaths } from './paths.ts';
import { addProofRecords } from './proof-records.ts';
import { addRunRecords } from './run-story.ts';
import { textOutside } from './seen-text.ts';
import { htmlOf } from './visits.ts';

/** Not words, in any language. */
const NO_WORDS: readonly RegExp[] = [
  /^[^\p{L}]*\p{L}?[^\p{L}]*$/u,
  // Numbers with their units; points of time and places of code.
  /^(?:[-+~≈]?[\d.,]+ ?(?:[KMGT]iB|B|ms|s|min|h|d|%|×|k|M)?\s?)+$/,
  // Names of protocols, formats and languages.
  /^(?:[A-Z][A-Z0-9+/.-]+|AG-UI|OpenAPI|TypeScript|JavaScript|Python|svc)$/,
  // Addresses, paths, ids, files, types of media, versions; JSON.
  /^\S+[./_@=]\S+$/,
  /^[{[].*[}\]]$/s,
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
  // The documentation is translated as documents.
  for (const { name, path, who } of pagePaths(it.world).filter(({ path: one }) => !one.startsWith('/docs'))) {
    const { tab, data } = tabs.get(who) ?? (await openTab(who));
    tabs.set(who, { tab, data });
    await goOn(tab, path);
    await settled(tab);
    const { outside, open } = await textOutside(tab.page);
    if (open !== 0) faults.push(`${name}: ${open} messages are cut`);
    faults.push(...outside.filter(({ text }) => !isData(text, data)).map(({ text, where }) => `${name}: "${text}" in ${where}`));
    faults.push(...tab.complaints.splice(0).map((text) => `${name}: ${text}`));
  }
  expect([...faults, ...it.unrendered]).toEqual([]);
}, 1_500_000);

test('the API renders pages in the language, and says which it is', async () => {
  const html = await htmlOf(it, '/agents');
  expect(html).toContain(`<html lang="${PSEUDO}"`);
  expect(html).toContain('⟦Find agents⟧');
});

async function openTab(who: Who | undefined): Promise<{ tab: Opened; data: PageData }> {
  const tab = await it.open('/receipts', { ...(who && { who }) });
  const data = new PageData();
  data.watch(tab.page);
  return { tab, data };
}

function isData(text: string, data: PageData): boolean {
  const isOne = (part: string): boolean => NO_WORDS.some((pattern) => pattern.test(part)) || isEnglish(part) || data.has(part);
  return isOne(text) || text.split(/\s*[·,;:()/|"“”]+\s*|\s+[–→-]\s+|\s+(?=\d)/).every(isOne);
}
