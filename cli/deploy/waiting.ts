// The wait for a builder: where in the line, and for how long. On a terminal one line that counts; elsewhere
// a line for each change.
import { type BuildLine, lineText } from '#contract/deploys/build-line.ts';
import type { Output } from '../lib/output.ts';

export interface Waiting {
  at(line: BuildLine): void;
  /** Idempotent. */
  end(): void;
}

const ERASE_LINE = '\r\u001b[K';

export function createWaiting(output: Output, now: () => number = Date.now): Waiting {
  let began: number | undefined;
  let where = '';
  let nearest = Infinity;
  let timer: NodeJS.Timeout | undefined;
  const seconds = (): number => Math.round((now() - (began ?? now())) / 1000);
  const line = (): string => `waiting for a builder (${where}), ${seconds()} s so far`;
  const redraw = (): void => output.raw(`${ERASE_LINE}${output.dim(`○ ${line()}`)}`);
  return {
    at(next) {
      began ??= now();
      // The line may be reordered behind its back: a person sees a place only fall.
      nearest = Math.min(nearest, next.place ?? Infinity);
      where = lineText(nearest === Infinity ? next : { ...next, place: nearest });
      if (!output.interactive) return output.note(output.dim(`○ ${line()}`));
      redraw();
      timer ??= setInterval(redraw, 1000);
    },
    end() {
      if (began === undefined) return;
      clearInterval(timer);
      timer = undefined;
      if (output.interactive) output.raw(ERASE_LINE);
      output.note(output.dim(`○ waited ${seconds()} s for a builder`));
      began = undefined;
    },
  };
}
