// The moves of an instance between its tiers: one after another, in the order they were asked for.

export class Moves {
  #last: Promise<unknown> = Promise.resolve();
  #underWay = 0;
  #asked = 0;

  /** Whether one is under way or waits for its turn. */
  get underWay(): boolean {
    return this.#underWay > 0;
  }

  /** How many were asked for so far: the same number later means that none has begun meanwhile. */
  get asked(): number {
    return this.#asked;
  }

  run<T>(move: () => Promise<T>): Promise<T> {
    this.#underWay += 1;
    this.#asked += 1;
    const mine = this.#last.then(move).finally(() => (this.#underWay -= 1));
    this.#last = mine.catch(() => undefined);
    return mine;
  }
}

/** Requests that wait for the same move: it is made once for all of them. */
export class SharedMove {
  #move: Promise<void> | undefined;
  #waiting = 0;

  get waiting(): number {
    return this.#waiting;
  }

  /** `move` is called unless one is under way already. */
  async join(move: () => Promise<void>): Promise<void> {
    this.#waiting += 1;
    try {
      this.#move ??= move().finally(() => (this.#move = undefined));
      await this.#move;
    } finally {
      this.#waiting -= 1;
    }
  }
}
