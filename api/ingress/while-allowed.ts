// What is open ends with the rights that opened it: some answers last.
import type { Claim } from '#core/identity/rights/claim.ts';
import { whenClosed } from '../http/recheck.ts';
import type { Admitted, Visit, Step } from './step.ts';

/** Calls the second when the first holds no longer; gives what to call when the connection has ended. */
export type WhileAllowed = (claim: Claim, ended: () => void) => () => void;

export function createWhileAllowed(whileAllowed: WhileAllowed): Step<Visit & Admitted> {
  return ({ connection, actor, route: { agentId, box } }) => {
    const use = { agentId, action: box ? 'dev_box.open' : 'agent.call' } as const;
    const leave = whileAllowed({ actor, use }, () => void connection.destroy());
    whenClosed(connection, leave);
    return undefined;
  };
}
