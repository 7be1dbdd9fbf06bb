// Every page, opened once for its reader: the API renders it, a browser takes it over and finds nothing that
// it would show otherwise; then, in the same tab, in both themes, at a desk and on a phone: nothing
// complains, and the accessibility rules hold. Each kind of page is also reached by a link.
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { PageFiles, pageHeads } from '#api/http/page-files.ts';
import type { Who } from '../api/world.ts';
import { brokenWords, COLOR_RULES, type DashboardWorld, dashboardWorld, goOn, type Opened, settled, shoot, violations, WIDTHS } from './dashboard.ts';
import { builtDashboard } from './built.ts';
import { addMoneyRecords } from './money-records.ts';
import { NO_PAGE, pagePaths } from './paths.ts';
import { programText } from './plain-text.ts';
import { addProofRecords } from './proof-records.ts';
import { addRunRecords } from './run-story.ts';
import { htmlOf, RENDERED, visit } from './visits.ts';

let it: DashboardWorld;
/** Files that every page names. */
let ofAll: Set<string>;
/** What names the files of the page at a path: the same for all pages of a kind. */
let headOf: (path: string) => string;
beforeAll(async () => {
  it = await dashboardWorld();
  // As of a server that knows no versions: here none is up.
  delete it.world.ctx.drivers.workflowVersions;
  await addRunRecords(it.world);
  await addProofRecords(it.world);
  await addMoneyRecords(it.world);
  headOf = pageHeads(PageFiles.parse(JSON.parse(await readFile(join(await builtDashboard(), 'pages.json'), 'utf8'))));
  // The thread that renders is started by the first visit.
  ofAll = scriptsIn(await htmlOf(it, NO_PAGE));
});
afterAll(() => it.close());

/**
 * From one to the next, one thing changes: a change of the theme or the width takes the browser a tenth of a
 * second.
 */
const LOOKS = [
  { width: 'desk', scheme: 'light' },
  { width: 'phone', scheme: 'light' },
  { width: 'phone', scheme: 'dark' },
  { width: 'desk', scheme: 'dark' },
] as const;
type Look = (typeof LOOKS)[number];

const scriptsIn = (html: string): Set<string> => new Set([...html.matchAll(/rel="modulepreload"[^>]*href="([^"]+)"/g)].map(([, file = '']) => file));

test('every page is rendered, taken over as it is, and shown in both themes and widths, without a complaint or a violation', async () => {
  const faults: string[] = [];
  const tabs = new Map<Who | undefined, Opened>();
  const reached = new Set<string>();
  for (const { name, path, who } of pagePaths(it.world)) {
    const tab = tabs.get(who) ?? (await it.open('/receipts', { ...(who && { who }) }));
    tabs.set(who, tab);
    const complain = (where: string): void => void faults.push(...tab.complaints.splice(0).map((text) => `${where}: ${text}`));

    // By a link, the browser makes the page, of what it reads itself.
    const kind = `${who} ${headOf(new URL(path, it.address).pathname)}`;
    if (!reached.has(kind)) {
      await goOn(tab, path);
      await settled(tab);
      complain(`${name}, by a link`);
    }
    reached.add(kind);

    await look(tab, LOOKS[0]);
    const html = await visit(it, tab.page, path, 'load');
    if (!html.includes(RENDERED)) faults.push(`${name}: made by the browser`);
    if (path !== NO_PAGE && [...scriptsIn(html)].every((file) => ofAll.has(file))) faults.push(`${name}: no script of its own`);
    await settled(tab);
    complain(name);
    for (const one of LOOKS) {
      await look(tab, one);
      complain(`${name}, ${one.width}, ${one.scheme}`);
      faults.push(...(await wrongIn(tab, one)).map((text) => `${name}, ${one.width}, ${one.scheme}: ${text}`));
      await shoot(tab.page, `${name.replaceAll(' ', '-')}-${one.width}-${one.scheme}`);
    }
  }
  expect([...faults, ...it.unrendered]).toEqual([]);
}, 1_500_000);

async function look(tab: Opened, { width, scheme }: Look): Promise<void> {
  await tab.page.setViewportSize(WIDTHS[width]);
  await tab.page.emulateMedia({ colorScheme: scheme, reducedMotion: 'reduce' });
  // The page hears of the scheme a frame later. Not by a function in the page: the content security policy
  // lets none be made of a string.
  await tab.page.locator(`html[data-mantine-color-scheme=${scheme}]`).waitFor({ state: 'attached' });
  await settled(tab);
}

async function wrongIn({ page }: Opened, { width, scheme }: Look): Promise<string[]> {
  const wrong = await violations(page, scheme === 'light' ? undefined : COLOR_RULES);
  // A page that is wider than the window is scrolled sideways.
  const wider = await page.evaluate('document.documentElement.scrollWidth - document.documentElement.clientWidth');
  if (wider !== 0) wrong.push(`${String(wider)} px wider than the window`);
  if (width === 'desk' && scheme === 'light') wrong.push(...(await brokenWords(page)), ...(await programText(page)));
  return wrong;
}
