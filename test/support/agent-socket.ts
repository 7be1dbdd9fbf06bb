import type { AgentAddress } from '#drivers/agent-http/address.ts';

/** The path of an address that is a Unix socket: where a test listens in the agent's place. */
export function socketOf(address: AgentAddress): string {
  if ('unix' in address) return address.unix;
  throw new Error(`the agent is at ${address.host}:${address.port}, not on a socket`);
}
