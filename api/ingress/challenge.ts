// What the certificate authority asks at a custom domain. A server that answers there can get certificates
// for the name: only the platform may.
import { MethodNotAllowed, NotFound } from '#core/kernel/errors.ts';
import { CHALLENGE_PREFIX } from '#core/agents/domain/challenge.ts';
import type { CustomDomains } from './custom-domains.ts';
import type { HttpVisit, AtSite, Outcome, Step } from './step.ts';

export function createChallenge(domains: Pick<CustomDomains, 'challenge'> | undefined): Step<HttpVisit & AtSite> {
  async function answer({ request, response, site: { host }, path }: HttpVisit & AtSite): Promise<Outcome> {
    if (request.method !== 'GET' && request.method !== 'HEAD') throw new MethodNotAllowed('method_not_allowed', `${CHALLENGE_PREFIX} takes GET, HEAD`);
    const text = host === undefined ? undefined : await domains?.challenge(host, path.slice(CHALLENGE_PREFIX.length));
    if (text === undefined) throw new NotFound('challenge_unknown', 'no open order of a certificate asks for this');
    response.writeHead(200, { 'content-type': 'application/octet-stream', 'cache-control': 'no-store', 'content-length': Buffer.byteLength(text) });
    response.end(request.method === 'HEAD' ? undefined : text);
    return 'ok';
  }

  return (visit) => (`${visit.path}/`.startsWith(CHALLENGE_PREFIX) ? answer(visit) : undefined);
}
