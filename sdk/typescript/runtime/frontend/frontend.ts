// The packed frontend at its mount: the bundle, its generated contract, and who may see them.
import { createReadStream, existsSync } from 'node:fs';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { join } from 'node:path';
import { pipeline } from 'node:stream/promises';
import type { AgentCard } from '../../../../contract/wire/card.ts';
import { AuthError } from '../../authoring/errors.ts';
import type { Authenticate } from '../authenticate.ts';
import { HttpError, sendJson } from '../http.ts';
import type { FrontendOptions } from '../options.ts';
import { frontendConfig, signInPath } from './config.ts';
import { factsOf, listBundle, type BundleFile, type FileFacts } from './files.ts';
import { loadRenderer } from './render.ts';

export interface FrontendParts {
  card: AgentCard;
  /** The agent's own door (mode `inherit`); people the platform signed in come in beside it. */
  authenticate: Authenticate;
  /**
   * Only for signed-in people of the platform (mode `platform`); without a platform, for the developer at
   * this machine.
   */
  authenticateUser: Authenticate;
  /** A platform is in front, which signs people in at /.svc/session. */
  attached: boolean;
}

export interface FrontendFace {
  /** @throws SvcError while nothing has been sent */
  handle(req: IncomingMessage, res: ServerResponse, path: string): Promise<void>;
}

const HOUR_SECONDS = 3600;

/** @throws Error when the bundle does not exist */
export async function createFrontend(options: FrontendOptions, parts: FrontendParts): Promise<FrontendFace> {
  const mount = options.mount.replace(/\/+$/, '');
  const contract = frontendConfig(parts.card, { mount, auth: options.auth }, parts.attached);
  const config = Buffer.from(JSON.stringify(contract));
  const rendered = options.mode === 'server-rendered';
  const files = rendered ? await clientFiles(options.dist) : await listBundle(options.dist);
  const render = rendered ? loadRenderer(options.dist, { config: contract, headers: HARDENING, policy }) : undefined;
  const known = new Map<string, Promise<FileFacts>>();
  const facts = (path: string, file: BundleFile): Promise<FileFacts> => {
    const fileFacts = known.get(path) ?? factsOf(file);
    known.set(path, fileFacts);
    return fileFacts;
  };

  return {
    async handle(req, res, path) {
      const method = req.method ?? '';
      if (method !== 'GET' && method !== 'HEAD') throw new HttpError('method_not_allowed', 'use GET or HEAD', { allow: 'GET, HEAD' });
      if (!(await admitted(req, res, options, parts, mount))) return;
      if (path === mount) return redirect(res, `${mount}/`, 301);
      const wanted = decoded(path.slice(mount.length + 1)) || 'index.html';
      if (wanted === 'config.json') return sendJson(res, 200, method === 'HEAD' ? '' : config, { ...HARDENING, 'cache-control': 'no-cache' });
      if (render && !files.has(wanted)) return render(req, res);
      const name = resolve(files, wanted, req.headers.accept);
      const file = name === undefined ? undefined : files.get(name);
      if (name === undefined || !file) throw new HttpError('not_found', `the frontend has no file "${wanted.slice(0, 200)}"`);
      await send(req, res, file, await facts(name, file), options.auth === 'public' ? 'public' : 'private');
    },
  };
}

/** What is served as it is: all but pages, which the program writes. */
async function clientFiles(dist: string): Promise<ReadonlyMap<string, BundleFile>> {
  const client = join(dist, 'client');
  const files = existsSync(client) ? await listBundle(client, { index: false }) : new Map<string, BundleFile>();
  return new Map([...files].filter(([, { type }]) => !type.startsWith('text/html')));
}

