// The platform's API as a protected resource (RFC 9728): which issuer's tokens it takes.
import type { ServerResponse } from 'node:http';
import { RESOURCE_SCOPES } from '#contract/identity/oauth.ts';
import { METADATA_PATH, protectedResource } from '#contract/identity/resources.ts';
import type { Front } from '../../server.ts';

export function platformResource({ resource, issuer }: { resource: string; issuer: string }): Front {
  const body = JSON.stringify(protectedResource(resource, { issuer, scopes: RESOURCE_SCOPES, name: 'svc' }));
  return (request, response) => {
    if (request.url?.split('?')[0] !== METADATA_PATH || (request.method !== 'GET' && request.method !== 'HEAD')) return false;
    sendMetadata(response, body, request.method);
    return true;
  };
}

/** Public, and read by programs that run in pages. */
export function sendMetadata(response: ServerResponse, body: string, method: string): void {
  response.writeHead(200, {
    'content-type': 'application/json; charset=utf-8',
    'content-length': Buffer.byteLength(body),
    'cache-control': 'public, max-age=300',
    'access-control-allow-origin': '*',
  });
  response.end(method === 'HEAD' ? undefined : body);
}
