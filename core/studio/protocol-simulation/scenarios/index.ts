// The scenarios of the product, in the order they are shown.
import type { ProtocolScenario, ProtocolSuite } from '#contract/studio/protocol-steps.ts';
import { badInput } from './bad-input.ts';
import { cancelledCaller } from './cancelled-caller.ts';
import { childScope } from './child-scope.ts';
import { criticalFinding } from './critical-finding.ts';
import { deletionCascade } from './deletion-cascade.ts';
import { expiredGrant } from './expired-grant.ts';
import { forkTrust } from './fork-trust.ts';
import { lostHeartbeat } from './lost-heartbeat.ts';
import { redaction } from './redaction.ts';
import { replayDeterminism } from './replay-determinism.ts';
import { revocationRace } from './revocation-race.ts';
import { runawayRecursion } from './runaway-recursion.ts';
import { scopeUnion } from './scope-union.ts';
import { unknownSkill } from './unknown-skill.ts';
import { wrongAudience } from './wrong-audience.ts';

export const SCENARIOS: readonly ProtocolScenario[] = [
  childScope,
  scopeUnion,
  revocationRace,
  runawayRecursion,
  expiredGrant,
  wrongAudience,
  unknownSkill,
  badInput,
  cancelledCaller,
  lostHeartbeat,
  criticalFinding,
  forkTrust,
  deletionCascade,
  replayDeterminism,
  redaction,
];

export const CORE_SUITE: ProtocolSuite = { scenarios: [...SCENARIOS] };
