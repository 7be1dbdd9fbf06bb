// Callers that nothing else tells apart: over the revisions of 2025 each gets a session of its own, so that none is shown what another has open. It
// is a name and nothing is kept for it. Later revisions have no sessions: there, only who has a question's id or a request's state can go on with it.
import { createHash, randomBytes } from 'node:crypto';
import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Owner } from '../owner.ts';

const HEADER = 'mcp-session-id';
const OURS = /^svc_mcp_[\w-]{43}$/;

/** The caller as its session has it. Takes the header away, for nothing else reads it. */
export function ownerInSession(req: IncomingMessage, owner: Owner): Owner {
  const id = req.headers[HEADER];
  if (!owner.shared || typeof id !== 'string' || !OURS.test(id)) return owner;
  delete req.headers[HEADER];
  return { key: `session:${createHash('sha256').update(id).digest('base64url')}`, shared: false };
}

/** With the answer to the first message of a client. */
export function beginSession(res: ServerResponse, owner: Owner, body: unknown): void {
  if (owner.shared && isInitialize(body)) res.setHeader(HEADER, `svc_mcp_${randomBytes(32).toString('base64url')}`);
}

function isInitialize(body: unknown): boolean {
  return typeof body === 'object' && body !== null && 'method' in body && body.method === 'initialize';
}
