// An export of decision records: whatever is killed, it ends with a file that holds.
import { randomUUID } from 'node:crypto';
import { verifyAsync } from '@noble/ed25519';
import { checkExport } from '#contract/wire/export-check.ts';
import type { Outcome } from './operations.ts';
import { until } from './persistent.ts';
import { eventually, rows } from './ways-in.ts';
import { AGENTS, type World } from './world.ts';

export async function exported(world: World, outcome: Outcome): Promise<void> {
  const slug = await organizationOf(world, outcome.token);
  const { export_id } = await until('export', () => world.api.compliance.export({ params: { slug }, body: {} }));
  const api = world.api.compliance;
  const params = { slug, export_id };
  const made = await eventually('an export', async () => {
    const shown = await api.getExport({ params });
    return shown.state === 'queued' || shown.state === 'running' ? undefined : shown;
  });
  outcome.state = made.state === 'succeeded' ? 'exported' : made.state;
  if (made.error) outcome.error = made.error.code;
  if (made.state !== 'succeeded') return;
  const text = await until('fetch an export', async () => (await api.exportFile({ params })).text());
  const { keys } = await until('fetch the keys', () => world.api.public.receiptKeys());
  const verify = (s: Uint8Array, m: Uint8Array, k: Uint8Array) => verifyAsync(s, m, k, { zip215: false });
  const { findings, isAuthentic } = await checkExport({ lines: text.split('\n').slice(0, -1), keys, verify });
  if (!isAuthentic) outcome.faults.push(`an export does not hold: ${findings.flatMap(({ is, says }) => (is === 'failed' ? [says] : [])).join(' ')}`);
}

/** Of who runs the trial; its slug is unique, so a repeated statement makes it once. */
async function organizationOf(world: World, token: string): Promise<string> {
  const [owner] = await rows<{ owner_id: string }>(world, 'select owner_id from agents where name = $1', [AGENTS[0]]);
  const slug = `x${token.toLowerCase().replaceAll(/[^a-z0-9-]/g, '')}`.slice(0, 39);
  const id = `org_${randomUUID()}`;
  await rows(
    world,
    `with account as (insert into users (user_id, issuer, subject, email, kind) values ($1, 'organization', $2, '', 'organization') on conflict do nothing returning user_id),
       made as (insert into organizations (organization_id, slug, name, created_at) select user_id, $2, $2, now() from account returning organization_id)
     insert into organization_members (member_id, organization_id, user_id, email, role, state, source, created_at, joined_at, updated_at)
     select 'mem_' || gen_random_uuid(), organization_id, $3, 'trial@example.test', 'owner', 'active', 'person', now(), now(), now() from made`,
    [id, slug, owner?.owner_id],
  );
  return slug;
}
