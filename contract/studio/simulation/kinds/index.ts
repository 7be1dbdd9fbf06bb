// Every kind of world.
import type { WorldKind } from '../../../states.ts';
import type { Kind } from '../kind.ts';
import { arena } from './arena.ts';
import { capabilityLifecycle } from './capability-lifecycle.ts';
import { market } from './market.ts';
import { partnership } from './partnership.ts';
import { resourceCompetition } from './resource-competition.ts';
import { school } from './school.ts';
import { tournament } from './tournament.ts';

export const KINDS: Readonly<Record<WorldKind, Kind>> = {
  market,
  tournament,
  school,
  adversarial_arena: arena,
  resource_competition: resourceCompetition,
  capability_lifecycle: capabilityLifecycle,
  partnership,
};
