// Progress of work that takes long: one line that is written again on a terminal, a line a step elsewhere.
import type { Writable } from 'node:stream';
import { stripVTControlCharacters } from 'node:util';

/**
 * Gets lines: a step (`making .venv …`), or what the author's own module prints. `detail`: how far it is,
 * which only a line that is written again shows.
 */
export type Say = (text: string, kind?: 'detail') => void;

export interface Progress {
  say: Say;
  /** The line goes. */
  end: () => void;
}

const WIDTH = 100;
const REDRAW_MS = 1_000;
/** In a log somebody waits for: it says that it still works. */
const STILL_MS = 20_000;

export function progressOn(stream: Writable, terminal: boolean): Progress {
  let [step, detail, since, timer] = ['', '', 0, undefined as NodeJS.Timeout | undefined];
  const state = (): string => {
    const seconds = Math.round((performance.now() - since) / 1000);
    const about = detail === '' ? '' : ` ${detail}`;
    return `${step}${about}`.slice(0, WIDTH) + (seconds < 2 ? '' : ` (${seconds} s)`);
  };
  const draw = (): void => void (step !== '' && stream.write(`\r\u001b[2K${state()}`));
  const clear = (): void => void (terminal && step !== '' && stream.write('\r\u001b[2K'));
  const begin = (text: string): void => {
    [step, detail, since] = [text, '', performance.now()];
    clearInterval(timer);
    timer = setInterval(() => (terminal ? draw() : stream.write(`still ${state()}\n`)), terminal ? REDRAW_MS : STILL_MS).unref();
    if (terminal) draw();
  };
  return {
    say: (text, kind) => {
      const line = text.trimEnd();
      if (kind === 'detail') {
        if (step === '' || line.endsWith(' …')) return void (terminal && begin(line));
        detail = stripVTControlCharacters(line).trim();
        if (terminal) draw();
        return;
      }
      const isStep = line.endsWith(' …') && !line.includes('\n');
      clear();
      if (!terminal || !isStep) stream.write(text);
      if (isStep) begin(line);
      else if (terminal) draw();
    },
    end: () => {
      clearInterval(timer);
      clear();
      step = '';
    },
  };
}

/** The work's own answer, or its error, after the line is gone. */
export async function withProgress<T>({ say, end }: Progress, work: (say: Say) => Promise<T>): Promise<T> {
  try {
    return await work(say);
  } finally {
    end();
  }
}
