// A test that proves what the specification says of a route cites the route; coverage.test.ts lists what nobody cites.
import { test } from 'vitest';
import type { Contract } from '../../contract/index.ts';

type RouteId = { [G in keyof Contract & string]: `${G}.${keyof Contract[G] & string}` }[keyof Contract & string];

/** `verifies('agents.mine', 'lists only the caller\'s', async () => …)` */
export function verifies(route: RouteId, sentence: string, prove: () => Promise<void> | void): void {
  test(`[${route}] ${sentence}`, prove);
}
