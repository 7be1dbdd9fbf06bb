import type { HttpVisit, Ready, Step } from './step.ts';

/** What a dev box serves is its owner's own: nothing in it is a call. */
export function createDevBox(pass: Step<HttpVisit & Ready>): Step<HttpVisit & Ready> {
  return (visit) => (visit.route.box ? pass(visit) : undefined);
}
