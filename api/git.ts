// git over HTTP: `/git/<agent>.git`, for git's own client. Who may is decided here, by the source token that
// git sends as a password; what git does with it is source hosting's.
import type { IncomingMessage, ServerResponse } from 'node:http';
import { pipeline } from 'node:stream/promises';
import type { Logger } from 'pino';
import { HEADER } from '#contract/wire/headers.ts';
import { sourceRepository } from '#core/agents/agent/repository.ts';
import { sourceFor } from '#core/deploys/repository/find.ts';
import { fromHosting } from '#core/deploys/repository/hosting.ts';
import { pushRules } from '#core/deploys/repository/push-rules.ts';
import { SOURCE_TOKEN_PREFIX } from '#core/deploys/source-token/secret.ts';
import type { Actor, Ctx } from '#core/kernel/ctx.ts';
import { DomainError, NotFound, Unauthorized, Unavailable } from '#core/kernel/errors.ts';
import type { GitRequest } from '#drivers/scm/port.ts';
import type { Authenticate } from './http/deps.ts';
import { drain } from './http/drain.ts';
import { faultOf, refusalOf, unexpected } from './http/errors.ts';
import type { RateLimits } from './http/rate-limit.ts';
import { rechecksOf, whenClosed } from './http/recheck.ts';
import { requestId } from './http/request-id.ts';
import { createPlaces } from './places.ts';
import type { Front } from './server.ts';

export interface GitFrontOptions {
  authenticate: Authenticate;
  limits: RateLimits;
  log: Logger;
  /** The process ends: pushes stop following their deployments. */
  stopping: AbortSignal;
}

const ADDRESS = /^\/git\/([a-z0-9][a-z0-9-]{0,127})\.git(\/[^?]*)?(?:\?(.*))?$/;
/** Requests of git that are answered at the same time: of one account, and of all. */
const AT_ONCE = { each: 12, all: 48 };

export function gitFront(ctx: Ctx, { authenticate, limits, log, stopping }: GitFrontOptions): Front {
  const places = createPlaces(AT_ONCE);
  return (request, response) => {
    if (!request.url?.startsWith('/git/')) return false;
    const id = requestId(request.headers['x-request-id']);
    response.setHeader(HEADER.requestId, id);
    const addressMatch = ADDRESS.exec(request.url) ?? undefined;
    serve(request, response, addressMatch).catch(async (error: unknown) => refuse(request, response, error, id));
    return true;

    async function serve(incoming: IncomingMessage, outgoing: ServerResponse, address: RegExpExecArray | undefined): Promise<void> {
      const [, name = '', rest = '', query = ''] = address ?? [];
      const actor = await whoAsks(incoming);
      const service = serviceOf(incoming.method, rest, query);
      const mine: Ctx = { ...ctx, actor, requestId: id };
      const agent = await sourceFor(ctx.db, actor, service?.writes === true ? 'source.push' : 'source.read', name);
      if (!service) throw gitOnly(rest);
      const gone = new AbortController();
      const signal = AbortSignal.any([gone.signal, stopping]);
      if (outgoing.closed) return;
      outgoing.once('close', () => gone.abort());
      const use = { agentId: agent.agent_id, action: service.writes ? 'source.push' : 'source.read' } as const;
      const leaveRechecks = rechecksOf(ctx.db).enter({ actor, use }, () => void outgoing.destroy());
      whenClosed(outgoing, leaveRechecks);
      const leave = places.enter(agent.owner_id);
      if (!leave)
        throw new Unavailable('source_busy', 'Too many git clients are at work at the moment: try again in a few seconds', { retry_after_seconds: 5 });
      try {
        const takeDeploy = async (): Promise<void> => limits.take('deploy', agent.owner_id);
        const push = service.writes ? pushRules(mine, { name, signal, takeDeploy }) : undefined;
        const repository = sourceRepository(agent.owner_id, agent.name);
        const answer = await fromHosting(ctx.drivers.scm.serve(toGit(incoming, { repository, service, query, push, signal: gone.signal })));
        outgoing.writeHead(answer.status, { ...answer.headers, 'x-content-type-options': 'nosniff' });
        await pipeline(answer.body, outgoing);
        if (service.name !== 'info/refs') log.info({ request_id: id, agent: name, service: service.name, status: answer.status }, 'git');
      } finally {
        leave();
      }
    }
  };

  async function whoAsks({ headers }: IncomingMessage): Promise<Actor> {
    const password = passwordOf(headers.authorization);
    // What opens an account is not for git's configuration files: only a token of one repository is taken.
    if (password?.startsWith(SOURCE_TOKEN_PREFIX) !== true)
      throw new Unauthorized('source_token_invalid', 'Send a source token as the password: svc git-credential gives git one');
    return authenticate({ authorization: `Bearer ${password}`, cookies: {} });
  }

  async function refuse(request: IncomingMessage, response: ServerResponse, error: unknown, id: string): Promise<void> {
    if (response.headersSent) return void response.destroy();
    // Who still sends would not read the answer.
    if (!request.complete) await drain(request);
    const { status, body, headers } = refusalOf(error, id) ?? unexpected(error, id);
    const fault = faultOf(error);
    if (status >= 500 && !(error instanceof DomainError)) log.error({ err: error, request_id: id }, 'a request of git failed');
    else log.info({ request_id: id, status, code: body.detail.code, ...(fault === undefined ? {} : { fault }) }, 'git was refused');
    const lfs = request.url?.includes('.git/info/lfs') === true;
    const text = lfs ? JSON.stringify({ message: body.detail.message }) : `${body.detail.message}\n`;
    response.writeHead(status, {
      ...headers,
      // git sends its credentials only when it is asked to.
      ...(status === 401 ? { 'www-authenticate': 'Basic realm="svc", charset="UTF-8"' } : {}),
      // git prints plain text for the person at it.
      'content-type': lfs ? 'application/vnd.git-lfs+json' : 'text/plain; charset=utf-8',
      'cache-control': 'no-store',
      'x-content-type-options': 'nosniff',
      'content-length': Buffer.byteLength(text),
      ...(request.complete ? {} : { connection: 'close' }),
    });
    response.end(request.method === 'HEAD' ? undefined : text);
  }
}

