// Agents and what belongs to one: memories, secrets, setup values, runs with their artifacts.
import { newId } from '#core/kernel/ids.ts';
import { greeterFiles, tarball } from '../../support/project.ts';
import { addAgent, addUser } from '../../support/verbs.ts';
import type { AreaRecords, Owner } from './area.ts';

export async function agentsRecords(owner: Owner): Promise<AreaRecords> {
  const { agent, deployId } = owner;
  await describe(owner);
  await addUptime(owner);
  // A memory and a secret that one word names.
  const [namespace, key, gone] = ['facts', 'TOKEN', 'GONE'];
  for (const each of [key, gone]) await addMemory(owner, namespace, each);
  for (const each of [key, gone]) await addSecret(owner, each);
  for (const field of ['region', 'zone']) await addSetupValue(owner, field);
  await addMailbox(owner);
  const number = async (placement?: 'header') =>
    (
      await owner.ctx
        .db('platform_tokens')
        .insert({ ...apiToken(owner), placement: placement ?? null })
        .returning('number')
    )[0]?.number;
  const imported = await addImport(owner);
  const review_id = newId('rev');
  await owner.ctx
    .db('review_runs')
    .insert({ review_id, agent_id: agent.id, deploy_id: deployId, state: 'passed', started_at: new Date(), ended_at: new Date() })
    .onConflict('deploy_id')
    .merge(['review_id']);
  const params = {
    review_id,
    name: agent.name,
    connection_id: String(imported.connection_id),
    'agentAuth.status.name': imported.name,
    'agentAuth.connect.name': imported.name,
    'agentAuth.disconnect.name': imported.name,
    deploy_id: deployId,
    skill_name: 'greet',
    skill: 'greet',
    account_id: await addCallerScopes(owner),
    endpoint_name: 'hello',
    namespace,
    key,
    field_name: 'region',
    token_id: String(await number()),
    link_id: String(await number('header')),
    hostname: await addDomain(owner, 'shop.example.org'),
    'agents.removeDomain.hostname': await addDomain(owner, '*.example.org'),
    'agentMemory.delete.key': gone,
    'agentSecrets.delete.key': gone,
    'consumerSetup.delete.field_name': 'zone',
  };
  const composition = { sub_agents: [{ name: agent.name }] };
  const described = { name: 'described', document: description() };
  const calls = {
    'agents.fromTarball': { body: await project() },
    'agents.fromSource': { body: { name: 'from-source-kit' } },
    'agents.compose': { body: { name: `team-${agent.name}`, goal: { objective: 'Greet' }, composition } },
    'agents.openapiPreview': { body: described },
    'agents.fromOpenapi': { body: described },
    'callerScopes.give': { body: { account: await addUser(owner.ctx.db, 'reader'), scopes: ['read'] } },
    'agents.addDomain': { body: { hostname: 'pay.example.org' } },
    'sourceEditor.save': { body: { message: 'Say how', changes: [{ path: 'notes.md', content: 'It greets.', blob: null }] } },
    'sourceEditor.deploy': { body: { commit: 'a'.repeat(40) } },
    'agents.mcp': { body: { jsonrpc: '2.0', id: 1, method: 'tools/list' } },
    'agentAuth.connect': { body: { kind: 'bearer', token: 'a-token' } },
    // There is no template in this project.
    'agents.updateTemplate': { body: { action: 'check' } },
  };
  return { params, calls };
}

async function addCallerScopes({ ctx, agent }: Owner): Promise<string> {
  const user_id = await addUser(ctx.db, 'writer');
  const now = new Date(ctx.clock());
  await ctx.db('caller_scopes').insert({ agent_id: agent.id, user_id, scopes: ['write'], created_at: now, updated_at: now });
  return user_id;
}

/** Another agent of theirs, that runs elsewhere. */
async function addImport({ ctx, userId }: Owner): Promise<{ name: string; connection_id: number }> {
  const { id, name } = await addAgent(ctx.db, userId, { live: true });
  const remote = { protocol: 'a2a', protocol_version: '1.0', endpoint: 'https://agent.example.com/', name, description: '', version: '1.0.0' };
  await ctx.db('agents').where({ agent_id: id }).update({ kind: 'imported' });
  await ctx.db('agent_imports').insert({
    agent_id: id,
    url: remote.endpoint,
    endpoint: remote.endpoint,
    protocol: 'a2a',
    protocol_version: '1.0',
    remote: JSON.stringify({ ...remote, skills: [], security: [], source: null }),
    digest: '0',
    next_probe_at: '2126-01-01T00:00:00Z',
  });
  const facts = { location: null, name: null, scheme: 'Bearer', token_url: null, client_id: null, refreshes: false };
  const sealed = await ctx.drivers.vault.seal(Buffer.from('{}'), 'a test');
  const [row] = await ctx
    .db('agent_connections')
    .insert({ agent_id: id, kind: 'bearer', scheme_name: 'other', facts: JSON.stringify(facts), sealed })
    .returning('connection_id');
  return { name, connection_id: row?.connection_id ?? 0 };
}

