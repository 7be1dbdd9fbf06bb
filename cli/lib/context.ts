// What every command gets: the streams, and the settings read once at the entry.
import { join } from 'node:path';
import type { BaseContext } from 'clipanion';
import { z } from 'zod';
import { UsageError } from './errors.ts';

const DEFAULT_API = 'http://localhost:8080';

const text = z
  .string()
  .optional()
  .transform((value) => (value === '' ? undefined : value));
const Environment = z.object({
  SVC_API_URL: text,
  /** An access token to use instead of the cached one, e.g. in CI. */
  SVC_TOKEN: text,
  /** Slug of the organization that commands act for. */
  SVC_ORG: text,
  /** Base64 Ed25519 public key for offline verification. */
  SVC_RECEIPT_VERIFYING_KEY: text,
  /** Where the local stack keeps its secrets (`local-login.key`). */
  SVC_SECRETS_DIR: text,
  SVC_STATE_DIR: text,
});

export interface Settings {
  apiUrl: string;
  token: string | undefined;
  organization: string | undefined;
  receiptKey: string | undefined;
  secretsDir: string;
  /** `~/.svc` */
  home: string;
}

export interface CliContext extends BaseContext {
  settings: Settings;
  /** Which of the two streams may be coloured. */
  colours: { out: boolean; err: boolean };
  /** Standard input and standard error are a terminal. */
  interactive: boolean;
  /** How the person types this tool's name. */
  name: string;
}

export function readSettings(env: BaseContext['env'], at: { home: string; repository: string }): Settings {
  const read = Environment.parse(env);
  const stateDir = read.SVC_STATE_DIR ?? join(at.repository, '.svc');
  return {
    apiUrl: normalizeApi(read.SVC_API_URL ?? DEFAULT_API),
    token: read.SVC_TOKEN,
    organization: read.SVC_ORG,
    receiptKey: read.SVC_RECEIPT_VERIFYING_KEY,
    secretsDir: read.SVC_SECRETS_DIR ?? join(stateDir, 'secrets'),
    home: join(at.home, '.svc'),
  };
}

/** One spelling per control plane, since credentials are kept by it. */
export function normalizeApi(address: string): string {
  const url = URL.parse(address);
  if (!url || !/^https?:$/.test(url.protocol)) throw new UsageError(`"${address}" is not the address of a control plane: use http(s)://host[:port]`);
  return `${url.origin}${url.pathname.replace(/\/+$/, '')}`;
}
