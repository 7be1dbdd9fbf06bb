// Which push addresses a request of a caller names. Only those are pushed to, with the credential of that
// request as evidence: otherwise an agent that may reach no host could have the platform send what it likes
// to where it likes. What an agent names as a caller counts for nothing, for the same reason.
import type { Vault } from '#drivers/vault/port.ts';
import type { Actor, RunActor } from '../../kernel/ctx.ts';
import { readRunCredential } from '../run/credential.ts';
import { sha256 } from '../run/hash.ts';

const MOST = 4;
const DEPTH = 4;

/** `params` of a request of A2A, of any version and binding. */
export function pushNamed(actor: Actor, params: unknown): { names?: readonly string[] } {
  if (actor.kind === 'run') return {};
  const urls = urlsIn(params, 0).slice(0, MOST);
  return urls.length === 0 ? {} : { names: urls.map((url) => sha256(url)) };
}

/** Of its configuration, not of what the message says. */
function urlsIn(value: unknown, depth: number): string[] {
  if (typeof value !== 'object' || value === null || depth > DEPTH) return [];
  return Object.entries(value).flatMap(([key, member]: [string, unknown]) => {
    if (key === 'url') return typeof member === 'string' ? [member] : [];
    return key === 'message' || key === 'request' || key === 'metadata' ? [] : urlsIn(member, depth + 1);
  });
}

/** By a request to the agent of this run that may still be under way. */
export async function isNamed(vault: Vault, run: RunActor, { url, token, now }: { url: string; token: string; now: number }): Promise<boolean> {
  const read = await readRunCredential(vault, token);
  return read?.actor.agent_id === run.agent_id && read.expiresAt > now && read.actor.names?.includes(sha256(url)) === true;
}
