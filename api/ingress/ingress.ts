// Agents by their host names: each request goes through the steps of pipeline.ts, before the API's own
// middlewares are reached. Refusals and metrics are here.
import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Duplex } from 'node:stream';
import type { Logger } from 'pino';
import { isMcpPath } from '#contract/identity/resources.ts';
import { hostOwner } from '#contract/wire/host-owner.ts';
import { BOX_SUFFIX } from '#contract/wire/names.ts';
import { isPageVisit } from '../http/browser.ts';
import { faultOf, unexpected, refusalOf } from '../http/errors.ts';
import { answerInPrivate, PRIVATE_HEADERS, takeIntegrationToken } from '../http/integration-token.ts';
import type { Metrics } from '../http/metrics.ts';
import { sendRefusal } from '../http/refusal.ts';
import { requestId } from '../http/request-id.ts';
import type { Front, UpgradeFront } from '../server.ts';
import { isForOtherName, type Site } from './host.ts';
import { wwwAuthenticate } from './metadata.ts';
import { pathOf } from './path.ts';
import { createPipeline, type Parts } from './pipeline.ts';
import { createTable, type ResolveRoute } from './route-cache.ts';
import { startPath } from './session-path.ts';
import type { Visit, HttpVisit, Steps } from './step.ts';
import { refuseUpgrade } from './upgrade.ts';

export interface IngressParts extends Parts {
  resolve: ResolveRoute;
  report: { log: Logger; metrics?: Metrics };
}

export interface Ingress {
  front: Front;
  upgrade: UpgradeFront;
  /** To be called with each payload on `svc_routes`; undefined: anything may have changed. */
  routeChanged(agentName: string | undefined): void;
}

export function createIngress({ resolve, report: { log, metrics }, ...parts }: IngressParts): Ingress {
  const { platform, network, sessions } = parts;
  const byName = network?.ownerOf ?? hostOwner(platform.config);
  const ownerOf = (request: IncomingMessage): Visit['owner'] => (isForOtherName(request) ? { kind: 'other' } : byName(request.headers.host));
  const table = createTable(resolve);
  const pipeline = createPipeline(parts, table);

  async function refuse({ request, response, requestId, written, site }: HttpVisit & { site?: Site }, error: unknown): Promise<void> {
    if (response.closed) return metrics?.passed('gone');
    const known = refusalOf(error, requestId);
    // A person at a browser signs in instead of reading that they are not.
    if (sessions && known?.status === 401 && isPageVisit(request))
      return void response.writeHead(302, { location: startPath(request.url ?? '/'), 'cache-control': 'no-store' }).end();
    const refusal = known ?? unexpected(error, requestId);
    const { status, body, headers } = refusal;
    const agent = site?.agentName;
    if (agent !== undefined && (status === 401 || body.detail.code === 'insufficient_scope')) {
      const tried = request.headers.authorization !== undefined;
      headers['www-authenticate'] = wwwAuthenticate(platform.config, { agent, path: isMcpPath(written) ? written : pathOf(request.url), status, tried });
    }
    metrics?.passed(status === 504 ? 'timeout' : status === 502 ? 'unreachable' : 'refused');
    // Perhaps its instance is another by now.
    if (status === 502 && agent !== undefined) table.drop(agent);
    const fault = faultOf(error);
    if (fault !== undefined) log.info({ request_id: requestId, agent, status, fault }, 'a request was refused');
    if (status >= 500) log.warn({ err: error, request_id: requestId, agent, status }, 'a request did not reach its agent');
    await sendRefusal(request, response, refusal);
  }

  return {
    front(request, response) {
      const owner = ownerOf(request);
      if (owner.kind === 'api') return false;
      const token = owner.kind === 'other' ? undefined : takeIntegrationToken(request);
      if (token !== undefined) answerInPrivate(response);
      void go(pipeline.http, { ...visitOf(request, response, owner, token), response }, refuse, metrics);
      return true;
    },
    upgrade(request, socket, head) {
      const owner = ownerOf(request);
      if (owner.kind === 'api') return false;
      const token = takeIntegrationToken(request);
      const own = token === undefined ? {} : PRIVATE_HEADERS;
      const start = { ...visitOf(request, socket, owner, token), socket, head, own };
      void go(pipeline.upgrade, start, ({ requestId }, error) => refuseUpgrade(socket, error, requestId, own));
      return true;
    },
    routeChanged(agentName) {
      table.drop(agentName);
      if (agentName !== undefined) table.drop(`${agentName}${BOX_SUFFIX}`);
    },
  };
}

function visitOf(request: IncomingMessage, connection: ServerResponse | Duplex, owner: Visit['owner'], integrationToken: string | undefined): Visit {
  const path = pathOf(request.url);
  return { request, connection, requestId: requestId(request.headers['x-request-id']), owner, integrationToken, written: path, path };
}

/** Waits only for what has to be waited for: this is on the path of every call. */
async function go<A extends Visit>({ all }: Steps<A>, visit: A, refuse: (visit: A, error: unknown) => void | Promise<void>, metrics?: Metrics): Promise<void> {
  try {
    for (const step of all) {
      const answer = step(visit);
      const result = answer instanceof Promise ? await answer : answer;
      if (typeof result === 'string') return metrics?.passed(result);
      Object.assign(visit, result);
    }
    throw new Error('no step answers');
  } catch (error) {
    await refuse(visit, error);
  }
}
