// Slow request bodies: the API closes the connection of a sender that stops sending or sends too slowly.
// Large uploads that make progress continue.
import type { IncomingMessage } from 'node:http';
import type { Socket } from 'node:net';

export interface BodyLimits {
  /** Longest silence between two pieces of a body, in milliseconds. */
  idleMs: number;
  /**
   * A small body (JSON or a plain form below 1 MiB) must be whole by then; others may take longer by what
   * they bring. Milliseconds.
   */
  totalMs: number;
  /** What a large body has to bring on average, in bytes for each second beyond `totalMs`. */
  bytesPerSecond: number;
  /** How often bodies under way are looked at, in milliseconds. */
  checkEveryMs: number;
}

export const BODY_LIMITS: BodyLimits = { idleMs: 30_000, totalMs: 60_000, bytesPerSecond: 1_024, checkEveryMs: 1_000 };

const SMALL_BYTES = 1024 * 1024;
const SMALL_TYPES = /^\s*application\/(?:(?:[\w.+-]+\+)?json|x-www-form-urlencoded)\b/i;

interface Body {
  request: IncomingMessage;
  socket: Socket;
  small: boolean;
  began: number;
  readBefore: number;
  /** When the last piece came, or was last held back by us. */
  heard: number;
  checked: number;
  read: number;
}

export interface SlowBodies {
  began(request: IncomingMessage): void;
  close(): void;
}

/** `tooSlow` is called once for each. */
export function watchBodies(limits: BodyLimits, tooSlow: (request: IncomingMessage) => void): SlowBodies {
  const open = new Set<Body>();
  const timer = setInterval(() => {
    const now = performance.now();
    for (const body of open) {
      if (body.request.complete || body.socket.destroyed) open.delete(body);
      else if (isLate(body, limits, now)) {
        open.delete(body);
        tooSlow(body.request);
      }
    }
  }, limits.checkEveryMs).unref();
  return {
    began(request) {
      const { headers, socket } = request;
      const length = headers['content-length'];
      if (headers['transfer-encoding'] === undefined && (length === undefined || length === '0')) return;
      const now = performance.now();
      const read = socket.bytesRead;
      open.add({ request, socket, small: SMALL_TYPES.test(headers['content-type'] ?? ''), began: now, readBefore: read, heard: now, checked: now, read });
    },
    close: () => clearInterval(timer),
  };
}

function isLate(body: Body, { idleMs, totalMs, bytesPerSecond }: BodyLimits, now: number): boolean {
  const { request, socket } = body;
  // Bytes that lie there unread: we hold the sender back, it does not keep us waiting.
  const hasUnreadBytes = request.readableLength > 0;
  if (hasUnreadBytes) body.began += now - body.checked;
  if (hasUnreadBytes || socket.bytesRead !== body.read) [body.heard, body.read] = [now, socket.bytesRead];
  body.checked = now;
  if (now - body.heard > idleMs) return true;
  const received = body.read - body.readBefore;
  const more = body.small && received < SMALL_BYTES ? 0 : (received / bytesPerSecond) * 1_000;
  return now - body.began > totalMs + more;
}