/** False when a browser was sent to sign in instead. @throws AuthError for programs */
async function admitted(req: IncomingMessage, res: ServerResponse, { auth }: FrontendOptions, parts: FrontendParts, mount: string): Promise<boolean> {
  if (auth === 'public') return true;
  try {
    await (auth === 'platform' ? parts.authenticateUser(req) : agentOrPerson(req, parts));
    return true;
  } catch (error) {
    const page = req.headers.accept?.includes('text/html') && (req.headers['sec-fetch-mode'] ?? 'navigate') === 'navigate';
    if (!(error instanceof AuthError) || error.status !== 401 || !parts.attached) throw error;
    const target = req.url?.startsWith(mount) ? req.url : `${mount}/`;
    if (!page) throw new AuthError(`${error.message}; a browser signs in at ${signInPath(target)}`);
    redirect(res, signInPath(target), 302);
    return false;
  }
}

/**
 * A browser cannot send a bearer token: the session of its user opens the page as well. Access to skills does
 * not change.
 */
async function agentOrPerson(req: IncomingMessage, parts: FrontendParts): Promise<void> {
  try {
    await parts.authenticate(req);
  } catch (error) {
    if (!(error instanceof AuthError) || error.status !== 401 || !parts.attached) throw error;
    await parts.authenticateUser(req);
  }
}

/** The file asked for; its index.html; for a page's own routes the bundle's index.html. */
function resolve(files: ReadonlyMap<string, BundleFile>, wanted: string, accept = ''): string | undefined {
  const candidates = [wanted, `${wanted.replace(/\/$/, '')}/index.html`, `${wanted}.html`];
  const fileName = candidates.find((name) => files.has(name));
  if (fileName !== undefined) return fileName;
  const looksLikeFile = /\.[A-Za-z0-9]{1,8}$/.test(wanted);
  return !looksLikeFile && accept.includes('text/html') ? 'index.html' : undefined;
}

function decoded(path: string): string {
  try {
    return decodeURIComponent(path);
  } catch {
    return path;
  }
}

const HARDENING = { 'x-content-type-options': 'nosniff', 'referrer-policy': 'same-origin', 'cross-origin-opener-policy': 'same-origin' };

async function send(
  req: IncomingMessage,
  res: ServerResponse,
  file: BundleFile,
  { etag, inlineScripts }: FileFacts,
  keptBy: 'public' | 'private',
): Promise<void> {
  const page = file.type.startsWith('text/html');
  const headers: Record<string, string | number> = {
    ...HARDENING,
    etag,
    'cache-control': file.immutable && !page ? `${keptBy}, max-age=${365 * 24 * HOUR_SECONDS}, immutable` : 'no-cache',
    'content-security-policy': page ? policy(inlineScripts) : "default-src 'none'; style-src 'unsafe-inline'; sandbox",
  };
  if (matches(req.headers['if-none-match'], etag)) return void res.writeHead(304, headers).end();
  res.writeHead(200, { ...headers, 'content-type': file.type, 'content-length': file.size });
  if (req.method === 'HEAD') return void res.end();
  // A reader that leaves is no failure of ours.
  await pipeline(createReadStream(file.file), res).catch(() => res.destroy());
}

/** A packed page talks to its own origin; what it may load from elsewhere is what it brings. */
function policy(inlineScripts: readonly string[]): string {
  return [
    "default-src 'self'",
    `script-src ${["'self'", "'wasm-unsafe-eval'", ...inlineScripts].join(' ')}`,
    "style-src 'self' 'unsafe-inline'",
    "img-src 'self' data: blob:",
    "font-src 'self' data:",
    "connect-src 'self'",
    "object-src 'none'",
    "base-uri 'self'",
    "form-action 'self'",
    "frame-ancestors 'none'",
  ].join('; ');
}

function matches(header: string | undefined, etag: string): boolean {
  if (header === undefined) return false;
  return header.split(',').some((one) => one.trim().replace(/^W\//, '') === etag || one.trim() === '*');
}

function redirect(res: ServerResponse, location: string, status: number): void {
  res.writeHead(status, { location, 'cache-control': 'no-store', 'content-length': 0 }).end();
}
