// Secrets a guest uses without having them: it asks http://<host>.svc-inject.internal/…, the egress proxy
// asks https://<host>/… with a header added.
import type { IncomingHttpHeaders } from 'node:http';
import type { Socket } from 'node:net';
import { connect as secure, type TLSSocket } from 'node:tls';
import type { Injection } from '#drivers/runtime/port.ts';
import { EgressRefused } from '#drivers/outbound/connect.ts';

const suffix = '.svc-inject.internal';

/** The host behind a gateway's name; undefined: it is no gateway. */
export function hostBehind(gateway: string): string | undefined {
  return gateway.endsWith(suffix) ? gateway.slice(0, -suffix.length) : undefined;
}

/**
 * What is added for this very host. @throws EgressRefused where nothing is, or where the guest would have
 * spoken TLS to the gateway itself
 */
export function injectionsFor(all: readonly Injection[], host: string, port: number, orSetup = false): readonly Injection[] {
  const injections = all.filter((one) => one.host === host);
  if (injections.length === 0 && !orSetup)
    throw new EgressRefused(403, `${host}${suffix} is refused: no secret of this agent has inject.host "${host}"; set one with its owner's account.`);
  if (port !== 80) throw new EgressRefused(403, `${host}${suffix}:${port} is refused: ask http://${host}${suffix}/…; from here on it goes over TLS.`);
  return injections;
}

/** The guest's own words under those names are dropped. */
export function withInjected(headers: IncomingHttpHeaders, injections: readonly Injection[]): IncomingHttpHeaders {
  const names = new Set(injections.map(({ header }) => header.toLowerCase()));
  const own = Object.entries(headers).filter(([name]) => !names.has(name.toLowerCase()));
  return Object.fromEntries([...own, ...injections.map(({ header, value }) => [header, value])]);
}

/** A client certificate that is none is refused here, before anything is sent. */
function started(socket: Socket, host: string, options: { ca?: string; cert?: string; key?: string }): TLSSocket {
  try {
    return secure({ socket, servername: host, ...options });
  } catch {
    socket.destroy();
    throw new EgressRefused(403, `The client certificate for ${host}, or its key, cannot be read: set both again, in PEM.`);
  }
}

/** Resolves once the other end has proved its name: before that not a byte of the request is written. */
export function secured(
  socket: Socket,
  host: string,
  ca: string | undefined,
  timeoutMs: number,
  client: { cert: string; key: string } | undefined,
): Promise<TLSSocket> {
  return new Promise((resolve, reject) => {
    const over = started(socket, host, { ...(ca === undefined ? {} : { ca }), ...client });
    const refuse = (): void => {
      over.destroy();
      reject(new EgressRefused(502, `${host} did not prove over TLS that it is ${host}; nothing was sent to it.`));
    };
    over.setTimeout(timeoutMs, refuse);
    over.once('error', refuse);
    over.once('close', refuse);
    over.once('secureConnect', () => {
      over.setTimeout(0);
      over.off('error', refuse).off('close', refuse);
      resolve(over);
    });
  });
}
