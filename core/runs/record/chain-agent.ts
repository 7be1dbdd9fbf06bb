import { agentOfStep } from '../../kernel/chain.ts';

/** The agent that called: the last but one of the chain; null: a person began it. */
export function chainAgent(chain: readonly string[]): string | null {
  const before = chain.at(-2);
  return before === undefined ? null : agentOfStep(before);
}
