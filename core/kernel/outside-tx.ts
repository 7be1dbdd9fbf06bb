// Work that is never waited for inside a transaction, whose connection and locks would be held meanwhile. A
// transaction that needs it is given up, the work is done, and the transaction begins again with the answer.
import { AsyncLocalStorage } from 'node:async_hooks';

type Work = () => Promise<unknown>;

interface Scope {
  answers: Map<string, unknown>;
  wanted: Map<string, Work>;
  /** It has ended: what it left behind is no part of it. */
  over: boolean;
}

const scopes = new AsyncLocalStorage<Scope>();

/** Of one transaction; more different questions than its rows can ask: it asks new ones each time. */
const MAX_ROUNDS = 100;

class BeginAgain extends Error {
  constructor() {
    super('The transaction begins again when its work outside is done');
  }
}

function openScope(): Scope | undefined {
  const scope = scopes.getStore();
  return scope?.over === true ? undefined : scope;
}

/** @param key says what is asked: in one transaction the same key has the same answer */
export async function outsideTx<T>(key: string, work: () => Promise<T>): Promise<T> {
  const scope = openScope();
  if (!scope) return work();
  // Safe: a key stands for one question, and this is where it was asked.
  if (scope.answers.has(key)) return scope.answers.get(key) as T;
  scope.wanted.set(key, work);
  throw new BeginAgain();
}

/** What is made once where the transaction that it is made in begins again; not in one, each time. */
export function onceInTx<T>(key: string, make: () => T): T {
  const answers = openScope()?.answers;
  // Safe: a key stands for what this makes.
  if (answers?.has(key)) return answers.get(key) as T;
  const made = make();
  answers?.set(key, made);
  return made;
}

/**
 * @param attempt is run from its start each time; it calls `check` before it commits, for who took the
 * refusal for an answer
 */
export async function withAnswers<T>(attempt: (check: () => void) => Promise<T>): Promise<T> {
  const answers = new Map<string, unknown>();
  for (let round = 0; ; round += 1) {
    const scope: Scope = { answers, wanted: new Map(), over: false };
    const check = (): void => {
      if (scope.wanted.size > 0) throw new BeginAgain();
    };
    try {
      return await scopes.run(scope, () => attempt(check));
    } catch (error) {
      if (scope.wanted.size === 0 || round >= MAX_ROUNDS) throw error;
    } finally {
      scope.over = true;
    }
    await Promise.all([...scope.wanted].map(async ([key, work]) => void answers.set(key, await work())));
  }
}
