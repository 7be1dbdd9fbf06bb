// What the domain name system says, for custom domains of agents. Default driver: the resolver of this
// machine, or name servers of the operator.

export interface DnsResolver {
  /** Text records of a name, each joined to one string; empty: there are none. */
  txt(name: string): Promise<string[]>;
  /** IPv4 and IPv6 addresses, through aliases; empty: there are none. */
  addresses(name: string): Promise<string[]>;
  /** What the name is an alias of; undefined: it is none. */
  alias(name: string): Promise<string | undefined>;
  /** Authorities that may issue for exactly this name (RFC 8659); undefined: it says nothing of it. */
  issuers(name: string, wildcard: boolean): Promise<string[] | undefined>;
}

/**
 * The name servers did not answer, or not in a usable way: that is not the same as an answer that there is
 * nothing.
 */
export class DnsUnanswered extends Error {
  constructor(name: string, cause: unknown) {
    super(`the name servers of ${name} did not answer`, { cause });
    this.name = 'DnsUnanswered';
  }
}
