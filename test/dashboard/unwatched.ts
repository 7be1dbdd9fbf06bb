// A tab that no tool watches. Playwright follows each request and script of its own pages, which takes a page
// on a slowed processor a third of its time; here the browser is told what to do over its own protocol, and
// asked when it is done.
import type { Browser } from 'playwright-core';
import type { World } from '../api/world.ts';
import { sessionCookie, WIDTHS } from './dashboard.ts';
import type { PagePath } from './paths.ts';

export interface UnwatchedTab {
  go(path: string): Promise<void>;
  /** @param expression of JavaScript; a promise is waited for */
  evaluate<T>(expression: string): Promise<T>;
  close(): Promise<void>;
}

export interface TabOptions {
  /** Absent: signed out. */
  who?: PagePath['who'];
  /** How many times slower its processor is. */
  slower?: number;
  /** Milliseconds that each answer takes longer. */
  away?: number;
}

/** With an empty cache, at the size of a desk. */
export async function unwatchedTab(browser: Browser, world: World, { who, slower = 1, away = 0 }: TabOptions): Promise<UnwatchedTab> {
  const { baseUrl } = world.ctx.config;
  const session = await browser.newBrowserCDPSession();
  const { browserContextId } = await session.send('Target.createBrowserContext');
  const { targetId } = await session.send('Target.createTarget', { url: 'about:blank', browserContextId, ...WIDTHS.desk });
  const { sessionId } = await session.send('Target.attachToTarget', { targetId });
  const answers = new Map<number, (answer: { result: unknown; error?: object }) => void>();
  session.on('Target.receivedMessageFromTarget', ({ message }) => {
    const answer = JSON.parse(message) as { id: number; result: unknown };
    answers.get(answer.id)?.(answer);
  });
  const send = async <T>(method: string, params: object): Promise<T> => {
    const id = answers.size + 1;
    const answer = new Promise<{ result: unknown; error?: object }>((resolve) => answers.set(id, resolve));
    await session.send('Target.sendMessageToTarget', { sessionId, message: JSON.stringify({ id, method, params }) });
    const { result, error } = await answer;
    if (error) throw new Error(`${method}: ${JSON.stringify(error)}`);
    return result as T;
  };
  const evaluate = async <T>(expression: string): Promise<T> => {
    const { result, exceptionDetails } = await send<{ result: { value: T }; exceptionDetails?: object }>('Runtime.evaluate', {
      expression,
      awaitPromise: true,
      returnByValue: true,
    });
    if (exceptionDetails) throw new Error(JSON.stringify(exceptionDetails));
    return result.value;
  };
  if (who) await session.send('Storage.setCookies', { browserContextId, cookies: [await sessionCookie(world, who)] });
  await send('Emulation.setDeviceMetricsOverride', { ...WIDTHS.desk, deviceScaleFactor: 1, mobile: false });
  const go = async (path: string): Promise<void> => {
    await send('Page.navigate', { url: baseUrl + path });
  };
  await go('/healthz');
  // Its process has started when it shows something of this origin.
  await evaluate(`new Promise((resolve) => (document.readyState === 'complete' ? resolve() : addEventListener('load', resolve)))`);
  await send('Emulation.setCPUThrottlingRate', { rate: slower });
  if (away > 0) {
    // Without it the browser takes the conditions and does not keep to them.
    await send('Network.enable', {});
    await send('Network.emulateNetworkConditions', { offline: false, latency: away, downloadThroughput: -1, uploadThroughput: -1 });
  }
  return {
    go,
    evaluate,
    async close() {
      await session.send('Target.disposeBrowserContext', { browserContextId });
      await session.detach();
    },
  };
}
