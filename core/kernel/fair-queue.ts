// Shares something scarce fairly: one holder at a time for each run, a limit for all of them, and tenants in rotation, so that a tenant with a long
// queue delays the others by one holder at most.
import { TooManyRequests } from './errors.ts';

export interface FairQueueLimits {
  /** Holders at the same time. */
  maxConcurrent: number;
  /** Queued, for each run. */
  maxQueuedPerRun: number;
  /** Queued, for all runs of one tenant. */
  maxQueuedPerTenant: number;
  /** Milliseconds in the queue before a request is refused: shorter than its sender waits for an answer. */
  acquireTimeoutMs: number;
}

export interface Holder {
  tenant: string;
  run: string;
}

interface Tenant {
  id: string;
  waiting: number;
  runs: Map<string, Run>;
  /** Its runs that wait and do not hold, in order. */
  ready: Set<Run>;
}

interface Run {
  id: string;
  tenant: Tenant;
  busy: boolean;
  waiting: Set<() => void>;
}

export class FairQueue {
  readonly #limits: FairQueueLimits;
  readonly #tenants = new Map<string, Tenant>();
  /** Those with a run that is ready, in order. */
  readonly #ready = new Set<Tenant>();
  #active = 0;

  constructor(limits: FairQueueLimits) {
    this.#limits = limits;
  }

  /** Executes `work` once there is room. @throws TooManyRequests run_busy: nothing was done */
  async run<T>(holder: Holder, work: () => Promise<T>): Promise<T> {
    const run = await this.#enter(holder);
    try {
      return await work();
    } finally {
      this.#leave(run);
    }
  }

  /** Tenants that hold or wait. */
  get tenants(): number {
    return this.#tenants.size;
  }

  #enter(holder: Holder): Promise<Run> {
    const run = this.#runOf(holder);
    const { tenant } = run;
    const full = run.waiting.size >= this.#limits.maxQueuedPerRun || tenant.waiting >= this.#limits.maxQueuedPerTenant;
    if (full) {
      this.#tidy(run);
      return Promise.reject(busy());
    }
    return new Promise((resolve, reject) => {
      const late = setTimeout(() => {
        this.#forget(run, begin);
        this.#tidy(run);
        reject(busy());
      }, this.#limits.acquireTimeoutMs);
      const begin = (): void => {
        clearTimeout(late);
        this.#forget(run, begin);
        run.busy = true;
        this.#active += 1;
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
    this.#active -= 1;
    this.#queue(run);
    this.#tidy(run);
    this.#next();
  }

  /** Admits the next ones while there is room. */
  #next(): void {
    while (this.#active < this.#limits.maxConcurrent) {
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

  #runOf({ tenant: tenantId, run: id }: Holder): Run {
    let tenant = this.#tenants.get(tenantId);
    if (!tenant) this.#tenants.set(tenantId, (tenant = { id: tenantId, waiting: 0, runs: new Map(), ready: new Set() }));
    let run = tenant.runs.get(id);
    if (!run) tenant.runs.set(id, (run = { id, tenant, busy: false, waiting: new Set() }));
    return run;
  }

  #tidy({ id, tenant, busy: isBusy, waiting }: Run): void {
    if (!isBusy && waiting.size === 0) tenant.runs.delete(id);
    if (tenant.runs.size === 0) this.#tenants.delete(tenant.id);
  }
}

function busy(): TooManyRequests {
  return new TooManyRequests('run_busy', 'Too many requests of this run, or of its author, wait already: send this again in a moment', {
    retry_after_seconds: 2,
  });
}
