// Sessions over the revisions of 2025. By them callers that cannot be distinguished otherwise do not see each
// other's open questions, and the requests of two clients of one person are told apart. A session is only a
// name, without state; the abilities of the client, which it declares once, are part of it. Later revisions
// have no sessions: there, only who has a question's id or a request's state can continue with it.
import { createHash, randomBytes } from 'node:crypto';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { z } from 'zod';
import type { Owner } from '../owner.ts';
import { declaresApps } from './apps.ts';
import { showsForms } from './asking.ts';

const HEADER = 'mcp-session-id';
const OURS = /^svc_mcp_(form_)?(app_)?[\w-]{43}$/;

const Initialize = z.object({ method: z.literal('initialize'), params: z.looseObject({ capabilities: z.unknown() }).optional() });

export interface InSession {
  owner: Owner;
  session: string | undefined;
  /** A client of 2025 that can be asked on the stream of its call. */
  asksOnStream: boolean;
  showsApps: boolean;
}

/**
 * The caller as its session has it. Takes the header away, for nothing else reads it. A known caller stays
 * who it is.
 */
export function inSession(req: IncomingMessage, owner: Owner): InSession {
  const id = req.headers[HEADER];
  const ours = typeof id === 'string' ? OURS.exec(id) : null;
  if (!ours) return { owner, session: undefined, asksOnStream: false, showsApps: false };
  delete req.headers[HEADER];
  const shows = { session: ours[0], asksOnStream: ours[1] !== undefined, showsApps: ours[2] !== undefined };
  if (!owner.shared) return { owner, ...shows };
  return { owner: { key: `session:${createHash('sha256').update(ours[0]).digest('base64url')}`, shared: false }, ...shows };
}

/** With the answer to the first message of a client. */
export function beginSession(res: ServerResponse, body: unknown): void {
  const initialize = Initialize.safeParse(body);
  if (!initialize.success) return;
  const forms = showsForms(initialize.data.params?.capabilities);
  const apps = declaresApps(initialize.data.params?.capabilities);
  res.setHeader(HEADER, `svc_mcp_${forms ? 'form_' : ''}${apps ? 'app_' : ''}${randomBytes(32).toString('base64url')}`);
}
