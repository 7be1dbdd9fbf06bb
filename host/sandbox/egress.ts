// Egress of a sandbox: the hosts its owner named, never the platform itself nor anything that is not the
// public internet.
import { createEgressProxy, type EgressOptions, type EgressProxy } from '../egress/proxy.ts';
import { EgressRefused } from '#drivers/outbound/connect.ts';
import { resolveHost, type Lookup } from '#drivers/outbound/lookup.ts';
import { normalHost, splitAuthority } from '#drivers/outbound/names.ts';
import { isPlatformName, type EgressConfiguration } from '../egress/policy.ts';

/**
 * In the guest, where HTTP_PROXY points: the first process listens there and brings each connection to us.
 */
const port = 3128;
export const egressService = `tcp-${port}`;

export const proxyVariables = (): Record<string, string> => {
  const proxy = `http://127.0.0.1:${port}`;
  const direct = 'localhost,127.0.0.1,::1';
  return { HTTP_PROXY: proxy, HTTPS_PROXY: proxy, http_proxy: proxy, https_proxy: proxy, NO_PROXY: direct, no_proxy: direct, NODE_USE_ENV_PROXY: '1' };
};

export function sandboxEgress(
  allowHosts: readonly string[],
  platform: Pick<EgressConfiguration, 'controlPlane' | 'agentsDomain' | 'guestSocket'>,
  around: Pick<EgressOptions, 'ask' | 'onRefusal'>,
  lookup: Lookup = resolveHost,
): EgressProxy {
  const plane = platform.controlPlane === undefined ? undefined : normalHost(new URL(platform.controlPlane).hostname);
  const real = platform.guestSocket === undefined ? undefined : splitAuthority(platform.guestSocket, 443)?.host;
  const own = [plane, real].filter((name) => name !== undefined);
  const guarded: Lookup = async (host) => {
    if (own.includes(host) || isPlatformName(platform, host)) throw refusal(host);
    const [addresses, platformAddresses] = await Promise.all([lookup(host), Promise.all(own.map((name) => lookup(name, true).catch(() => [])))]);
    const mine = new Set(platformAddresses.flat());
    const left = addresses.filter((address) => !mine.has(address));
    if (left.length === 0) throw refusal(host);
    return left;
  };
  // No control plane and no internal service is configured here: only public addresses are left.
  return createEgressProxy({ policy: { allowHosts, allowInternalServices: [] }, configuration: { services: {} }, ...around, lookup: guarded });
}

const refusal = (host: string): EgressRefused => new EgressRefused(403, `${host} is refused: code in a sandbox does not reach the platform itself.`);
