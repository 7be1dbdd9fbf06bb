import { BESIDE_ROUTES } from './beside-routes.ts';
import type { Beside } from './beside.ts';
import { type Client, clientByTable, type ClientOptions } from './client.ts';

/** Typed calls of what is served beside the API that the specification lists. */
export function besideClient(options: ClientOptions): Client<Beside> {
  return clientByTable<Beside>(besideRoutes(), options);
}

// Safe: the table is written from the same groups (stack/contract.ts).
function besideRoutes(): Parameters<typeof clientByTable<Beside>>[0] {
  return BESIDE_ROUTES as Parameters<typeof clientByTable<Beside>>[0];
}
