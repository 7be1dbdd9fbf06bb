// Which host names may be custom domains. They are kept in punycode and lower case, as they are compared.
import { isIP } from 'node:net';
import { domainToASCII, domainToUnicode } from 'node:url';
import { domainsOf, hostName, hostOwner } from '#contract/wire/host-owner.ts';
import type { PlatformConfig } from '../../kernel/ctx.ts';
import { BadRequest } from '../../kernel/errors.ts';

/**
 * Names that lead nowhere on the internet (RFC 6761, RFC 8375, RFC 9476), and those that networks give to
 * what is inside.
 */
const INTERNAL = new Set('localhost local internal intranet lan home corp private localdomain arpa invalid onion alt'.split(' '));
const LABEL = /^[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?$/;
const WILDCARD = '*.';

/** @throws BadRequest hostname_invalid, hostname_reserved */
export function parseHostname(given: string, config: PlatformConfig): string {
  // A reader of addresses would leave out line ends and tabs.
  if (/[\s\p{Cc}]/u.test(given)) throw invalid(given, 'it has spaces');
  const wild = given.startsWith(WILDCARD);
  const written = (wild ? given.slice(WILDCARD.length) : given).replace(/\.$/, '');
  const name = domainToASCII(written);
  const labels = name.split('.');
  if (isIP(name) > 0 || written.startsWith('[')) throw invalid(given, 'it is an address, not a name');
  if (labels.length < 2) throw invalid(given, 'it needs a domain, as in shop.example.com');
  // The address of the proof is longer than the name.
  if (name.length > 230 || !labels.every((label) => LABEL.test(label))) throw invalid(given, 'labels have 1 to 63 letters, digits and inner hyphens');
  const last = labels.at(-1) ?? '';
  if (INTERNAL.has(last) || /^\d+$/.test(last)) throw invalid(given, `names below ${last} are not on the internet`);
  if (isPlatforms(name, wild, config)) throw new BadRequest('hostname_reserved', `${given} belongs to this platform: use a name of a domain of your own`);
  return wild ? WILDCARD + name : name;
}

/** In its own letters, for people. */
export function displayName(hostname: string): string {
  return isWildcard(hostname) ? WILDCARD + domainToUnicode(baseOf(hostname)) : domainToUnicode(hostname);
}

export function isWildcard(hostname: string): boolean {
  return hostname.startsWith(WILDCARD);
}

/** The name below which a wildcard's names are; of others the name itself. */
export function baseOf(hostname: string): string {
  return isWildcard(hostname) ? hostname.slice(WILDCARD.length) : hostname;
}

/** Under which domains a visitor's host name may be: itself, and the wildcard one level above. */
export function candidates(host: string): string[] {
  const dot = host.indexOf('.');
  return dot === -1 ? [host] : [host, `*${host.slice(dot)}`];
}

function isPlatforms(name: string, wild: boolean, config: PlatformConfig): boolean {
  if (hostOwner(config)(name).kind !== 'unknown') return true;
  const own = [new URL(config.baseUrl).hostname, ...(config.apiHosts ?? []), ...domainsOf(config.agentsDomain)].flatMap((host) => hostName(host) ?? []);
  return own.some(
    (host) => name === host || name.endsWith(`.${host}`) || (wild && host.endsWith(`.${name}`) && !host.slice(0, -name.length - 1).includes('.')),
  );
}

function invalid(given: string, why: string): BadRequest {
  return new BadRequest('hostname_invalid', `${given.slice(0, 100)} cannot be a custom domain: ${why}`);
}
