// A part of the data for development: made once, through the API, by the people of the installation.
import { ApiError } from '#contract/client.ts';
import type { Api } from '../person.ts';

/** A skill of an agent that answers. */
export interface Callable {
  agent: string;
  skill: string;
  args: Record<string, unknown>;
}

export interface Cast {
  ada: Api;
  ben: Api;
  operator: Api;
  /** Ada's, public. Absent: what needs an agent that answers is left out. */
  answers?: Callable;
  /** One that asks its caller and waits. */
  asks?: Callable;
}

export interface Scene {
  /** For people. */
  what: string;
  needs?: 'answers' | 'asks';
  isThere(cast: Cast): Promise<boolean>;
  make(cast: Cast): Promise<void>;
}

/** What was made, what was there, and what was left out, in this order. Every scene may be played again. */
export async function play(scenes: readonly Scene[], cast: Cast, print: (line: string) => void): Promise<void> {
  for (const { what, needs, isThere, make } of scenes) {
    if (needs !== undefined && cast[needs] === undefined) print(`  left out   ${what}`);
    else if (await isThere(cast)) print(`  was there  ${what}`);
    else {
      await make(cast).catch((error: unknown) =>
        Promise.reject(new Error(`${what} could not be made: ${error instanceof Error ? error.message : String(error)}`)),
      );
      print(`  made       ${what}`);
    }
  }
}

/** Whether a read finds its record. */
export const exists = (read: Promise<unknown>): Promise<boolean> =>
  read.then(
    () => true,
    (error: unknown) => (error instanceof ApiError && error.status === 404 ? false : Promise.reject(error as Error)),
  );

/** A skill that the cast has: `needs` says so. */
export function called(callable: Callable | undefined): Callable {
  if (!callable) throw new Error('the scene needs an agent that answers, and does not say so');
  return callable;
}
