// Puts a protocol into an agent's registry: digested, signed, and checked by its schema on the way in.
import { CORE_PROTOCOL, type ProtocolEntryOut, type ProtocolSuiteIn } from '#contract/studio/protocol-simulations.ts';
import type { ProtocolSuite } from '#contract/studio/protocol-steps.ts';
import type { RiskClass } from '#contract/states.ts';
import type { z } from 'zod';
import { agentNamed } from '../../../agents/agent/find.ts';
import type { Ctx, TxCtx } from '../../../kernel/ctx.ts';
import { BadRequest, Conflict } from '../../../kernel/errors.ts';
import { newId } from '../../../kernel/ids.ts';
import { storableJson } from '../../../kernel/storable.ts';
import { act, done } from '../../../kernel/act.ts';
import { suiteDigest } from '../digest.ts';
import { getEntry } from './list.ts';
import { signProtocol } from './sign.ts';

const MAX_ENTRIES = 100;

interface NewEntry {
  agentId: string;
  agent: string;
  protocol_id: string;
  version: string;
  display_name: string;
  risk_class: RiskClass;
  suite: ProtocolSuite;
  by: string | null;
}

/** @throws Conflict protocol_exists, too_many_protocols */
export async function createSuite(ctx: Ctx, i: { name: string } & z.infer<typeof ProtocolSuiteIn>): Promise<ProtocolEntryOut> {
  await act(ctx, 'protocol.create', agentNamed(i.name), async (ctx, { agent_id, owner_id }) => {
    if (i.protocol_id === CORE_PROTOCOL.id || i.protocol_id === 'unregistered')
      throw new Conflict('protocol_exists', `${i.protocol_id} is a name of the product's own: give the protocol another one`);
    await ctx.db('agents').where({ agent_id }).forUpdate().first('agent_id');
    const [count] = await ctx.db('protocol_entries').where({ agent_id }).count<{ count: string }[]>('* as count');
    if (Number(count?.count ?? 0) >= MAX_ENTRIES) throw new Conflict('too_many_protocols', `${i.name} has ${MAX_ENTRIES} protocols, the most an agent has`);
    const entry_id = await insertEntry(ctx, { agentId: agent_id, agent: i.name, by: owner_id, ...i });
    if (entry_id === undefined)
      throw new Conflict('protocol_exists', `${i.name} has ${i.protocol_id} ${i.version} already, and a version does not change: give this one a new version`);
    return done({ protocol: entry_id }, { protocol_id: i.protocol_id, version: i.version });
  });
  return getEntry(ctx, { name: i.name, protocol_id: i.protocol_id, version: i.version });
}

/** Undefined: the registry has it already. */
export async function insertEntry(ctx: TxCtx, i: NewEntry): Promise<string | undefined> {
  const entry_id = newId('pte', ctx.clock());
  const { protocol_id, version } = i;
  const digest = digestOf(i.suite);
  const signed = await signProtocol(ctx, { agent: i.agent, protocol_id, version, digest });
  const at = new Date(ctx.clock());
  const made = await ctx
    .db('protocol_entries')
    .insert({
      entry_id,
      agent_id: i.agentId,
      protocol_id,
      version,
      display_name: i.display_name,
      risk_class: i.risk_class,
      suite: storableJson(i.suite),
      digest,
      ...signed,
      state: 'schema_validated',
      created_at: at,
      updated_at: at,
    })
    .onConflict(['agent_id', 'protocol_id', 'version'])
    .ignore()
    .returning('entry_id');
  if (made.length === 0) return undefined;
  await ctx.db('protocol_moves').insert([
    { entry_id, seq: 1, from_state: null, to_state: 'draft', moved_by: i.by, note: 'It came in', at },
    { entry_id, seq: 2, from_state: 'draft', to_state: 'schema_validated', moved_by: null, note: 'Its scenarios, steps and rules fit the schema', at },
  ]);
  return entry_id;
}

/** @throws BadRequest args_not_canonical */
function digestOf(suite: ProtocolSuite): string {
  try {
    return suiteDigest(suite);
  } catch {
    throw new BadRequest('args_not_canonical', 'The arguments of a step are nested too deeply to be hashed: write them flatter');
  }
}
