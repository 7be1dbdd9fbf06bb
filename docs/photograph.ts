// Photographs the dashboard for the README: `node docs/photograph.ts`. It starts a platform of its own,
// deploys docs/samples/refunds, has it ask, and writes docs/pictures/approval-{light,dark}.png as a browser
// shows its owner's inbox.
import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Browser } from 'playwright-core';
import { z } from 'zod';
import { isFree } from '#stack/ports.ts';
import { type Installation, installation, ok } from '#test/e2e/installation.ts';
import { launchBrowser } from '#test/support/browser.ts';
import { ROOT } from './pages.ts';
import { smaller } from './png.ts';

const WHO = 'ada@svc.local';
const VIEW = { width: 1160, height: 600 };

// The port that a reader will see, where it is free.
const place = await installation((await isFree(8080)) ? { SVC_PORT: '8080', SVC_API_URL: 'http://localhost:8080' } : {});
let browser: Browser | undefined;
try {
  ok(await place.stack('up'));
  ok(await place.svc('login', '--local', WHO));
  ok(await place.svc('deploy', 'docs/samples/refunds'));
  ok(await place.svc('call', 'refunds', 'refund', 'order=A-1039', 'amount=18', 'reason=late'));
  const waiting = await place.svc('call', 'refunds', 'refund', 'order=A-1042', 'amount=240', 'reason=The glass arrived broken', '--no-input');
  if (waiting.code !== 5) throw new Error(`the call does not wait (exit code ${waiting.code}):\n${waiting.stdout}${waiting.stderr}`);
  browser = await launchBrowser();
  for (const scheme of ['light', 'dark'] as const) await photograph(browser, scheme);
} finally {
  await browser?.close();
  await place.destroy();
}

async function photograph(browser: Browser, colorScheme: 'light' | 'dark'): Promise<void> {
  const context = await browser.newContext({ viewport: VIEW, colorScheme, reducedMotion: 'reduce', deviceScaleFactor: 2 });
  const page = await context.newPage();
  await page.goto(`${place.env['SVC_API_URL']}/v1/auth/oidc/start?redirect_to=/inbox`);
  await page.getByLabel('Email').fill(WHO);
  await page.getByLabel('Password').fill(await passwordIn(place));
  await page.getByRole('button', { name: 'Sign in' }).click();
  await page.getByText('for order A-1042').first().waitFor();
  await page.locator('[aria-busy=true]').first().waitFor({ state: 'detached' });
  const file = join(ROOT, `docs/pictures/approval-${colorScheme}.png`);
  await writeFile(file, smaller(await page.screenshot()));
  await context.close();
}

async function passwordIn({ stateDir }: Installation): Promise<string> {
  const Accounts = z.object({ accounts: z.array(z.object({ email: z.string(), password: z.string() })) });
  const { accounts } = Accounts.parse(JSON.parse(await readFile(join(stateDir, 'secrets/local-accounts.json'), 'utf8')));
  return accounts.find(({ email }) => email === WHO)?.password ?? '';
}
