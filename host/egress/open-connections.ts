// A guest's open connections to the outside. What its account's rules no longer allow ends.
import type { Socket } from 'node:net';
import type { Verdict } from './questions.ts';

const ASK_AGAIN_MS = 5_000;
/** Rounds without an answer, after which a connection ends: a platform that restarts costs none. */
const MOST_UNANSWERED = 12;

interface Options {
  ask?: (target: { host: string; port: number }) => Promise<Verdict>;
  askAgainMs?: number;
  onRefusal: (line: string) => void;
}

interface Place {
  host: string;
  port: number;
  sockets: Set<Socket>;
  unanswered: number;
}

export class OpenConnections {
  readonly #places = new Map<string, Place>();
  readonly #options: Options;
  #timer: NodeJS.Timeout | undefined;
  #asking = false;

  constructor(options: Options) {
    this.#options = options;
  }

  add(socket: Socket, { host, port }: { host: string; port: number }): void {
    const key = `${host}:${port}`;
    const place = this.#places.get(key) ?? { host, port, sockets: new Set(), unanswered: 0 };
    this.#places.set(key, place);
    place.sockets.add(socket);
    socket.once('close', () => {
      place.sockets.delete(socket);
      if (place.sockets.size === 0 && this.#places.get(key) === place) this.#places.delete(key);
      if (this.#places.size === 0) this.close();
    });
    if (!this.#options.ask || this.#timer) return;
    this.#timer = setInterval(() => void this.#askAgain(), this.#options.askAgainMs ?? ASK_AGAIN_MS);
    this.#timer.unref();
  }

  end(): void {
    for (const { sockets } of this.#places.values()) for (const socket of sockets) socket.destroy();
  }

  close(): void {
    clearInterval(this.#timer);
    this.#timer = undefined;
  }

  async #askAgain(): Promise<void> {
    if (this.#asking) return;
    this.#asking = true;
    await Promise.all([...this.#places.values()].map((place) => this.#check(place))).finally(() => (this.#asking = false));
  }

  async #check(place: Place): Promise<void> {
    const { host, port, sockets } = place;
    const verdict = (await this.#options.ask?.({ host, port })) ?? { allowed: true };
    place.unanswered = !verdict.allowed && verdict.unanswered ? place.unanswered + 1 : 0;
    if (verdict.allowed || (verdict.unanswered && place.unanswered < MOST_UNANSWERED)) return;
    this.#options.onRefusal(`egress: what was open to ${host}:${port} was ended: ${verdict.reason}`);
    for (const socket of sockets) socket.destroy();
  }
}