interface Service {
  name: GitRequest['service'];
  writes: boolean;
}

function serviceOf(method: string | undefined, rest: string, query: string): Service | undefined {
  const wanted = new URLSearchParams(query).get('service');
  if (method === 'GET' && rest === '/info/refs' && (wanted === 'git-upload-pack' || wanted === 'git-receive-pack'))
    return { name: 'info/refs', writes: wanted === 'git-receive-pack' };
  if (method === 'POST' && rest === '/git-upload-pack') return { name: 'git-upload-pack', writes: false };
  if (method === 'POST' && rest === '/git-receive-pack') return { name: 'git-receive-pack', writes: true };
  return undefined;
}

function gitOnly(rest: string): NotFound {
  if (rest.startsWith('/info/lfs'))
    return new NotFound('git_only', 'Large files (git lfs) are not kept here: commit the file itself, or leave it out (git lfs untrack)');
  return new NotFound('git_only', 'This address answers git: clone it with svc clone, or with git clone');
}

type Admitted = Pick<GitRequest, 'repository' | 'query' | 'push' | 'signal'> & { service: Service };

function toGit(request: IncomingMessage, { service, ...more }: Admitted): GitRequest {
  const { headers, method } = request;
  const protocol = headers['git-protocol'];
  return {
    ...more,
    service: service.name,
    method: method === 'POST' ? 'POST' : 'GET',
    contentType: headers['content-type'],
    contentEncoding: headers['content-encoding'],
    contentLength: headers['content-length'],
    protocol: typeof protocol === 'string' ? protocol : undefined,
    body: request,
  };
}

/** From `Basic` (with any user name) or `Bearer`. */
function passwordOf(authorization: string | undefined): string | undefined {
  const [, scheme = '', value = ''] = /^(basic|bearer) +(\S+)$/i.exec(authorization ?? '') ?? [];
  if (scheme.toLowerCase() !== 'basic') return value === '' ? undefined : value;
  const text = Buffer.from(value, 'base64').toString('utf8');
  const colon = text.indexOf(':');
  return colon === -1 ? undefined : text.slice(colon + 1);
}
