// What a skill logs, to the caller of that very call: notifications/message on its stream, at the level the
// client asked for. Only for agents whose author allows it (capabilities.logging), for a log is written for
// its author; never what the runtime writes, and never secrets.
import { LOG_LEVEL_META_KEY, type Server, type ServerContext } from '@modelcontextprotocol/server';
import type { AgentCard } from '../../../../contract/wire/card.ts';
import type { Entry } from '../log.ts';
import type { Owner } from '../owner.ts';
import type { Caller } from './caller.ts';

/** As the protocol orders them. */
const LEVELS = ['debug', 'info', 'notice', 'warning', 'error', 'critical', 'alert', 'emergency'] as const;
type Level = (typeof LEVELS)[number];

/** Callers whose level is kept; the oldest is forgotten. */
const MAX_LEVELS = 1000;
/** Of one call. A client that reads slowly holds them in memory. */
const MAX_LINES = 1000;
const MAX_LINE_LENGTH = 16 * 1024;

export class CallerLogs {
  readonly offered: boolean;
  /** Of clients of 2025, which set it by a request of its own. */
  readonly #levels = new Map<string, Level>();

  constructor({ capabilities }: Pick<AgentCard, 'capabilities'>) {
    this.offered = capabilities['logging'] === true;
  }

  serve(server: Server, { owner }: Caller): void {
    if (!this.offered) return;
    server.setRequestHandler('logging/setLevel', ({ params }) => {
      // Callers that cannot be distinguished would set it for each other.
      if (owner.shared) return {};
      this.#levels.delete(owner.key);
      this.#levels.set(owner.key, params.level);
      const [oldest] = this.#levels.keys();
      if (oldest !== undefined && this.#levels.size > MAX_LEVELS) this.#levels.delete(oldest);
      return {};
    });
  }

  /** A client of 2025 has asked for the log lines of its calls. */
  wantedBy({ key }: Owner): boolean {
    return this.#levels.has(key);
  }

  /** Only clients that set a level get log messages. */
  reporter({ owner, reads }: Caller, { mcpReq }: ServerContext): (line: string) => void {
    const envelope: Record<string, unknown> | undefined = mcpReq.envelope;
    const minLevel = envelope ? envelope[LOG_LEVEL_META_KEY] : this.#levels.get(owner.key);
    const least = LEVELS.findIndex((level) => level === minLevel);
    let left = this.offered && least >= 0 && reads !== 'json' ? MAX_LINES : 0;
    return (line) => {
      if (left <= 0 || line.length > MAX_LINE_LENGTH) return;
      const { level: name, at: _at, ...data } = JSON.parse(line) as Entry; // written by asLine()
      const level = name === 'warn' ? 'warning' : name;
      if (LEVELS.indexOf(level) < least) return;
      left -= 1;
      void mcpReq.notify({ method: 'notifications/message', params: { level, data } }).catch(() => {});
    };
  }
}
