// requiredEnv: variables that the owner stored beside the secrets, put where programs look for them.
import type { AgentCard } from '../../../contract/wire/card.ts';

/** Names that a process can have; those of the platform stay its own. */
const NAME = /^(?!SVC_)[A-Za-z_][A-Za-z0-9_]{0,127}$/;

export function fillEnvironment({ required_env: names }: Pick<AgentCard, 'required_env'>, stored: Readonly<Record<string, string>>): void {
  for (const name of names) {
    const value = stored[name];
    if (NAME.test(name) && value !== undefined) process.env[name] = value;
  }
}
