// A certificate authority that issues by ACME (RFC 8555). Each call is one question to it, so that a process
// may end between any two of them. All of them may reject with AuthorityRefused.

export interface AcmeAccount {
  /** PEM. */
  key: string;
  url: string;
}

export interface Challenge {
  /** Of the authorization, where the authority is asked to look. */
  url: string;
  /** http-01: at `/.well-known/acme-challenge/<token>`. dns-01: a text record. */
  type: 'http-01' | 'dns-01';
  token: string;
  /** What has to be found there. */
  value: string;
  /** pending: the authority was not asked to look yet. */
  status: 'pending' | 'processing' | 'valid' | 'invalid';
}

export interface Order {
  status: 'pending' | 'ready' | 'processing' | 'valid' | 'invalid';
  /** While it is pending. */
  challenge: Challenge | undefined;
  /** Why it is invalid, in the authority's words, bounded. */
  problem: string | undefined;
}

export interface CertificateAuthority {
  /** Tells authorities apart: accounts are kept by it. */
  readonly directoryUrl: string;
  /** Names by which records of type CAA allow this authority; empty: it names none. */
  caaNames(): Promise<string[]>;
  /** A key for an account or a certificate, PEM. */
  newKey(): Promise<string>;
  /** Resolves with the account's address; the same for the same key. */
  register(key: string): Promise<string>;
  /** Opens an order for one name (`*.name`: dns-01, else http-01); resolves with its address. */
  open(account: AcmeAccount, hostname: string): Promise<string>;
  look(account: AcmeAccount, orderUrl: string): Promise<Order>;
  /** What the challenge asks for is in place. */
  answer(account: AcmeAccount, challenge: Pick<Challenge, 'url'>): Promise<void>;
  finalize(account: AcmeAccount, orderUrl: string, of: { hostname: string; key: string }): Promise<void>;
  /** The certificate and those above it, PEM. */
  download(account: AcmeAccount, orderUrl: string): Promise<string>;
  revoke(account: AcmeAccount, chain: string): Promise<void>;
  /** When the authority suggests to renew (RFC 9773); undefined: it suggests nothing. */
  renewalWindow(chain: string): Promise<{ from: number; to: number } | undefined>;
}

/** The authority refused, or was not reached; the message is for the owner of the domain. */
export class AuthorityRefused extends Error {
  /** It was not reached: nothing was refused, and the next try may be soon. */
  readonly away: boolean;
  constructor(message: string, { cause, away = false }: { cause?: unknown; away?: boolean } = {}) {
    super(message, { cause });
    this.name = 'AuthorityRefused';
    this.away = away;
  }
}
