// Pages as a server renders them for their reader, and as a browser takes them over.
import { afterAll, beforeAll, expect, test } from 'vitest';
import type { Who } from '../api/world.ts';
import { type DashboardWorld, dashboardWorld, type Opened, settled } from './dashboard.ts';
import { addMoneyRecords } from './money-records.ts';
import { pagePaths } from './paths.ts';
import { addProofRecords } from './proof-records.ts';
import { addRunRecords } from './run-story.ts';

let it: DashboardWorld;
beforeAll(async () => {
  it = await dashboardWorld();
  await addRunRecords(it.world);
  await addProofRecords(it.world);
  await addMoneyRecords(it.world);
}, 120_000);
afterAll(() => it.close());

test('every page is rendered by the API, and a browser finds nothing in it that it would show otherwise', async () => {
  const faults: string[] = [];
  const made: string[] = [];
  const tabs = new Map<Who | undefined, Opened>();
  await (await it.open('/docs')).page.context().close();
  for (const { name, path, who } of pagePaths(it.world)) {
    const tab = tabs.get(who) ?? (await it.open('/receipts', { ...(who && { who }) }));
    tabs.set(who, tab);
    await settled(tab);
    tab.complaints.splice(0);
    const html = await (await tab.page.goto(it.address + path))?.text();
    if (!html?.includes('id="rendered"')) made.push(name);
    await settled(tab);
    faults.push(...tab.complaints.splice(0).map((text) => `${name}: ${text}`));
  }
  expect(faults).toEqual([]);
  expect(made).toEqual([]);
}, 600_000);
