import type { Knex } from 'knex';
import { MAX_DECLARED_DATABASES } from '#contract/wire/database.ts';
import { Conflict } from '../../kernel/errors.ts';
import { newId } from '../../kernel/ids.ts';

interface NewBinding {
  agent: { agent_id: string; name: string };
  role_id: string;
  variable: string;
  declared: boolean;
}

/** The caller holds the agent's row. @throws Conflict variable_taken, database_binding_limit */
export async function addBinding(tx: Knex.Transaction, now: number, { agent, role_id, variable, declared }: NewBinding): Promise<string> {
  const { agent_id } = agent;
  const others = await tx('database_bindings').where({ agent_id }).pluck('variable');
  if (others.length >= MAX_DECLARED_DATABASES)
    throw new Conflict('database_binding_limit', `${agent.name} has ${MAX_DECLARED_DATABASES} databases, the most that are allowed: unbind one first`);
  const taken = others.includes(variable) ? 'database' : (await tx('agent_secrets').where({ agent_id, name: variable }).first('name')) ? 'secret' : undefined;
  if (taken)
    throw new Conflict('variable_taken', `${agent.name} has a ${taken} in ${variable} already: name another variable, or take that one away first`, {
      variable,
    });
  const binding_id = newId('dbi', now);
  await tx('database_bindings').insert({ binding_id, role_id, agent_id, variable, declared, created_at: new Date(now) });
  return binding_id;
}
