// What belongs to one visit: a browser has one. A server that renders pages has one for each request, so that no reader gets what another one read.
import { QueryClient } from '@tanstack/react-query';
import { ApiError } from '#contract/client.ts';

export interface Visit {
  queries: QueryClient;
  fetch: typeof fetch;
  /** Where the API is: https://svc.example.com */
  origin: string;
  /** Milliseconds since the epoch. A page that a server rendered is taken over as of the same time. */
  now(): number;
}

/** How long a browser may take until it has taken over all of a page. */
const TAKING_OVER_MS = 10_000;

let browser: Visit | undefined;
let find = (): Visit => (browser ??= { queries: createQueries(), fetch: (...request) => fetch(...request), origin: originOfTab(), now: Date.now });

export const visit = (): Visit => find();

/** For a server: `current` gives the visit of the request that is being answered. */
export function visitsAre(current: () => Visit): void {
  find = current;
}

/** For a browser: the page was rendered at this time. */
export function renderedAt(time: number): void {
  const until = Date.now() + TAKING_OVER_MS;
  visit().now = () => (Date.now() < until ? time : Date.now());
}

/** Milliseconds since the epoch, for what a page shows. */
export const now = (): number => visit().now();

function createQueries(): QueryClient {
  return new QueryClient({
    defaultOptions: {
      queries: {
        staleTime: 5_000,
        gcTime: 15 * 60_000,
        // What the API refuses it refuses again; what did not arrive may arrive.
        retry: (count, error) => !(error instanceof ApiError && error.status < 500) && count < 3,
      },
    },
  });
}

// Safe: each browser has it. What is pure is also compiled, and tested, where there is none.
function originOfTab(): string {
  return (globalThis as unknown as { location?: { origin: string } }).location?.origin ?? '';
}
