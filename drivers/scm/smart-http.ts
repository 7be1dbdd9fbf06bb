// git over HTTP, answered by git's own program for it (git http-backend), as a CGI:
// https://git-scm.com/docs/git-http-backend
import type { ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { PassThrough, type Duplex, type Readable, type Writable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { ScmError } from './names.ts';
import { endGroup, spawnGit } from './git-process.ts';
import type { GitAnswer, GitRequest } from './port.ts';
import { answerHooks } from './push-channel.ts';

/** Of a pack as it arrives. The files of one version may have 100 MiB. */
export const usualPackBytes = 128 * 1024 * 1024;
/**
 * Beyond the pack: git refuses it in words, which its sender reads when everything is sent; what is this much
 * longer is cut off.
 */
const spareBytes = 64 * 1024 * 1024;
const maxHeaderBytes = 16 * 1024;
/** The longest that one request may take, a deployment that is followed included. */
const requestMs = 30 * 60_000;

const settings = {
  'http.getanyfile': 'false',
  'http.uploadpack': 'true',
  'uploadpack.allowFilter': 'true',
  'receive.fsckObjects': 'true',
  'receive.autogc': 'false',
  'receive.denyDeleteCurrent': 'refuse',
  'receive.shallowUpdate': 'false',
  'core.hooksPath': join(import.meta.dirname, 'hooks'),
  'safe.directory': '*',
  // What it maps and computes stays far below the ceilings of git-process.ts.
  'core.packedGitWindowSize': '32m',
  'core.packedGitLimit': '256m',
  'core.bigFileThreshold': '16m',
  'pack.threads': '1',
  'pack.windowMemory': '64m',
};

/** @throws ScmError scm_failed where git gives no answer */
export async function serveGit(gitDir: string, request: GitRequest, packBytes: number): Promise<GitAnswer> {
  const all = { ...settings, 'receive.maxInputSize': String(packBytes), 'http.receivepack': String(request.push !== undefined) };
  const args = Object.entries(all).flatMap(([name, value]) => ['-c', `${name}=${value}`]);
  const child = spawnGit([...args, 'http-backend'], { env: cgi(gitDir, request), stdio: ['pipe', 'pipe', 'ignore', 'pipe'], group: true });
  const { stdin, stdout, channel } = pipesOf(child);
  const end = (): void => endGroup(child);
  const late = setTimeout(end, requestMs);
  request.signal.addEventListener('abort', end, { once: true });
  child
    .once('error', () => stdout.destroy())
    .once('close', () => {
      clearTimeout(late);
      request.signal.removeEventListener('abort', end);
      channel.destroy();
    });
  if (request.push) void answerHooks(channel, gitDir, request.push).catch(end);
  // What is over the limit, and a client that leaves, end git.
  send(request.body, stdin, packBytes + spareBytes).catch(end);
  try {
    return await answerOf(stdout);
  } catch (error) {
    end();
    throw error;
  }
}

function cgi(gitDir: string, r: GitRequest): Record<string, string> {
  const given: Record<string, string | undefined> = {
    CONTENT_TYPE: r.contentType,
    CONTENT_LENGTH: r.contentLength,
    HTTP_CONTENT_ENCODING: r.contentEncoding,
    // Only what git itself would send.
    GIT_PROTOCOL: r.protocol !== undefined && /^version=[012]$/.test(r.protocol) ? r.protocol : undefined,
  };
  return {
    GIT_PROJECT_ROOT: gitDir,
    GIT_HTTP_EXPORT_ALL: '1',
    PATH_INFO: `/${r.service}`,
    REQUEST_METHOD: r.method,
    QUERY_STRING: r.query,
    REMOTE_USER: 'svc',
    REMOTE_ADDR: '',
    ...Object.fromEntries(Object.entries(given).filter((one): one is [string, string] => one[1] !== undefined)),
  };
}

/**
 * A git that has answered before the end of the body gets no further bytes; its sender still has to send
 * them.
 */
export async function send(body: Readable, stdin: Writable, maxBytes: number): Promise<void> {
  let bytes = 0;
  stdin.on('error', () => undefined);
  for await (const piece of body as AsyncIterable<Buffer>) {
    bytes += piece.length;
    if (bytes > maxBytes) throw new ScmError('scm_failed', `a request may have ${maxBytes} bytes`);
    if (stdin.writable && !stdin.write(piece)) await drained(stdin);
  }
  stdin.end();
}

/** Or closed. The listener that was not needed goes: there would be one more for each piece. */
async function drained(stdin: Writable): Promise<void> {
  const over = new AbortController();
  const { signal } = over;
  const either = [once(stdin, 'drain', { signal }), once(stdin, 'close', { signal })];
  await Promise.race(either).catch(() => undefined);
  over.abort();
  await Promise.allSettled(either);
}

/** The CGI's headers; the rest is the body. */
async function answerOf(stdout: Readable): Promise<GitAnswer> {
  const body = new PassThrough();
  let head = Buffer.alloc(0);
  const pieces = stdout[Symbol.asyncIterator]();
  for (let end = -1; end === -1;) {
    const { value, done } = (await pieces.next()) as IteratorResult<Buffer, undefined>;
    if (done === true || head.length > maxHeaderBytes) throw new ScmError('scm_failed', 'git gave no answer');
    head = Buffer.concat([head, value]);
    end = head.indexOf('\r\n\r\n');
    if (end !== -1) {
      body.write(head.subarray(end + 4));
      head = head.subarray(0, end);
    }
  }
  pipeline(pieces, body).catch(() => undefined);
  const headers: Record<string, string> = {};
  for (const line of head.toString('latin1').split('\r\n')) {
    const colon = line.indexOf(':');
    if (colon > 0) headers[line.slice(0, colon).toLowerCase()] = line.slice(colon + 1).trim();
  }
  const { status = '200', ...rest } = headers;
  return { status: Number.parseInt(status, 10), headers: rest, body };
}

// Safe: it was started with these pipes; Node's further ones are connections, open both ways.
function pipesOf(child: ChildProcess): { stdin: Writable; stdout: Readable; channel: Duplex } {
  return { stdin: child.stdin as Writable, stdout: child.stdout as Readable, channel: child.stdio[3] as Duplex };
}