/** One that answers calls has a card already, perhaps of other skills. */
async function describe({ ctx, agent, deployId }: Owner): Promise<void> {
  const skills = [{ id: 'greet', name: 'greet', input_schema: { type: 'object' }, output_schema: {} }];
  const card = JSON.stringify({ name: agent.name, description: '', version: '1.0.0', skills });
  const deployment = ctx.db('deployments').where({ deploy_id: deployId });
  await deployment.clone().whereNull('card').update({ card });
  const without = deployment.clone().whereRaw(`not (card->'skills')::jsonb @> '[{"id": "greet"}]'`);
  await without.update({ card: ctx.db.raw(`jsonb_set(card::jsonb, '{skills}', (card->'skills')::jsonb || ?::jsonb)`, [JSON.stringify(skills)]) });
  const call = { skill: 'greet' };
  const endpoints = JSON.stringify({ endpoints: { hello: { post: call, put: call, patch: call, delete: call } } });
  await deployment.update({ manifest: ctx.db.raw(`coalesce(manifest, '{}') || ?::jsonb`, [endpoints]) });
}

/** The shortest API that can be called. */
function description(): string {
  const paths = { '/things': { get: { operationId: 'listThings', responses: { 200: { description: 'They are here.' } } } } };
  return JSON.stringify({ openapi: '3.1.0', info: { title: 'Things', version: '1' }, servers: [{ url: 'https://things.test' }], paths });
}

async function project(): Promise<FormData> {
  const form = new FormData();
  form.set('source', new Blob([new Uint8Array(await tarball(greeterFiles('packed')))]), 'source.tar.gz');
  return form;
}

async function addMemory({ ctx, userId, agent }: Owner, namespace: string, key: string): Promise<void> {
  const row = { agent_id: agent.id, user_id: userId, namespace, key };
  await ctx.db('agent_memories').insert({ ...row, value: '"x"', size_bytes: 3, search_text: `${key} x` });
}

async function addSecret({ ctx, agent }: Owner, name: string): Promise<void> {
  await ctx.db('agent_secrets').insert({ agent_id: agent.id, name, value_sealed: await ctx.drivers.vault.seal(Buffer.from('x'), 'a test') });
}

function apiToken({ userId, agent }: Owner) {
  const id = newId('tok');
  return { token_id: id, token_hash: id, kind: 'agent_api' as const, user_id: userId, agent_id: agent.id, expires_at: new Date(Date.now() + 86_400_000) };
}

async function addSetupValue({ ctx, userId, agent }: Owner, field_name: string): Promise<void> {
  await ctx.db('consumer_setup_values').insert({ agent_id: agent.id, user_id: userId, field_name, value: '"eu"', size_bytes: 4 });
}

async function addDomain({ ctx, agent }: Owner, hostname: string): Promise<string> {
  const prove_until = new Date(Date.now() + 86_400_000);
  await ctx.db('agent_domains').insert({ domain_id: newId('dom'), agent_id: agent.id, hostname, nonce: hostname, prove_until });
  return hostname;
}

/** One that is set up, with an event. Without a mail domain none can be made. */
async function addMailbox({ ctx, agent }: Owner): Promise<void> {
  const mailbox_id = newId('mbx');
  await ctx.db('mailboxes').insert({ mailbox_id, agent_id: agent.id, address: `${agent.name}@agents.example`, state: 'ready' });
  await ctx.db('mailbox_events').insert({ event_id: newId('mev'), mailbox_id, kind: 'mail_skipped', why: 'automatic' });
}

/** A month of looks, with two outages. */
async function addUptime({ ctx, agent }: Owner): Promise<void> {
  const hour = 3_600_000;
  const now = Math.floor(ctx.clock() / hour) * hour;
  const wellAt = (ago: number): number => (ago === 5 ? 12 : ago >= 200 && ago < 230 ? 0 : 60);
  const hours = Array.from({ length: 600 }, (_, ago) => ({
    hour: new Date(now - ago * hour),
    looks: 60,
    well: wellAt(ago),
    counted_at: new Date(now - ago * hour),
  }));
  await ctx.db('agent_health_hours').insert(hours.map((row) => ({ agent_id: agent.id, ...row })));
  const changes = [
    { at: now - 600 * hour, reason: null },
    { at: now - 229 * hour, reason: 'Its machine ended.' },
    { at: now - 199 * hour, reason: null },
    { at: now - 5 * hour + 720_000, reason: 'The index is being rebuilt' },
    { at: now - 4 * hour, reason: null },
  ];
  await ctx.db('agent_health_changes').insert(changes.map(({ at, reason }) => ({ agent_id: agent.id, at: new Date(at), is_well: reason === null, reason })));
}
