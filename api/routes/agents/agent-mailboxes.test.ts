// The mailbox of an agent through the API: made, changed, removed, and what happened to its mail.
import { afterAll, beforeAll, expect, test } from 'vitest';
import { appendMailEvent } from '#core/agents/mailbox/events.ts';
import { declareMailbox } from '#core/agents/mailbox/declare.ts';
import { deleteAgent } from '#core/agents/agent/delete.ts';
import { provisionMailbox } from '#core/agents/mailbox/provision.ts';
import { inTx } from '#core/kernel/tx.ts';
import { openMail } from '#drivers/mail/open.ts';
import { nameServer, type NameServer } from '#test/support/mail.ts';
import { addAgent, userActor } from '#test/support/verbs.ts';
import { verifies } from '#test/spec/verifies.ts';
import { createWorld, type World } from '#test/api/world.ts';

let world: World;
let dns: NameServer;
let owner: string;
beforeAll(async () => {
  world = await createWorld();
  dns = await nameServer();
  world.ctx.drivers.mail = openMail({ domain: 'agents.example', hostname: 'mx.agents.example', selector: 'svc', dnsServers: [dns.address], arcSealers: [] });
  owner =
    (
      await world.ctx
        .db('agents')
        .where({ name: world.records['name'] ?? '' })
        .first('owner_id')
    )?.owner_id ?? '';
});
afterAll(async () => {
  await world.close();
  await dns.close();
});

const boxes = (who: 'ada' | 'ben' = 'ada') => world.as(who).agentMailboxes;
async function agent(name?: string): Promise<{ name: string; id: string }> {
  const made = await addAgent(world.ctx.db, owner, { live: true });
  if (name === undefined) return made;
  await world.ctx.db('agents').where({ agent_id: made.id }).update({ name });
  return { ...made, name };
}
const rowOf = (agentId: string) => world.ctx.db('mailboxes').where({ agent_id: agentId }).whereNot({ state: 'removed' }).first();
/** As its workflow does. */
const provision = async (agentId: string) => provisionMailbox(world.ctx, (await rowOf(agentId))?.mailbox_id ?? '');

verifies(['agentMailboxes.create', 'agentMailboxes.get'], 'gives the agent an address, once; it is ready when its workflow has made it so', async () => {
  const { name, id } = await agent();
  const params = { name };
  await expect(boxes().get({ params })).rejects.toMatchObject({ status: 404, code: 'mailbox_not_found' });
  const made = await boxes().create({ params, body: { allowed_senders: ['Bob@Example.COM', '@example.org', 'bob@example.com'] } });
  expect(made).toMatchObject({
    address: `${name}@agents.example`,
    state: 'pending',
    allowed_senders: ['bob@example.com', '@example.org'],
    declared_senders: [],
    sent_today: 0,
    send_limit: 50,
  });
  const [started] = await world.ctx.db('outbox').where({ name: 'provisionMailbox' });
  expect(started).toMatchObject({ workflow_id: expect.stringMatching(/^mailbox:mbx_/) });
  await expect(boxes().create({ params })).rejects.toMatchObject({ status: 409, code: 'mailbox_exists' });
  expect(await Promise.all([provision(id), provision(id)])).toEqual(['ready', 'ready']);
  expect(await boxes().get({ params })).toMatchObject({ state: 'ready', error: null });
  await expect(boxes('ben').get({ params })).rejects.toMatchObject({ status: 404, code: 'agent_not_found' });
  await expect(boxes('ben').create({ params })).rejects.toMatchObject({ status: 404 });
  // One key for all, though two made it at once.
  expect(await world.ctx.db('mail_keys')).toHaveLength(1);
  expect(JSON.stringify(await world.ctx.db('mail_keys'))).not.toContain('PRIVATE KEY');
});

test('names that cannot be addresses, and senders that are none, are refused', async () => {
  const long = await agent(`a${'b'.repeat(36)}`);
  await expect(boxes().create({ params: { name: long.name } })).rejects.toMatchObject({ status: 409, code: 'mailbox_name_too_long' });
  const taken = await agent('postmaster');
  await expect(boxes().create({ params: { name: taken.name } })).rejects.toMatchObject({ status: 409, code: 'mailbox_name_taken' });
  const { name } = await agent();
  for (const bad of [
    '',
    '@',
    'a@b',
    '*@example.com',
    'a b@example.com',
    '"a"@example.com',
    'a@[127.0.0.1]',
    'a@example.com\r\nBcc: x@example.com',
    'a@exa mple.com',
    'ä@example.com',
    'a@@example.com',
  ])
    await expect(boxes().create({ params: { name }, body: { allowed_senders: [bad] } }), bad).rejects.toMatchObject({ status: 422 });
  const many = Array.from({ length: 51 }, (_, at) => `u${at}@example.com`);
  await expect(boxes().create({ params: { name }, body: { allowed_senders: many } })).rejects.toMatchObject({ status: 422 });
  expect(await boxes().create({ params: { name }, body: { allowed_senders: many.slice(1) } })).toMatchObject({ allowed_senders: many.slice(1) });
});

verifies('agentMailboxes.update', 'changes who may write; disables and enables what is ready', async () => {
  const { name, id } = await agent();
  const params = { name };
  await boxes().create({ params });
  await expect(boxes().update({ params, body: { enabled: false } })).rejects.toMatchObject({ status: 409, code: 'mailbox_not_ready' });
  expect(await boxes().update({ params, body: { allowed_senders: ['@example.org'] } })).toMatchObject({ state: 'pending', allowed_senders: ['@example.org'] });
  await provision(id);
  expect(await boxes().update({ params, body: { enabled: false } })).toMatchObject({ state: 'disabled', allowed_senders: ['@example.org'] });
  expect(await boxes().update({ params, body: { enabled: false } })).toMatchObject({ state: 'disabled' });
  expect(await boxes().update({ params, body: { enabled: true, allowed_senders: [] } })).toMatchObject({ state: 'ready', allowed_senders: [] });
  await expect(boxes('ben').update({ params, body: { enabled: true } })).rejects.toMatchObject({ status: 404 });
});

