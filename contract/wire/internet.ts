// Which addresses are of the public internet, and which are this machine's own. Every connection to a name
// from a user is checked here.
import ipaddr from 'ipaddr.js'; // IANA's special-purpose registries, kept since 2011

const GLOBAL_UNICAST = ipaddr.IPv6.parseCIDR('2000::/3');

/**
 * False for private, loopback, link-local, metadata and reserved addresses, for IPv6 that carries an IPv4
 * address inside, and for what is no address.
 */
export function isPublicAddress(address: string): boolean {
  const parsed = parse(address);
  if (parsed?.range() !== 'unicast' || address.includes('%') || OF_THE_CLOUD.has(address)) return false;
  // The library counts what IANA has not given out yet as unicast.
  return parsed instanceof ipaddr.IPv4 || parsed.match(GLOBAL_UNICAST);
}

/**
 * Public by its number, and in every virtual network of Azure the host's own services: certificates, settings
 * of machines.
 */
const OF_THE_CLOUD: ReadonlySet<string> = new Set(['168.63.129.16']);

/** In its usual spelling, IPv4 or IPv6. */
export function isAddress(text: string): boolean {
  return parse(text) !== undefined;
}

/** 127.0.0.0/8 and ::1, IPv4 inside IPv6 included. */
export function isLoopbackAddress(address: string): boolean {
  const parsed = parse(address);
  const inner = parsed instanceof ipaddr.IPv6 && parsed.isIPv4MappedAddress() ? parsed.toIPv4Address() : parsed;
  return inner?.range() === 'loopback';
}

/**
 * The one spelling of an address, IPv4 inside IPv6 as IPv4; undefined for what is none, has a zone, or is
 * written in an unusual way.
 */
export function plainAddress(address: string): string | undefined {
  const parsed = address.includes('%') ? undefined : parse(address);
  const inner = parsed instanceof ipaddr.IPv6 && parsed.isIPv4MappedAddress() ? parsed.toIPv4Address() : parsed;
  return inner?.toString();
}

/** Only the usual spellings: the library reads 0x7f.1 and 010.0.0.1 as well. */
function parse(address: string): ipaddr.IPv4 | ipaddr.IPv6 | undefined {
  if (ipaddr.IPv4.isValidFourPartDecimal(address)) return ipaddr.IPv4.parse(address);
  return address.includes(':') && ipaddr.IPv6.isValid(address) ? ipaddr.IPv6.parse(address) : undefined;
}
