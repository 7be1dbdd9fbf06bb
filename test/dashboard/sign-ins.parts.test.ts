// The page on which a person sees what is signed in as them, and ends what they do not know.
import { afterAll, beforeAll, expect, test } from 'vitest';
import { newId } from '#core/kernel/ids.ts';
import { hashSecret, newSecret } from '#core/kernel/secret.ts';
import { type DashboardWorld, dashboardWorld, settled, shoot, violations } from './dashboard.ts';

let it: DashboardWorld;
let ada: { user_id: string; issuer: string; subject: string };
beforeAll(async () => {
  it = await dashboardWorld();
  const { user_id } = await it.world.as('ada').auth.me();
  const row = await it.world.ctx.db('users').where({ user_id }).first('issuer', 'subject');
  ada = { user_id, issuer: row?.issuer ?? '', subject: row?.subject ?? '' };
});
afterAll(() => it.close());

const DAY_MS = 86_400_000;

/** A laptop and a phone, long ago, and a program that may call one agent. */
async function signedIn(): Promise<void> {
  const { db } = it.world.ctx;
  const ends = { created_at: new Date(Date.now() - 3 * DAY_MS), expires_at: new Date(Date.now() + 4 * DAY_MS) };
  const { user_id, ...subject } = ada;
  const phone = {
    address: '198.51.100.23',
    user_agent: 'Mozilla/5.0 (iPhone; CPU iPhone OS 26_0 like Mac OS X) AppleWebKit/605.1.15 Version/26.0 Safari/604.1',
  };
  await db('web_sessions').insert({ session_id: newId('ses'), token_hash: hashSecret(newSecret()), user_id, ...phone, ...ends });
  const laptop = { client_id: 'svc-cli', client_name: 'the svc command line tool', family: 'laptop', address: '203.0.113.9' };
  const program = { client_id: 'https://notes.example/client.json', client_name: 'Notes', family: 'notes', resource: 'http://greeter.localhost:8080' };
  for (const one of [laptop, program]) await db('program_sign_ins').insert({ ...subject, ...one, ...ends });
}

test('what is signed in is listed with its address and its end; one is ended, then all others, and this browser goes on', async () => {
  await signedIn();
  const opened = await it.open('/settings', { who: 'ada' });
  const { page } = opened;
  await settled(opened);
  const list = page.getByRole('table', { name: 'Sign-ins' });
  await list.waitFor();
  const rows = list.getByRole('row');
  await rows.filter({ hasText: 'Safari on iOS' }).filter({ hasText: '198.51.100.23' }).waitFor();
  await rows.filter({ hasText: 'Notes' }).filter({ hasText: 'http://greeter.localhost:8080' }).waitFor();
  expect(await rows.filter({ hasText: 'This one' }).count()).toBe(1);
  expect(await violations(page)).toEqual([]);
  await shoot(page, 'sign-ins');
  await rows.filter({ hasText: '203.0.113.9' }).getByRole('button', { name: 'Sign out' }).click();
  await page.getByRole('dialog').getByRole('button', { name: 'Sign out' }).click();
  await rows.filter({ hasText: '203.0.113.9' }).waitFor({ state: 'detached' });
  await page.getByRole('button', { name: 'Sign out all others' }).click();
  await page.getByRole('dialog').getByRole('button', { name: 'Sign out all others' }).click();
  await rows.filter({ hasText: 'Notes' }).waitFor({ state: 'detached' });
  await page.reload();
  await list.waitFor();
  expect(await rows.filter({ hasText: 'This one' }).count()).toBe(1);
  expect(await rows.filter({ hasText: 'Safari on iOS' }).count()).toBe(0);
  await page.context().close();
});
