// Where an agent's HTTP server is: behind a Unix socket of this machine, or at a port of the network.
import { type ClientRequest, type IncomingMessage, request as httpRequest, type RequestOptions } from 'node:http';
import { request as httpsRequest } from 'node:https';

/**
 * `tls`: it speaks HTTPS, with a certificate for `host` that this process's authorities signed. `of`: which
 * of the agents behind one socket.
 */
export type AgentAddress = { unix: string; of?: string } | { host: string; port: number; tls: boolean };

/**
 * What a URL of the agent starts with; on a socket the name in it leads nowhere. Different addresses may
 * share it.
 */
export function originOf(address: AgentAddress): string {
  if ('unix' in address) return 'http://agent';
  const { host, port, tls } = address;
  return `${tls ? 'https' : 'http'}://${host.includes(':') ? `[${host}]` : host}:${port}`;
}

/** A request of Node's own client, for what no pool can carry: a WebSocket's handshake. */
export function requestTo(address: AgentAddress, options: RequestOptions, onAnswer?: (answer: IncomingMessage) => void): ClientRequest {
  if ('unix' in address) return httpRequest({ ...options, socketPath: address.unix }, onAnswer);
  const { host, port, tls } = address;
  return (tls ? httpsRequest : httpRequest)({ ...options, host, port }, onAnswer);
}

/** One text for one address. */
export const keyOf = (address: AgentAddress): string =>
  'unix' in address ? `unix:${address.unix}${address.of === undefined ? '' : `#${address.of}`}` : originOf(address);
