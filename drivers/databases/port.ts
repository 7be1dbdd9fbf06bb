// The server on which databases of accounts are. Names are the caller's and say nothing of the account; every
// step may come twice.
import type { DatabaseAccess, DatabaseAllowance } from '#contract/states.ts';

interface Endpoint {
  host: string;
  port: number;
  /** Whether clients connect over TLS. */
  tls: boolean;
}

/** `database` belongs to `project`, and `name` signs in only to it. */
export interface Login {
  project: string;
  database: string;
  name: string;
  access: DatabaseAccess;
}

export interface Measured {
  size_bytes: number;
  connections: number;
}

export interface DatabaseServer {
  readonly endpoint: Endpoint;
  /** Reaches the server, and revokes public rights there. Resolves with the server's version. */
  tend(): Promise<string>;
  /** Before its first database: what its roles have in common. */
  prepareProject(project: string): Promise<void>;
  /**
   * Empty, or a copy of `template`, which takes no connections meanwhile. One that is there is left as it is.
   */
  createDatabase(i: { project: string; database: string; template?: string | undefined; maxConnections: number }): Promise<void>;
  /** Makes the login, or gives it this password and allowance. */
  putLogin(login: Login & { password: string; allowance: DatabaseAllowance }): Promise<void>;
  /** Ends its connections. What it made belongs to the project. `databases`: all of the project. */
  dropLogin(i: { project: string; name: string; databases: readonly string[] }): Promise<void>;
  /** Takes connections again: a copy that was interrupted left it closed. */
  openDatabase(database: string): Promise<void>;
  /** Ends its connections, and takes no new ones. */
  closeDatabase(database: string): Promise<void>;
  dropDatabase(database: string): Promise<void>;
  /** After its databases and logins. */
  dropProject(project: string): Promise<void>;
  /** Of those that are there, by name. */
  measure(databases: readonly string[]): Promise<Map<string, Measured>>;
  /** What the logins may do from now on; connections that were open end. */
  allow(i: { databases: readonly string[]; logins: readonly Login[]; allowance: DatabaseAllowance; maxConnections: number }): Promise<void>;
  /**
   * Ends statements and transactions of accounts that take longer than is allowed, whatever they set.
   * Resolves with how many.
   */
  endLong(): Promise<number>;
}
