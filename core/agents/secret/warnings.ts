// A deployment shows a warning for each secret that it needs and lacks. Setting the secret removes the
// warning.
import type { Fault } from '../../kernel/errors.ts';
import type { Knex } from 'knex';
import type { AgentCard } from '#contract/wire/card.ts';
import { OPEN_DEPLOYMENT_STATES } from '#contract/states.ts';

/**
 * What a card wants its owner to store: secrets, and variables of its environment, which are filled from the
 * same store.
 */
export function requiredNames(card: Pick<AgentCard, 'required_secrets' | 'required_env'>): string[] {
  return [...new Set([...card.required_secrets, ...card.required_env])];
}

export function secretMissing(name: string): Fault {
  return { code: 'secret_missing', message: `The agent needs the secret ${name}, which has no value yet` };
}

/** Warnings that still hold when these secrets are set. */
export function stillMissing(warnings: readonly Fault[], set: Iterable<string>): Fault[] {
  const solved = new Set([...set].map((name) => secretMissing(name).message));
  return warnings.filter(({ code, message }) => code !== 'secret_missing' || !solved.has(message));
}

/** After a secret was set or deleted: of the live deployment and those on their way. */
export async function correctWarnings(tx: Knex.Transaction, agentId: string, name: string, now: 'set' | 'deleted'): Promise<void> {
  const concerned = tx('deployments')
    .where({ agent_id: agentId })
    .whereIn('state', ['live', ...OPEN_DEPLOYMENT_STATES]);
  const warning = JSON.stringify(secretMissing(name));
  const without = `coalesce((select jsonb_agg(w) from jsonb_array_elements(warnings) w where w <> ?::jsonb), '[]')`;
  if (now === 'set') await concerned.update({ warnings: tx.raw(without, [warning]) });
  else
    await concerned
      .whereRaw(`((card->'required_secrets')::jsonb \\? ? or (card->'required_env')::jsonb \\? ?)`, [name, name])
      .update({ warnings: tx.raw(`${without} || ?::jsonb`, [warning, warning]) });
}
