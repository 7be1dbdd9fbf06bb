// Push notifications over the public internet: to the very address that was judged, along no redirect, not
// for long.
import { isIP } from 'node:net';
import { addressProblem, isLocalHost, portOf, type LocalHosts } from '../llm/address.ts';
import { outboundFetch } from '../llm/outbound.ts';
import { isElsewhere } from '../outbound/addresses.ts';
import { type Lookup, resolveHost } from '../outbound/lookup.ts';
import { normalHost } from '../outbound/names.ts';
import type { Pushes } from './port.ts';

export interface PushOptions {
  /**
   * `host` or `host:port` that the operator allows although it is internal, over plain HTTP too. Default:
   * none.
   */
  localHosts?: LocalHosts | undefined;
  lookup?: Lookup | undefined;
}

const SETTING = 'SVC_PUSH_LOCAL_HOSTS';
const TIMEOUT_MS = 10_000;
/** An internal name and an unknown one are one: nobody finds out which internal names exist. */
const NOWHERE = 'leads to no address of the public internet';

export function outboundPushes({ localHosts = [], lookup = resolveHost }: PushOptions = {}): Pushes {
  const { fetch, close } = outboundFetch({ localHosts, lookup, connectMs: 5_000, silenceMs: TIMEOUT_MS, maxBytes: 0, redirect: 'manual' });

  async function problemOf(address: string): Promise<string | undefined> {
    const problem = addressProblem(address.replace(/[?#].*$/, ''), localHosts, SETTING);
    if (problem !== undefined) return problem;
    const url = new URL(address);
    const host = normalHost(url.hostname) ?? '';
    if (isIP(host) > 0 || isLocalHost(localHosts, host, portOf(url))) return undefined;
    const addresses = await lookup(host).catch(() => []);
    return addresses.some(isElsewhere) ? undefined : NOWHERE;
  }

  return {
    problemOf,
    async post(url, { body, headers }) {
      // Plain HTTP and the like are judged here; where a name leads, at the connection.
      const problem = addressProblem(url.replace(/[?#].*$/, ''), localHosts, SETTING);
      if (problem !== undefined) throw new Error(`the address ${problem}`);
      const answer = await fetch(url, { method: 'POST', body, headers: { ...headers }, signal: AbortSignal.timeout(TIMEOUT_MS) });
      await answer.body?.cancel();
      return answer.status;
    },
    close,
  };
}