verifies('agentMailboxes.remove', 'makes the address unknown; a new one begins anew', async () => {
  const { name, id } = await agent();
  const params = { name };
  await boxes().create({ params, body: { allowed_senders: ['@example.org'] } });
  await expect(boxes('ben').remove({ params })).rejects.toMatchObject({ status: 404 });
  await boxes().remove({ params });
  await boxes().remove({ params });
  expect(await boxes().get({ params })).toMatchObject({ state: 'removed' });
  await expect(boxes().update({ params, body: { enabled: true } })).rejects.toMatchObject({ status: 404, code: 'mailbox_not_found' });
  expect(await boxes().create({ params })).toMatchObject({ state: 'pending', allowed_senders: [] });
  const ada = { ...world.ctx, actor: userActor(owner, 'ada') };
  await deleteAgent(ada, { name });
  expect(await rowOf(id)).toBeUndefined();
});

test('one that cannot be set up says why, and can be tried again', async () => {
  const { name, id } = await agent();
  const params = { name };
  await boxes().create({ params });
  const mail = world.ctx.drivers.mail;
  world.ctx.drivers.mail = undefined;
  try {
    expect(await provision(id)).toBe('failed');
    expect(await boxes().get({ params })).toMatchObject({ state: 'failed', error: { code: 'mail_not_served' } });
    await expect(boxes().create({ params: { name: (await agent()).name } })).rejects.toMatchObject({ status: 409, code: 'mail_not_served' });
  } finally {
    world.ctx.drivers.mail = mail;
  }
  expect(await boxes().create({ params })).toMatchObject({ state: 'pending', error: null });
  expect(await provision(id)).toBe('ready');
});

test('svc.yaml declares a mailbox: it is made with the deployment, and its senders are those of the newest', async () => {
  const { name, id } = await agent();
  const declare = (manifest: object) => inTx(world.ctx, (ctx) => declareMailbox(ctx, { agent_id: id, name, owner_id: owner }, manifest));
  await declare({});
  expect(await rowOf(id)).toBeUndefined();
  await declare({ mailbox: { allowed_senders: ['@Example.org'] } });
  expect(await rowOf(id)).toMatchObject({ state: 'pending', declared_senders: ['@example.org'], allowed_senders: [] });
  await boxes().update({ params: { name }, body: { allowed_senders: ['bob@example.com'] } });
  await declare({ mailbox: {} });
  expect(await rowOf(id)).toMatchObject({ declared_senders: [], allowed_senders: ['bob@example.com'] });
});

verifies('agentMailboxes.events', 'gives pages, newest first, only to the owner', async () => {
  const { name, id } = await agent();
  const params = { name };
  await boxes().create({ params });
  const box = (await rowOf(id))?.mailbox_id ?? '';
  for (const n of [1, 2, 3]) await appendMailEvent(world.ctx.db, Date.now() + n, box, { kind: 'mail_skipped', why: 'automatic', detail: String(n) });
  const first = await boxes().events({ params, query: { limit: 2 } });
  expect(first.items.map(({ detail }) => detail)).toEqual(['3', '2']);
  const rest = await boxes().events({ params, query: { limit: 2, cursor: first.next_cursor ?? '' } });
  expect(rest).toMatchObject({ items: [{ detail: '1', kind: 'mail_skipped', why: 'automatic' }], next_cursor: null });
  await expect(boxes('ben').events({ params })).rejects.toMatchObject({ status: 404 });
  await expect(boxes().events({ params, query: { cursor: 'junk' } })).rejects.toMatchObject({ status: 400, code: 'bad_cursor' });
});

verifies('agentMailboxes.health', 'counts mailboxes and mail, and says which DNS records are there', async () => {
  const health = () => world.as('platform').agentMailboxes.health();
  dns.zone['agents.example'] = { MX: ['mx.agents.example'], TXT: ['v=spf1 mx -all'] };
  const seen = await health();
  expect(seen).toMatchObject({ served: true, domain: 'agents.example', waiting_in: 0, waiting_out: 0, oldest_waiting_seconds: null });
  expect(seen.mailboxes.ready).toBeGreaterThan(0);
  const found = Object.fromEntries(seen.dns_records.map((one) => [`${one.type} ${one.name}`, one.found]));
  expect(found).toEqual({
    'MX agents.example': true,
    'TXT agents.example': true,
    'TXT _dmarc.agents.example': false,
    'TXT svc._domainkey.agents.example': false,
  });
  const wanted = seen.dns_records.find(({ name }) => name.startsWith('svc.'))?.value ?? '';
  expect(wanted).toMatch(/^v=DKIM1; k=rsa; p=[\w+/=]{390,}$/);
  dns.zone['svc._domainkey.agents.example'] = { TXT: [wanted] };
  dns.zone['_dmarc.agents.example'] = { TXT: ['v=DMARC1; p=none'] };
  expect((await health()).dns_records.every((one) => one.found === true)).toBe(true);
  dns.broken = true;
  expect((await health()).dns_records.every((one) => one.found === null)).toBe(true);
  dns.broken = false;
  await expect(world.as('ada').agentMailboxes.health()).rejects.toMatchObject({ status: 403 });
});
