// Every kind of world.
import type { Kind } from '../kind.ts';
import { arena } from './arena.ts';
import { capabilityLifecycle } from './capability-lifecycle.ts';
import { market } from './market.ts';
import { partnership } from './partnership.ts';
import { resourceCompetition } from './resource-competition.ts';
import { school } from './school.ts';
import { tournament } from './tournament.ts';

export const WORLD_KINDS = [
  'market',
  'tournament',
  'school',
  'adversarial_arena',
  'resource_competition',
  'capability_lifecycle',
  'partnership',
] as const;
export type WorldKind = (typeof WORLD_KINDS)[number];

export const KINDS: Readonly<Record<WorldKind, Kind>> = {
  market,
  tournament,
  school,
  adversarial_arena: arena,
  resource_competition: resourceCompetition,
  capability_lifecycle: capabilityLifecycle,
  partnership,
};
