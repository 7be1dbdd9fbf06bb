// What belongs to one visit: a browser has one. A server that renders pages has one for each request, so that
// no reader gets what another one read.
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

/** How long after a page was taken over its last parts may still be taken over. */
const LAST_PARTS_MS = 10_000;

let browser: Visit | undefined;
let find = (): Visit => (browser ??= { queries: createQueries(), fetch: (...request) => fetch(...request), origin: originOfTab(), now: Date.now });

export const visit = (): Visit => find();

/** For a server: `current` gives the visit of the request that is being answered. */
export function visitsAre(current: () => Visit): void {
  find = current;
}

/**
 * For a browser: the page was rendered at this time, and is shown as of it until it was taken over, however
 * long that takes.
 */
export function renderedAt(time: number): void {
  visit().now = () => time;
  rendered = time;
}

/** Of the page that is still to be taken over. */
let rendered: number | undefined;

/** The page that a server rendered answers here from now on. */
export function pageIsTakenOver(): void {
  if (rendered === undefined) return;
  const [time, until] = [rendered, Date.now() + LAST_PARTS_MS];
  visit().now = () => (Date.now() < until ? time : Date.now());
  rendered = undefined;
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
