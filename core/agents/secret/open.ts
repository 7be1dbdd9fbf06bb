// Decrypts the values, only for the host that starts the agent.
import type { SecretInjection } from '#contract/agents/agent-secrets.ts';
import type { StartInput } from '#drivers/runtime/port.ts';
import type { Ctx } from '../../kernel/ctx.ts';
import { secretContext } from './context.ts';

export interface OpenedSecrets {
  /** Into the agent's process. */
  secrets: StartInput['secrets'];
  /** Only for the egress proxy. */
  inject: NonNullable<StartInput['inject']>;
}

export async function openSecrets(ctx: Pick<Ctx, 'db' | 'drivers'>, agentId: string): Promise<OpenedSecrets> {
  const rows = await ctx.db('agent_secrets').where({ agent_id: agentId }).orderBy('name').select('agent_id', 'name', 'version', 'value_sealed', 'inject');
  const opened: OpenedSecrets = { secrets: {}, inject: [] };
  for (const row of rows) {
    const value = Buffer.from(await ctx.drivers.vault.open(row.value_sealed, secretContext(row))).toString();
    const inject = injectionOf(row.inject);
    if (inject === null) opened.secrets[row.name] = value;
    else opened.inject.push({ host: inject.host, header: inject.header, value: inject.scheme === undefined ? value : `${inject.scheme} ${value}` });
  }
  return opened;
}

// Safe: only putSecret writes it, parsed.
export function injectionOf(value: unknown): SecretInjection | null {
  return value as SecretInjection | null;
}
