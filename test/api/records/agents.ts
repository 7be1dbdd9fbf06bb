// Agents and what belongs to one: memories, secrets, setup values, runs with their artifacts.
import { newId } from '#core/kernel/ids.ts';
import { greeterFiles, tarball } from '../../support/project.ts';
import type { AreaRecords, Owner } from './area.ts';

export async function agentsRecords(owner: Owner): Promise<AreaRecords> {
  const { agent, deployId } = owner;
  await describe(owner);
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
  const params = {
    name: agent.name,
    deploy_id: deployId,
    skill_name: 'greet',
    endpoint_name: 'hello',
    namespace,
    key,
    field_name: 'region',
    token_id: String(await number()),
    link_id: String(await number('header')),
    'agentMemory.delete.key': gone,
    'agentSecrets.delete.key': gone,
    'consumerSetup.delete.field_name': 'zone',
  };
  const composition = { sub_agents: [{ name: agent.name }] };
  const composed = { name: `team-${agent.name}`, goal: { objective: 'Greet' }, composition };
  return { params, calls: { 'agents.fromTarball': { body: await project() }, 'agents.compose': { body: composed } } };
}

/** One that answers calls has a card already. */
async function describe({ ctx, agent, deployId }: Owner): Promise<void> {
  const skills = [{ id: 'greet', name: 'greet', input_schema: { type: 'object' }, output_schema: {} }];
  const card = JSON.stringify({ name: agent.name, description: '', version: '1.0.0', skills });
  const deployment = ctx.db('deployments').where({ deploy_id: deployId });
  await deployment.clone().whereNull('card').update({ card });
  const call = { skill: 'greet' };
  const endpoints = JSON.stringify({ endpoints: { hello: { post: call, put: call, patch: call, delete: call } } });
  await deployment.update({ manifest: ctx.db.raw(`coalesce(manifest, '{}') || ?::jsonb`, [endpoints]) });
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

/** One that is set up, with an event. Without a mail domain none can be made. */
async function addMailbox({ ctx, agent }: Owner): Promise<void> {
  const mailbox_id = newId('mbx');
  await ctx.db('mailboxes').insert({ mailbox_id, agent_id: agent.id, address: `${agent.name}@agents.example`, state: 'ready' });
  await ctx.db('mailbox_events').insert({ event_id: newId('mev'), mailbox_id, kind: 'mail_skipped', why: 'automatic' });
}
