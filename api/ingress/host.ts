// Whose the name is that was asked for: an agent's own address, or a custom domain of it. Texts of the
// platform there name that address.
import type { IncomingMessage } from 'node:http';
import { TLSSocket } from 'node:tls';
import { hostName, type HostOwner } from '#contract/wire/host-owner.ts';
import { BOX_SUFFIX } from '#contract/wire/names.ts';
import { agentUrl } from '#core/agents/agent/url.ts';
import type { CustomHost } from '#core/agents/domain/resolve-host.ts';
import { domainUrl } from '#core/agents/domain/url.ts';
import type { PlatformConfig } from '#core/kernel/ctx.ts';
import { Misdirected } from '#core/kernel/errors.ts';
import { guestOf } from '../http/guest.ts';
import type { CustomDomains } from './custom-domains.ts';
import type { Visit, AtSite, Step } from './step.ts';

export interface Site {
  agentName: string;
  /** Without a final slash. */
  origin: string;
  /** The custom domain's name as it was asked for; absent: the agent's own address. */
  host?: string;
  /** Where the same domain is reached by https of ours, when it came without. */
  secureOrigin?: string;
}

/** `other`: the connection is for another name than the request. */
export type Owner = HostOwner | { kind: 'other' };

export type SiteAt = (host: string | undefined, request: IncomingMessage) => Site | undefined | Promise<Site | undefined>;

/**
 * A custom domain; undefined: there is none of this name. Guests reach agents only at the platform's names: a
 * custom domain is an address of the internet.
 */
export function createSiteAt(config: PlatformConfig, hosts: CustomDomains['hosts'] | undefined): SiteAt {
  return (host, request) => {
    const name = host === undefined || guestOf(request) !== undefined ? undefined : hostName(host);
    const hostLookup = name === undefined ? undefined : hosts?.get(name);
    const site = (custom: CustomHost | undefined): Site | undefined => custom && name !== undefined ? customSite(config, name, custom, isTls(request)) : undefined; // prettier-ignore
    return hostLookup instanceof Promise ? hostLookup.then(site) : site(hostLookup);
  };
}

export function createHost(config: PlatformConfig, siteAt: SiteAt): Step<Visit, Pick<AtSite, 'site'>> {
  return ({ owner, request }) => {
    const agentName = owner.kind === 'agent' ? owner.name : owner.kind === 'box' ? `${owner.agent}${BOX_SUFFIX}` : undefined;
    if (agentName !== undefined) return { site: { agentName, origin: agentUrl(config, agentName) } };
    const site = owner.kind === 'unknown' ? siteAt(request.headers.host, request) : undefined;
    return site instanceof Promise ? site.then(known) : known(site);
  };
}

function known(site: Site | undefined): Pick<AtSite, 'site'> {
  if (site) return { site };
  throw new Misdirected(
    'unknown_host',
    'no API and no agent is at this host name; check the address: agents are at <agent>.<domain>, one name deep, and at custom domains that are active',
  );
}

function customSite(config: PlatformConfig, host: string, { agentName, certified }: CustomHost, byTls: boolean): Site {
  const [plain, secure] = [domainUrl(config, host, byTls), domainUrl(config, host, certified)];
  return { agentName, host, origin: plain, ...(secure !== plain && { secureOrigin: secure }) };
}

export function isBox({ agentName }: Site): boolean {
  return agentName.endsWith(BOX_SUFFIX);
}

/** The connection itself is TLS: of our own listener. */
export function isTls({ socket }: Pick<IncomingMessage, 'socket'>): boolean {
  return socket instanceof TLSSocket;
}

/** A TLS connection is for the name that its certificate was chosen by, and for no other. */
export function isForOtherName({ socket, headers }: IncomingMessage): boolean {
  if (!(socket instanceof TLSSocket)) return false;
  return typeof socket.servername !== 'string' || hostName(headers.host ?? '') !== hostName(socket.servername);
}
