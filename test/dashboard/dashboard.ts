// The dashboard in Debian's Chromium, over the whole API of a test world.
import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import axe from 'axe-core';
import type { Browser, BrowserContext, Locator, Page, Route } from 'playwright-core';
import { dashboard } from '#api/http/dashboard.ts';
import { SESSION_COOKIE } from '#core/identity/cookies.ts';
import { createSession } from '#core/identity/session/create.ts';
import type { SsoProof } from '#core/kernel/sso.ts';
import { inTx } from '#core/kernel/tx.ts';
import { createWorld, type Who, type World, type WorldOptions } from '../api/world.ts';
import { launchBrowser } from '../support/browser.ts';
import { builtDashboard } from './built.ts';
import { NO_PAGE } from './paths.ts';

export const WIDTHS = { desk: { width: 1280, height: 900 }, phone: { width: 390, height: 844 } } as const;

/**
 * Whether a page is rendered says nothing of how busy the machine is; that one which takes too long is left
 * to the browser: api/http/page-renderer.test.ts.
 */
const RENDERING = { inTimeMs: 60_000, stuckMs: 120_000, pauseMs: 5_000 };

export interface OpenOptions {
  /** Absent: signed out. */
  who?: Who;
  width?: keyof typeof WIDTHS;
  scheme?: 'light' | 'dark';
}

export interface Opened {
  page: Page;
  /**
   * What the browser's console complained of: faults of scripts, and what the content security policy
   * stopped.
   */
  complaints: string[];
}

export interface DashboardWorld {
  world: World;
  browser: Browser;
  /** Where the browser finds it: the configured address, which leads to this world's. */
  address: string;
  /** What failed where the API rendered pages. */
  unrendered: string[];
  /** A tab of its own with the page at `path`. */
  open(path: string, options?: OpenOptions): Promise<Opened>;
  close(): Promise<void>;
}

export interface DashboardOptions extends WorldOptions {
  /** A page that is not rendered in time is made by the browser, as an installation does it. */
  asServed?: boolean;
  /** As SVC_LANGUAGE names it. Absent: English. */
  language?: string;
}

export async function dashboardWorld({ asServed = false, language, ...options }: DashboardOptions = {}): Promise<DashboardWorld> {
  const unrendered: string[] = [];
  const { pages, close } = await dashboard(await builtDashboard(language), (why) => unrendered.push(why), asServed ? undefined : RENDERING);
  const world = await createWorld({ serving: true, ...options, dashboard: pages });
  const browser = await launchBrowser({ hosts: { [new URL(world.ctx.config.baseUrl).host]: new URL(world.url).host } });
  return {
    world,
    browser,
    address: world.ctx.config.baseUrl,
    unrendered,
    open: (path, how) => open(browser, world, path, how),
    async close() {
      await browser.close();
      await close();
      await world.close();
    },
  };
}

async function open(browser: Browser, world: World, path: string, as: OpenOptions = {}): Promise<Opened> {
  const page = await (await browserOf(browser, world, as)).newPage();
  const complaints = complaintsOf(page);
  await page.goto(world.ctx.config.baseUrl + path);
  await takenOver(page);
  return { page, complaints };
}

/** Grows as the page's console complains. */
export function complaintsOf(page: Page): string[] {
  const complaints: string[] = [];
  page.on('console', (message) => message.type() === 'error' && complaints.push(message.text()));
  page.on('pageerror', (error) => complaints.push(error.message));
  return complaints;
}

async function browserOf(browser: Browser, world: World, { who, width = 'desk', scheme = 'light' }: OpenOptions): Promise<BrowserContext> {
  const context = await browser.newContext({ viewport: WIDTHS[width], colorScheme: scheme, reducedMotion: 'reduce', timezoneId: 'Asia/Kathmandu' });
  if (who) await context.addCookies([await sessionCookie(world, who)]);
  return context;
}

/** What a browser that has signed in sends. */
export async function sessionCookie({ ctx, as }: World, who: Who, sso?: SsoProof) {
  const { user_id: userId } = await as(who).auth.me();
  const { token } = await inTx(ctx, (ctx) => createSession(ctx, { userId, replaces: undefined, signedIn: true, sso }));
  // A secure one is set for an address with https, and sent to this machine without as well.
  return { name: SESSION_COOKIE, value: token, url: ctx.config.baseUrl.replace('http:', 'https:'), secure: true, httpOnly: true };
}

