// Every page in both themes, at a desk and on a phone: it is shown, nothing complains, and the accessibility rules hold.
import { afterAll, beforeAll, expect, test } from 'vitest';
import type { Who } from '../api/world.ts';
import { brokenWords, COLOR_RULES, type DashboardWorld, dashboardWorld, goOn, type Opened, SCHEMES, settled, shoot, violations, WIDTHS } from './dashboard.ts';
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

const widths = Object.keys(WIDTHS) as (keyof typeof WIDTHS)[];

test('every page is shown in both themes and widths, without a complaint or a violation', async () => {
  const faults: string[] = [];
  // One tab for each reader: what it loaded and compiled, our checks among it, is half of the time.
  const tabs = new Map<Who | undefined, Opened>();
  for (const { name, path, who } of pagePaths(it.world)) {
    const tab = tabs.get(who);
    if (tab) await goOn(tab, path);
    const opened = tab ?? (await it.open(path, { ...(who && { who }) }));
    tabs.set(who, opened);
    const { page, complaints } = opened;
    for (const width of widths)
      for (const scheme of SCHEMES) {
        const where = `${name}, ${width}, ${scheme}`;
        await page.setViewportSize(WIDTHS[width]);
        await page.emulateMedia({ colorScheme: scheme, reducedMotion: 'reduce' });
        // The page hears of the scheme a frame later. Not by a function in the page: the content security policy lets none be made of a string.
        await page.locator(`html[data-mantine-color-scheme=${scheme}]`).waitFor({ state: 'attached' });
        await settled(opened);
        faults.push(
          ...complaints.splice(0).map((text) => `${where}: ${text}`),
          ...(await violations(page, scheme === 'light' ? undefined : COLOR_RULES)).map((text) => `${where}: ${text}`),
        );
        // A page that is wider than the window is scrolled sideways.
        const wider = await page.evaluate('document.documentElement.scrollWidth - document.documentElement.clientWidth');
        if (wider !== 0) faults.push(`${where}: ${String(wider)} px wider than the window`);
        if (width === 'desk' && scheme === 'light') faults.push(...(await brokenWords(page)).map((text) => `${where}: ${text}`));
        await shoot(page, `${name.replaceAll(' ', '-')}-${width}-${scheme}`);
      }
  }
  expect(faults).toEqual([]);
}, 1_500_000);
