// HTTP_PROXY inside the guest: a loopback listener whose connections go to the host's egress proxy over the
// channel.
import { connect, createServer, type Server } from 'node:net';

/**
 * `beforeFirst` runs once, before the first connection goes out; `onBytes` hears of every piece that comes
 * in.
 */
export function listenEgress(port: number, servicePath: string, beforeFirst: () => void = () => undefined, onBytes?: (bytes: number) => void): Promise<Server> {
  let prepare: (() => void) | undefined = beforeFirst;
  const server = createServer({ allowHalfOpen: true }, (client) => {
    prepare?.();
    prepare = undefined;
    const host = connect({ path: servicePath, allowHalfOpen: true });
    client.pipe(host);
    host.pipe(client);
    if (onBytes) host.on('data', (chunk: Buffer) => onBytes(chunk.length));
    client.on('error', () => host.destroy());
    host.on('error', () => client.destroy());
    client.on('close', () => host.destroy());
    host.on('close', () => client.destroy());
  });
  server.unref();
  return new Promise((resolve, reject) => {
    server.once('error', reject);
    server.listen(port, '127.0.0.1', () => resolve(server));
  });
}

/** Programs find the proxy by these; localhost is proxied only where the control plane lives there. */
export function proxyEnv(port: number, controlPlane: string | undefined): Record<string, string> {
  const proxy = `http://127.0.0.1:${port}`;
  const planeIsLocal = controlPlane !== undefined && URL.canParse(controlPlane) && new URL(controlPlane).hostname === 'localhost';
  const direct = planeIsLocal ? '127.0.0.1,::1' : '127.0.0.1,::1,localhost';
  return { HTTP_PROXY: proxy, HTTPS_PROXY: proxy, http_proxy: proxy, https_proxy: proxy, NO_PROXY: direct, no_proxy: direct, NODE_USE_ENV_PROXY: '1' };
}
