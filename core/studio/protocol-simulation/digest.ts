// Names what happened: the same protocol and seed over the same code give the same digest, wherever and
// whenever it ran.
import { createHash } from 'node:crypto';
import type { ProtocolEventOut } from '#contract/studio/protocol-simulations.ts';
import type { ProtocolSuite } from '#contract/studio/protocol-steps.ts';
import { canonicalJson } from '#contract/wire/canonical.ts';

export interface DigestedScenario {
  scenario: string;
  seed: number;
  state: string;
  events: readonly ProtocolEventOut[];
}

export function suiteDigest(suite: ProtocolSuite): string {
  return sha256(suite);
}

export function scenarioDigest({ scenario, seed, state, events }: DigestedScenario): string {
  return sha256({ scenario, seed, state, events });
}

export function simulationDigest(of: {
  protocol: { id: string; version: string; suite_digest: string };
  seed: number;
  scenarios: readonly DigestedScenario[];
}): string {
  return sha256({ ...of, scenarios: of.scenarios.map(({ scenario, seed, state, events }) => ({ scenario, seed, state, events })) });
}

function sha256(value: unknown): string {
  return createHash('sha256').update(canonicalJson(value)).digest('hex');
}
