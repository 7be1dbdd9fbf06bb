// What a call has streamed so far, for its caller to see in another window, and once it has ended. Bounded:
// the newest text is kept.
import type { StreamedEvent } from '#contract/wire/event-stream.ts';

const MAX_TEXT = 65_536;
/** Of one event; what is longer is passed on, not read here. */
const MAX_DATA = 131_072;
const MAX_MESSAGE = 500;

export interface Progress {
  message: string;
  progress: number | null;
  total: number | null;
}

export class Streamed {
  text = '';
  progress: Progress | null = null;
  /** Rises with whatever is said. */
  version = 0;
  /** Its input was written while it ran. */
  isOpen = false;
  #timer: NodeJS.Timeout | undefined;

  /** `look` comes after each such time until the call ends. */
  watch(everyMs: number, look: () => void): void {
    this.#timer = setInterval(look, everyMs);
    this.#timer.unref();
  }

  end(): void {
    clearInterval(this.#timer);
  }

  take({ event, data }: StreamedEvent): void {
    if ((event !== 'text_delta' && event !== 'progress') || data.length > MAX_DATA) return;
    const payload = payloadOf(data);
    if (event === 'text_delta' && typeof payload['text'] === 'string') this.text = `${this.text}${payload['text']}`.slice(-MAX_TEXT);
    if (event === 'progress')
      this.progress = {
        message: typeof payload['message'] === 'string' ? payload['message'].slice(0, MAX_MESSAGE) : '',
        progress: numberOf(payload['progress']),
        total: numberOf(payload['total']),
      };
    this.version += 1;
  }
}

function numberOf(value: unknown): number | null {
  return typeof value === 'number' && Number.isFinite(value) ? value : null;
}

function payloadOf(data: string): Record<string, unknown> {
  try {
    const value: unknown = JSON.parse(data);
    const payload = typeof value === 'object' && value !== null && 'payload' in value ? value.payload : undefined;
    return typeof payload === 'object' && payload !== null ? { ...payload } : {};
  } catch {
    return {};
  }
}