/** The API gets a request of a page; the page has its answer from the test alone. */
export async function reaches({ world, address }: DashboardWorld, route: Route, who: Who): Promise<void> {
  const asked = route.request();
  await route.fetch({ url: asked.url().replace(address, world.url), headers: { ...asked.headers(), authorization: `Bearer ${world.tokens[who]}` } });
}

/**
 * To another page in the same tab, as a link leads there. Over an address that has no page: nothing that was
 * shown is taken for what comes.
 */
export async function goOn({ page }: Opened, path: string): Promise<void> {
  const nothing = page.getByRole('heading', { level: 1, name: 'Nothing here' });
  const go = (to: string): Promise<void> => page.evaluate(`history.pushState(null, '', ${JSON.stringify(to)})`);
  await go(NO_PAGE);
  await nothing.waitFor();
  if (path === NO_PAGE) return;
  await go(path);
  await nothing.waitFor({ state: 'detached' });
}

/** The scripts of a page have taken over what the API rendered of it. */
export const takenOver = (page: Page): Promise<void> => page.locator('#root[data-rendered]').waitFor({ state: 'detached' });

/** As a person does it: scripts of a page cannot make a folder. */
export async function dropOn(page: Page, place: Locator, folder: string): Promise<void> {
  const box = await place.boundingBox();
  if (!box) throw new Error('there is no place to drop on');
  const devtools = await page.context().newCDPSession(page);
  const data = { items: [], files: [folder], dragOperationsMask: 1 };
  for (const type of ['dragEnter', 'dragOver', 'drop'] as const) await devtools.send('Input.dispatchDragEvent', { type, x: box.x + 5, y: box.y + 5, data });
}

/** Nothing loads any more: the heading is there and no placeholder. */
export async function settled({ page, complaints }: Opened): Promise<void> {
  await page
    .locator('h1')
    .first()
    .waitFor()
    .catch((error: Error) => Promise.reject(new Error(`${page.url()} is not shown: ${error.message}\n${complaints.join('\n')}`)));
  await takenOver(page);
  // Not by a function in the page: the content security policy lets none be made of a string.
  await page.locator('[aria-busy=true]').first().waitFor({ state: 'detached' });
}

const ALL_RULES = { type: 'tag', values: ['wcag2a', 'wcag2aa', 'wcag21a', 'wcag21aa', 'wcag22aa', 'best-practice'] };
/** What differs between two themes of one page: everything else is the same element for element. */
export const COLOR_RULES = { type: 'rule', values: ['color-contrast'] };

/** Each violation of the accessibility rules as one line. */
export async function violations(page: Page, rules = ALL_RULES): Promise<string[]> {
  if (!(await page.evaluate<boolean>('"axe" in window'))) await page.evaluate(axe.source);
  // What holds is not asked for: naming each of its elements takes a sixth of the time.
  const found: { id: string; nodes: { html: string; failureSummary?: string }[] }[] = await page.evaluate(
    `axe.run(document, { runOnly: ${JSON.stringify(rules)}, resultTypes: ['violations'] }).then(({ violations }) => violations.map(({ id, nodes }) => ({ id, nodes: nodes.map(({ html, failureSummary }) => ({ html, failureSummary })) })))`,
  );
  return found.flatMap(({ id, nodes }) =>
    nodes.map(({ html, failureSummary = '' }) => `${id}: ${html.slice(0, 300)} ${failureSummary.replaceAll(/\s+/g, ' ')}`),
  );
}

/** Words of tables that are short and yet stand on several lines: their column is too narrow. */
export async function brokenWords(page: Page): Promise<string[]> {
  return await page.evaluate<string[]>(`[...document.querySelectorAll('td')].flatMap((cell) => {
    const broken = [];
    const texts = document.createTreeWalker(cell, NodeFilter.SHOW_TEXT);
    while (texts.nextNode())
      for (const { 0: word, index } of texts.currentNode.data.matchAll(/(?<!\\S)\\S{2,14}(?!\\S)/g)) {
        const range = document.createRange();
        range.setStart(texts.currentNode, index);
        range.setEnd(texts.currentNode, index + word.length);
        if (new Set([...range.getClientRects()].map(({ top }) => Math.round(top))).size > 1) broken.push('"' + word + '" in ' + (cell.dataset.head ?? 'a table') + ' is broken');
      }
    return broken;
  })`);
}

/** `SVC_SCREENSHOTS=folder`: the page as it is, to be looked at. */
export async function shoot(page: Page, name: string): Promise<void> {
  const folder = process.env.SVC_SCREENSHOTS;
  if (folder === undefined) return;
  await mkdir(folder, { recursive: true });
  await page.screenshot({ path: join(folder, `${name}.png`), fullPage: true });
}
