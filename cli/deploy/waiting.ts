// The wait for a builder: where in the line, and for how long. On a terminal one line that counts; elsewhere a line for each change.
import type { Output } from '../output.ts';

export interface Waiting {
  at(place: number): void;
  /** Idempotent. */
  end(): void;
}

const ERASE_LINE = '\r\u001b[K';

export function createWaiting(output: Output, now: () => number = Date.now): Waiting {
  let began: number | undefined;
  let place = 0;
  let timer: NodeJS.Timeout | undefined;
  const seconds = (): number => Math.round((now() - (began ?? now())) / 1000);
  const line = (): string => `waiting for a builder (${ordinal(place)} in line), ${seconds()} s`;
  const redraw = (): void => output.raw(`${ERASE_LINE}${output.dim(`○ ${line()}`)}`);
  return {
    at(next) {
      began ??= now();
      place = next;
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

function ordinal(n: number): string {
  const ending = n % 100 >= 11 && n % 100 <= 13 ? 'th' : (['th', 'st', 'nd', 'rd'][n % 10] ?? 'th');
  return `${n}${ending}`;
}
