// A source control driver behind a plain HTTP server, and the git command of people as its client.
import { execFile, spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { promisify } from 'node:util';
import { pipeline } from 'node:stream/promises';
import type { GitRequest, PushRules, SourceControl } from '../port.ts';

const run = promisify(execFile);

export interface Ran {
  code: number;
  out: string;
  err: string;
}

/** Without the git settings of the user who runs the tests. */
export const clientEnv = {
  PATH: process.env['PATH'] ?? '/usr/bin:/bin',
  HOME: '/nonexistent',
  GIT_CONFIG_NOSYSTEM: '1',
  GIT_CONFIG_GLOBAL: '/dev/null',
  GIT_TERMINAL_PROMPT: '0',
  GIT_AUTHOR_NAME: 'Ada',
  GIT_AUTHOR_EMAIL: 'ada@svc.local',
  GIT_COMMITTER_NAME: 'Ada',
  GIT_COMMITTER_EMAIL: 'ada@svc.local',
};

/** Never throws: a test looks at the code. */
export async function gitIn(cwd: string, args: string[], env: Record<string, string> = {}): Promise<Ran> {
  try {
    const { stdout, stderr } = await run('git', args, { cwd, env: { ...clientEnv, ...env }, maxBuffer: 64 * 1024 * 1024 });
    return { code: 0, out: stdout, err: stderr };
  } catch (error) {
    const { code, stdout, stderr } = error as { code?: number; stdout?: string; stderr?: string };
    return { code: code ?? 1, out: stdout ?? '', err: stderr ?? String(error) };
  }
}

export function startGit(cwd: string, args: string[]): ChildProcess {
  return spawn('git', args, { cwd, env: clientEnv, stdio: ['ignore', 'pipe', 'pipe'] });
}

export interface GitServer {
  url: string;
  rules: PushRules | undefined;
  close(): Promise<void>;
}

/** Repositories at `/<repository>.git`. */
export async function serveGitOf(scm: SourceControl, rules: PushRules | undefined): Promise<GitServer> {
  const it = { url: '', rules, close: async () => void (server.closeAllConnections(), server.close(), await once(server, 'close')) };
  const server = createServer((request, response) => void answer(scm, it.rules, request, response));
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  it.url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  return it;
}

async function answer(scm: SourceControl, push: PushRules | undefined, request: IncomingMessage, response: ServerResponse): Promise<void> {
  const [, repository, service, query = ''] = /^\/(.+)\.git\/([^?]+)\??(.*)$/.exec(request.url ?? '') ?? [];
  const gone = new AbortController();
  response.once('close', () => gone.abort());
  try {
    const answered = await scm.serve({
      repository: repository ?? '',
      service: service as GitRequest['service'],
      method: request.method === 'POST' ? 'POST' : 'GET',
      query,
      contentType: request.headers['content-type'],
      contentEncoding: request.headers['content-encoding'],
      contentLength: request.headers['content-length'],
      protocol: request.headers['git-protocol'] as string | undefined,
      body: request,
      push,
      signal: gone.signal,
    });
    response.writeHead(answered.status, answered.headers);
    await pipeline(answered.body, response);
  } catch {
    if (response.headersSent) response.destroy();
    else response.writeHead(500).end();
  }
}
