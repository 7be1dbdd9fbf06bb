// The life of a protocol in a registry: a table, and what each move requires. Pure.
import type { ProtocolState } from '#contract/states.ts';

/** Who moves it there. */
export type Mover = 'owner' | 'platform';

const MOVES: Readonly<Record<ProtocolState, Partial<Record<ProtocolState, readonly Mover[]>>>> = {
  // Its schema is checked where it comes in.
  draft: { schema_validated: ['platform'], retired: ['owner'] },
  schema_validated: { policy_reviewed: ['owner'], retired: ['owner'] },
  policy_reviewed: { sandbox_simulated: ['owner', 'platform'], retired: ['owner'] },
  sandbox_simulated: { enabled_private: ['owner'], retired: ['owner'] },
  enabled_private: { enabled_public: ['owner'], deprecated: ['owner'] },
  enabled_public: { enabled_private: ['owner'], deprecated: ['owner'] },
  deprecated: { retired: ['owner'] },
  retired: {},
};

export function nextStates(from: ProtocolState, mover: Mover): ProtocolState[] {
  // Safe: the members of the table are states.
  return (Object.keys(MOVES[from]) as ProtocolState[]).filter((to) => MOVES[from][to]?.includes(mover) === true);
}

/** It has been where only its owner's consent leads to. */
export const ENABLED: readonly ProtocolState[] = ['enabled_private', 'enabled_public'];
const REVIEWED: readonly ProtocolState[] = ['policy_reviewed', 'sandbox_simulated', ...ENABLED, 'deprecated'];

export function isReviewed(state: ProtocolState): boolean {
  return REVIEWED.includes(state);
}
