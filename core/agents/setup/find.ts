// An agent as its callers set it up: one they can see, or one they have set something for.
import type { Knex } from 'knex';
import type { SetupField } from '#contract/wire/card.ts';
import type { Actor } from '../../kernel/ctx.ts';
import type { Action } from '../../kernel/policy.ts';
import { agentFor } from '../agent/find.ts';
import { fieldsOf } from '../card/setup-fields.ts';

export interface SetupAgent {
  agentId: string;
  name: string;
  fields: readonly SetupField[];
}

export async function setupAgent(db: Knex, actor: Actor, action: Action, name: string): Promise<SetupAgent> {
  const agent = await agentFor(db, actor, action, name);
  return { agentId: agent.agent_id, name: agent.name, fields: fieldsOf(agent.card) };
}
