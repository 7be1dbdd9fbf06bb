// The environment of every part of the platform, composed in this one place.
import { join } from 'node:path';
import { devServerNamespace } from './temporal.ts';
import { places, type Settings } from './settings.ts';

/** Where the parts of this run are; decided before the first one starts. */
export interface Addresses {
  databaseUrl: string;
  temporalAddress: string;
  /** Undefined when Temporal is not ours. */
  temporalUi?: {
    /** Where people open it. */
    port: number;
    /** Where Temporal's own UI server listens, only for ours. */
    serverPort: number;
  };
}

export function baseUrl(settings: Settings): string {
  return settings.SVC_BASE_URL ?? `http://localhost:${settings.SVC_PORT}`;
}

/** Host (and port) below which every agent has its own name. */
export function agentsDomain(settings: Settings): string {
  return settings.SVC_AGENTS_DOMAIN ?? `localhost:${settings.SVC_PORT}`;
}

/** The passphrase of backups opens more than any part needs: only what makes backups has it. */
function withoutPassphrase(env: Record<string, string>): Record<string, string> {
  return Object.fromEntries(Object.entries(env).filter(([name]) => name !== 'SVC_BACKUP_PASSPHRASE'));
}

export function partEnvironment(settings: Settings, addresses: Addresses): Record<string, string> {
  const { secrets, hostSocket } = places(settings.stateDir);
  const base = baseUrl(settings);
  return {
    ...(isOwnMachine(settings) ? { SVC_LLM_LOCAL_HOSTS: OWN_MODEL_SERVERS, SVC_PAYMENTS: 'builtin' } : {}),
    ...(addresses.temporalUi && { SVC_WORKFLOWS_URL: `http://localhost:${addresses.temporalUi.port}/namespaces/${devServerNamespace()}/workflows` }),
    // Most of a start is compiling: what Node compiled is kept for the next one.
    NODE_COMPILE_CACHE: join(settings.cacheDir, 'compiled'),
    ...withoutPassphrase(settings.inherited),
    PATH: `${join(settings.repository, 'node_modules', '.bin')}:${settings.inherited.PATH ?? '/usr/bin:/bin'}`,
    SVC_SUPERVISED: settings.stateDir,
    SVC_STATE_DIR: settings.stateDir,
    SVC_CACHE_DIR: settings.cacheDir,
    SVC_PORT: String(settings.SVC_PORT),
    SVC_BASE_URL: base,
    SVC_CONTROL_PLANE_URL: base,
    SVC_AGENTS_DOMAIN: agentsDomain(settings),
    SVC_HOST_SOCKET: hostSocket,
    SVC_SECRETS_DIR: secrets,
    DATABASE_URL: addresses.databaseUrl,
    TEMPORAL_ADDRESS: addresses.temporalAddress,
    TEMPORAL_NAMESPACE: settings.TEMPORAL_NAMESPACE ?? devServerNamespace(),
    OIDC_ISSUER: settings.OIDC_ISSUER ?? `${base}/idp`,
  };
}

/**
 * Where ollama serves. Other servers of this machine stay closed: what the platform may call for one person,
 * it may call for any.
 */
const OWN_MODEL_SERVERS = 'localhost:11434,127.0.0.1:11434,[::1]:11434';

/**
 * True when only this machine's user can use the platform: it listens on loopback, has a loopback URL, and
 * signs in its own accounts.
 */
function isOwnMachine({ inherited, SVC_BASE_URL: base, OIDC_ISSUER: issuer }: Settings): boolean {
  return isLoopback(inherited.SVC_LISTEN ?? '127.0.0.1') && (base === undefined || isLoopback(new URL(base).hostname)) && issuer === undefined;
}

function isLoopback(host: string): boolean {
  return host === 'localhost' || host === '::1' || host === '[::1]' || /^127(?:\.\d{1,3}){3}$/.test(host);
}
