// Questions to the platform before a guest's connection opens: whether the account's rules let this guest
// reach that host. The platform fetches the questions and brings the answers. A question without an answer is
// refused.
import { randomUUID } from 'node:crypto';
import type { NetworkExchange, NetworkQuestion } from '#drivers/runtime/port.ts';

/** An answer holds for so long for the next connection of the same guest to the same place. */
const BELIEVED_MS = 2_000;
const PATIENCE_MS = 10_000;
/** A worker that took a question and died: another one is given it. */
const TAKEN_MS = 3_000;
const MOST_OPEN = 2_000;
const MOST_OF_GUEST = 64;
const MAX_VERDICTS = 10_000;
const MAX_QUESTIONS_PER_EXCHANGE = 100;

/** `unanswered`: refused because there was no answer. */
export type Verdict = { allowed: true } | { allowed: false; reason: string; unanswered?: true };

export interface QuestionBook {
  ask(of: Omit<NetworkQuestion, 'question_id'>): Promise<Verdict>;
  /** Resolves when there is something to answer, or after `wait_ms`. */
  exchange(i: NetworkExchange, signal?: AbortSignal): Promise<NetworkQuestion[]>;
}

interface QuestionOptions {
  asking?: boolean;
  now?: () => number;
  patienceMs?: number;
}

interface Open {
  question: NetworkQuestion;
  key: string;
  answer: Promise<Verdict>;
  settle(verdict: Verdict): void;
  takenAt: number | undefined;
}

/** `asking`: until the platform says otherwise. */
export function createQuestionBook({ asking = true, now = () => performance.now(), patienceMs = PATIENCE_MS }: QuestionOptions = {}): QuestionBook {
  const open = new Map<string, Open>();
  const byKey = new Map<string, Open>();
  const verdicts = new Map<string, { verdict: Verdict; until: number }>();
  const waiting = new Set<() => void>();

  function begin(of: Omit<NetworkQuestion, 'question_id'>, key: string): Open {
    const { promise, resolve } = Promise.withResolvers<Verdict>();
    const one: Open = { question: { ...of, question_id: randomUUID() }, key, answer: promise, takenAt: undefined, settle };
    const timer = setTimeout(() => settle(unanswered(of)), patienceMs);
    timer.unref();
    function settle(verdict: Verdict): void {
      clearTimeout(timer);
      open.delete(one.question.question_id);
      byKey.delete(key);
      if (!('unanswered' in verdict)) keep(key, verdict);
      resolve(verdict);
    }
    open.set(one.question.question_id, one);
    byKey.set(key, one);
    for (const wake of waiting) wake();
    return one;
  }

  function keep(key: string, verdict: Verdict): void {
    verdicts.delete(key);
    const oldest = verdicts.size >= MAX_VERDICTS ? verdicts.keys().next().value : undefined;
    if (oldest !== undefined) verdicts.delete(oldest);
    verdicts.set(key, { verdict, until: now() + BELIEVED_MS });
  }

  function untaken(): Open[] {
    return [...open.values()].filter(({ takenAt }) => takenAt === undefined || now() - takenAt >= TAKEN_MS).slice(0, MAX_QUESTIONS_PER_EXCHANGE);
  }

  return {
    async ask(of) {
      if (!asking) return { allowed: true };
      const key = JSON.stringify([of.guest, of.host, of.port]);
      const known = verdicts.get(key);
      if (known && known.until > now()) return known.verdict;
      const same = byKey.get(key);
      if (same) return same.answer;
      const own = [...open.values()].filter(({ question }) => question.guest === of.guest).length;
      if (open.size >= MOST_OPEN || own >= MOST_OF_GUEST) return unanswered(of);
      return begin(of, key).answer;
    },
    async exchange({ ask, answers, wait_ms }, signal) {
      asking = ask;
      if (!ask) verdicts.clear();
      for (const { question_id, allowed, reason } of answers) open.get(question_id)?.settle(allowed ? { allowed } : { allowed, reason });
      if (!ask) for (const one of open.values()) one.settle({ allowed: true });
      if (untaken().length === 0 && wait_ms > 0 && signal?.aborted !== true) await another(wait_ms, signal);
      // The platform has disconnected meanwhile: it can answer nothing.
      if (signal?.aborted === true) return [];
      return untaken().map((one) => {
        one.takenAt = now();
        return one.question;
      });
    },
  };

  function another(waitMs: number, signal: AbortSignal | undefined): Promise<void> {
    return new Promise((resolve) => {
      const done = (): void => {
        clearTimeout(timer);
        waiting.delete(done);
        signal?.removeEventListener('abort', done);
        resolve();
      };
      const timer = setTimeout(done, waitMs);
      waiting.add(done);
      signal?.addEventListener('abort', done, { once: true });
    });
  }
}

function unanswered({ host, port }: { host: string; port: number }): Verdict {
  return { allowed: false, reason: `${host}:${port} is refused: whether the account's rules allow it could not be asked. Try again.`, unanswered: true };
}
