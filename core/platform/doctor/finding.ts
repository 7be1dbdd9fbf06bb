// What a look at one part of an installation says of it.
import type { Finding } from '#contract/platform/doctor.ts';

export type PartName = Finding['part'];

export interface Reporter {
  ok(text: string): Finding;
  warning(text: string, remedy: string): Finding;
  problem(text: string, remedy: string): Finding;
}

export function reporter(part: PartName): Reporter {
  return {
    ok: (text) => ({ part, state: 'ok', text, remedy: null }),
    warning: (text, remedy) => ({ part, state: 'warning', text, remedy }),
    problem: (text, remedy) => ({ part, state: 'problem', text, remedy }),
  };
}

/** The first line of what went wrong, without the stop at its end. */
export function reasonOf(error: unknown): string {
  const text = error instanceof Error ? error.message || error.name : String(error);
  return (text.split('\n')[0] ?? '').slice(0, 200).replace(/[.\s]+$/, '');
}
