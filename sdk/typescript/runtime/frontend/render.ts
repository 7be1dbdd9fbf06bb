// Pages that a program of the frontend writes: `handle(req, res, page)` of server.cjs, beside the agent. It
// gets the request without what proves who sent it.
import { randomBytes } from 'node:crypto';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { foldedName } from '../../../../contract/wire/headers.ts';
import { SvcError } from '../../authoring/errors.ts';
import type { FrontendConfig } from './config.ts';

interface PageContext {
  /** What config.json says. */
  config: FrontendConfig;
  /**
   * For inline scripts, which run only with it; it is also in the request's content-security-policy, where
   * frameworks look.
   */
  nonce: string;
}

export type Renderer = (req: IncomingMessage, res: ServerResponse) => Promise<void>;

export interface RenderOptions {
  config: FrontendConfig;
  headers: Readonly<Record<string, string>>;
  /** The policy of a page whose inline scripts carry this source. */
  policy: (inlineScripts: readonly string[]) => string;
  /** How long a page may take. */
  timeoutMs?: number;
}

const PAGE_MS = 30_000;
/**
 * Headers of the caller and of the platform, which a page does not see: one page is rendered for all users of
 * the frontend.
 */
const PRIVATE = /^(?:authorization|cookie|proxy-authorization|x-svc-.*)$/;

/** @throws Error where server.cjs does not exist, cannot be loaded or exports no `handle` */
export function loadRenderer(dist: string, { config, headers, policy, timeoutMs = PAGE_MS }: RenderOptions): Renderer {
  const file = join(dist, 'server.cjs');
  // CommonJS: it is loaded the same way inside of a machine, where the agent itself is, and by svc run.
  const loaded: unknown = createRequire(file)(file);
  const handle = typeof loaded === 'object' && loaded !== null && 'handle' in loaded ? loaded.handle : undefined;
  if (typeof handle !== 'function') throw new Error(`${file} exports no function handle(req, res, page)`);

  return async (req, res) => {
    const nonce = randomBytes(16).toString('base64');
    const security = policy([`'nonce-${nonce}'`]);
    const visibleHeaders = Object.entries(req.headers).filter(([name]) => !PRIVATE.test(foldedName(name)));
    req.headers = { ...Object.fromEntries(visibleHeaders), 'content-security-policy': security };
    req.rawHeaders = Object.entries(req.headers).flatMap(([name, value]) => [name, String(value)]);
    for (const [name, value] of Object.entries({ ...headers, 'content-security-policy': security, 'cache-control': 'no-store' })) res.setHeader(name, value);
    await within(timeoutMs, res, () => Promise.resolve(handle(req, res, { config, nonce } satisfies PageContext)));
  };
}

/**
 * Resolves when the page was sent, or its reader has gone. @throws SvcError skill_timeout while nothing has
 * been sent; what `render` throws
 */
async function within(ms: number, res: ServerResponse, render: () => Promise<unknown>): Promise<void> {
  let timer: NodeJS.Timeout | undefined;
  const closed = new Promise<void>((resolve) => res.once('close', resolve));
  const late = new Promise<never>((_, reject) => {
    timer = setTimeout(() => reject(new SvcError('skill_timeout', `the page was not written within ${ms / 1000} seconds`, 504)), ms);
  });
  try {
    await Promise.race([render().then(() => closed), closed, late]);
  } catch (error) {
    if (!res.headersSent) throw error;
    // Half of a page is no page: the reader sees that it broke off.
    res.destroy();
  } finally {
    clearTimeout(timer);
  }
}
