// The address of a request: the agent's own, or a custom domain of it. Texts of the platform there name that
// address.
import type { IncomingMessage } from 'node:http';
import { TLSSocket } from 'node:tls';
import { hostName } from '#contract/wire/host-owner.ts';
import { agentUrl } from '#core/agents/agent/url.ts';
import type { CustomHost } from '#core/agents/domain/resolve-host.ts';
import { domainUrl } from '#core/agents/domain/url.ts';
import type { PlatformConfig } from '#core/kernel/ctx.ts';

export interface Site {
  agentName: string;
  /** Without a final slash. */
  origin: string;
  /** The custom domain's name as it was asked for; absent: the agent's own address. */
  host?: string;
  /** Where the same domain is reached by https of ours, when it came without. */
  secureOrigin?: string;
}

export function ownSite(config: PlatformConfig, agentName: string): Site {
  return { agentName, origin: agentUrl(config, agentName) };
}

export function customSite(config: PlatformConfig, host: string, { agentName, certified }: CustomHost, byTls: boolean): Site {
  const [plain, secure] = [domainUrl(config, host, byTls), domainUrl(config, host, certified)];
  return { agentName, host, origin: plain, ...(secure !== plain && { secureOrigin: secure }) };
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
