// Who is next at something scarce: one holder at a time for each run, a limit for all of them, and tenants in
// rotation, so that a tenant with a long queue delays the others by one holder at most. Pure: no clock, no
// promise.

export interface FairOrderLimits {
  /** Holders at the same time. */
  maxConcurrent: number;
  /** Queued, for each run. */
  maxQueuedPerRun: number;
  /** Queued, for all runs of one tenant. */
  maxQueuedPerTenant: number;
}

export interface Holder {
  tenant: string;
  run: string;
}

interface Tenant<T> {
  id: string;
  waiting: number;
  runs: Map<string, Place<T>>;
  /** Its runs that wait and do not hold, in order. */
  ready: Set<Place<T>>;
}

/** Where a run stands. */
export interface Place<T> {
  readonly id: string;
  readonly tenant: Tenant<T>;
  busy: boolean;
  readonly waiting: Set<T>;
}

export class FairOrder<T> {
  readonly #limits: FairOrderLimits;
  readonly #tenants = new Map<string, Tenant<T>>();
  /** Those with a run that is ready, in order. */
  readonly #ready = new Set<Tenant<T>>();
  #active = 0;

  constructor(limits: FairOrderLimits) {
    this.#limits = limits;
  }

  /** Tenants that hold or wait. */
  get tenants(): number {
    return this.#tenants.size;
  }

  get active(): number {
    return this.#active;
  }

  /** Puts `ticket` into the queue; undefined: it is full. */
  join(holder: Holder, ticket: T): Place<T> | undefined {
    const place = this.#placeOf(holder);
    const { tenant } = place;
    if (place.waiting.size >= this.#limits.maxQueuedPerRun || tenant.waiting >= this.#limits.maxQueuedPerTenant) {
      this.#tidy(place);
      return undefined;
    }
    place.waiting.add(ticket);
    tenant.waiting += 1;
    this.#queue(place);
    return place;
  }

  /** The next one for whom there is room; it holds from now on, until `leave`. */
  next(): { ticket: T; place: Place<T> } | undefined {
    while (this.#active < this.#limits.maxConcurrent) {
      const [tenant] = this.#ready;
      if (!tenant) return undefined;
      const [place] = tenant.ready;
      // Behind all others that are ready.
      this.#ready.delete(tenant);
      if (place) tenant.ready.delete(place);
      if (tenant.ready.size > 0) this.#ready.add(tenant);
      if (!place) continue;
      for (const ticket of place.waiting) {
        place.busy = true;
        this.#active += 1;
        this.#forget(place, ticket);
        return { ticket, place };
      }
    }
    return undefined;
  }

  leave(place: Place<T>): void {
    place.busy = false;
    this.#active -= 1;
    this.#queue(place);
    this.#tidy(place);
  }

  /** Takes one that has waited long enough out of the queue. */
  withdraw(place: Place<T>, ticket: T): void {
    this.#forget(place, ticket);
    this.#tidy(place);
  }

  #queue(place: Place<T>): void {
    if (place.busy || place.waiting.size === 0) return;
    place.tenant.ready.add(place);
    this.#ready.add(place.tenant);
  }

  #forget(place: Place<T>, ticket: T): void {
    if (place.waiting.delete(ticket)) place.tenant.waiting -= 1;
    if (place.waiting.size === 0) place.tenant.ready.delete(place);
    if (place.tenant.ready.size === 0) this.#ready.delete(place.tenant);
  }

  #placeOf({ tenant: tenantId, run: id }: Holder): Place<T> {
    let tenant = this.#tenants.get(tenantId);
    if (!tenant) this.#tenants.set(tenantId, (tenant = { id: tenantId, waiting: 0, runs: new Map(), ready: new Set() }));
    let place = tenant.runs.get(id);
    if (!place) tenant.runs.set(id, (place = { id, tenant, busy: false, waiting: new Set() }));
    return place;
  }

  #tidy({ id, tenant, busy, waiting }: Place<T>): void {
    if (!busy && waiting.size === 0) tenant.runs.delete(id);
    if (tenant.runs.size === 0) this.#tenants.delete(tenant.id);
  }
}
