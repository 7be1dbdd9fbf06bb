// Work that schemas and patterns of an account decide: in two threads, one task of an account at a time,
// under one budget of each account.
import { AsyncLocalStorage } from 'node:async_hooks';
import { fairThreads } from '../fair-threads.ts';
import { outsideTx } from '../outside-tx.ts';
import { TASKS } from './tasks.ts';

type Tasks = typeof TASKS;
type Name = keyof Tasks;
type Input<N extends Name> = Parameters<Tasks[N]>[0];
type Output<N extends Name> = ReturnType<Tasks[N]>;

/** Both ways as JSON: a structured copy of many small objects takes the loop ten times as long. */
export interface SchemaTask {
  name: Name;
  input: string;
}
export interface Answered {
  /** Undefined: so is the value. */
  value: string | undefined;
  /** What the task threw: the schema is its author's. */
  failed?: string;
}

const threads = fairThreads<SchemaTask, Answered>('The thread that reads schemas', new URL('./thread.ts', import.meta.url), {
  threads: 2,
  pieceMs: 250,
  waitingOfAccount: 500,
});
export const schemaWorkCounts = threads.counts;

interface StandIn {
  /** A disposable account. */
  account: string;
  /** Whose schemas they are. */
  author: string;
}
const standIns = new AsyncLocalStorage<StandIn>();

/**
 * While `work` lasts, what the schemas of the account take counts against their author: an account that is
 * made for it would have a budget of its own.
 */
export function chargingAuthor<T>(standIn: StandIn, work: () => T): T {
  return standIns.run(standIn, work);
}

function chargedAccount(author: string): string {
  const standIn = standIns.getStore();
  return standIn?.account === author ? standIn.author : author;
}

/** What can take more than linear time, and what is large, is read in a thread; most tasks are neither. */
const MAX_HERE = 16_384;
const SLOW = /"(?:pattern|patternProperties|\$ref|\$dynamicRef|\$recursiveRef|anyOf|oneOf|allOf|uniqueItems|format)":/;

/** A YAML mapping takes the square of its length. */
const NEVER_HERE: ReadonlySet<Name> = new Set(['yaml']);

/** Said of a schema, or of a task with all that it is given. */
export function isQuick(input: unknown): boolean {
  return isQuickText(JSON.stringify(input));
}

const isQuickText = (text: string): boolean => text.length <= MAX_HERE && !SLOW.test(text);

/**
 * Never waited for inside a transaction: that begins again with the answer.
 * Undefined: it took too long or failed, or its author's tasks have taken too long before.
 * @param author whose schema or pattern it is: an account, or the name of an agent; never who calls or
 * answers
 */
export async function schemaWork<N extends Name>(author: string, name: N, input: Input<N>): Promise<{ value: Output<N> } | undefined> {
  const text = JSON.stringify(input);
  // Safe: a name is paired with its own input and output by the signature.
  if (!NEVER_HERE.has(name) && isQuickText(text)) return attempt(() => (TASKS[name] as (given: Input<N>) => Output<N>)(input));
  const answer = await outsideTx(`${author} ${name} ${text}`, () => threads.tryAsk(chargedAccount(author), { name, input: text }));
  if (answer === undefined || answer.failed !== undefined) return undefined;
  return { value: (answer.value === undefined ? undefined : JSON.parse(answer.value)) as Output<N> };
}

function attempt<T>(work: () => T): { value: T } | undefined {
  try {
    return { value: work() };
  } catch {
    return undefined;
  }
}
