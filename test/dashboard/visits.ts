// Pages as the API answers an address of the dashboard: rendered for their reader.
import { request } from 'node:http';
import { text } from 'node:stream/consumers';
import type { Page } from 'playwright-core';
import type { SsoProof } from '#core/kernel/sso.ts';
import type { Who } from '../api/world.ts';
import { type DashboardWorld, sessionCookie } from './dashboard.ts';

/** In the HTML of a page that the API rendered. */
export const RENDERED = 'id="rendered"';

/** As a browser asks for it, and before it does anything with it. */
export async function htmlOf({ world, address }: DashboardWorld, path: string, who?: Who, sso?: SsoProof): Promise<string> {
  const cookie = who && (await sessionCookie(world, who, sso));
  const { hostname, port } = new URL(world.url);
  const headers = { accept: 'text/html', host: new URL(address).host, ...(cookie && { cookie: `${cookie.name}=${cookie.value}` }) };
  return await new Promise((resolve, reject) => {
    request({ hostname, port, path, headers }, (answer) => void text(answer).then(resolve, reject))
      .once('error', reject)
      .end();
  });
}

/** The page as the API rendered it. @returns its HTML */
export async function visit({ address }: DashboardWorld, page: Page, path: string, waitUntil: 'load' | 'commit'): Promise<string> {
  return (await (await page.goto(address + path, { waitUntil }))?.text()) ?? '';
}
