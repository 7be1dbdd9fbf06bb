// Turns before something scarce is taken: one at a time for each run, a share of it for all of them, and tenants one after the other, so that
// however much one of them sends, the next one's waits for a single turn.
import { TooManyRequests } from './errors.ts';

export interface TurnLimits {
  /** Turns that go on at the same time. */
  atOnce: number;
  /** Of one run, waiting. */
  waiting: number;
  /** Of all runs of one tenant, waiting. */
  tenantWaiting: number;
  /** How long one waits before it is sent away, milliseconds: shorter than its sender waits for an answer. */
  patienceMs: number;
}

export interface Whose {
  tenant: string;
  run: string;
}

interface Tenant {
  id: string;
  waiting: number;
  runs: Map<string, Run>;
  /** Its runs that wait and have no turn now, in order. */
  ready: Set<Run>;
}

interface Run {
  id: string;
  tenant: Tenant;
  busy: boolean;
  waiting: Set<() => void>;
}

export class Turns {
  readonly #limits: TurnLimits;
  readonly #tenants = new Map<string, Tenant>();
  /** Those with a run that is ready, in order. */
  readonly #ready = new Set<Tenant>();
  #going = 0;

  constructor(limits: TurnLimits) {
    this.#limits = limits;
  }

  /** Does `work` when its turn comes. @throws TooManyRequests run_busy: nothing was done */
  async take<T>(whose: Whose, work: () => Promise<T>): Promise<T> {
    const run = await this.#enter(whose);
    try {
      return await work();
    } finally {
      this.#leave(run);
    }
  }

  /** How many tenants have or await a turn. */
  get tenants(): number {
    return this.#tenants.size;
  }

  #enter(whose: Whose): Promise<Run> {
    const run = this.#runOf(whose);
    const { tenant } = run;
    const full = run.waiting.size >= this.#limits.waiting || tenant.waiting >= this.#limits.tenantWaiting;
    if (full) {
      this.#tidy(run);
      return Promise.reject(busy());
    }
    return new Promise((resolve, reject) => {
      const late = setTimeout(() => {
        this.#forget(run, begin);
        this.#tidy(run);
        reject(busy());
      }, this.#limits.patienceMs);
      const begin = (): void => {
        clearTimeout(late);
        this.#forget(run, begin);
        run.busy = true;
        this.#going += 1;
        resolve(run);
      };
      run.waiting.add(begin);
      tenant.waiting += 1;
      this.#queue(run);
      this.#next();
    });
  }

  #leave(run: Run): void {
    run.busy = false;
    this.#going -= 1;
    this.#queue(run);
    this.#tidy(run);
    this.#next();
  }

  /** Gives turns away as long as there are any. */
  #next(): void {
    while (this.#going < this.#limits.atOnce) {
      const [tenant] = this.#ready;
      if (!tenant) return;
      const [run] = tenant.ready;
      const [begin] = run?.waiting ?? [];
      // Behind all others that are ready.
      this.#ready.delete(tenant);
      if (run) tenant.ready.delete(run);
      begin?.();
      if (tenant.ready.size > 0) this.#ready.add(tenant);
    }
  }

  #queue(run: Run): void {
    if (run.busy || run.waiting.size === 0) return;
    run.tenant.ready.add(run);
    this.#ready.add(run.tenant);
  }

  #forget(run: Run, begin: () => void): void {
    if (run.waiting.delete(begin)) run.tenant.waiting -= 1;
    if (run.waiting.size === 0) run.tenant.ready.delete(run);
    if (run.tenant.ready.size === 0) this.#ready.delete(run.tenant);
  }

  #runOf({ tenant: tenantId, run: id }: Whose): Run {
    let tenant = this.#tenants.get(tenantId);
    if (!tenant) this.#tenants.set(tenantId, (tenant = { id: tenantId, waiting: 0, runs: new Map(), ready: new Set() }));
    let run = tenant.runs.get(id);
    if (!run) tenant.runs.set(id, (run = { id, tenant, busy: false, waiting: new Set() }));
    return run;
  }

  #tidy({ id, tenant, busy: going, waiting }: Run): void {
    if (!going && waiting.size === 0) tenant.runs.delete(id);
    if (tenant.runs.size === 0) this.#tenants.delete(tenant.id);
  }
}

function busy(): TooManyRequests {
  return new TooManyRequests('run_busy', 'Too many requests of this run, or of its author, wait for their turn: send this again in a moment', {
    retry_after_seconds: 2,
  });
}
