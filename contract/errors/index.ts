// Every error code, once. An agent's own codes (emitError, a skill's refusal) are free text and never appear
// here.
import { agentErrors } from './agent.ts';
import { agentsErrors } from './agents.ts';
import { callsErrors } from './calls.ts';
import { evidenceErrors } from './evidence.ts';
import { faultsErrors } from './faults.ts';
import { identityErrors } from './identity.ts';
import { moneyErrors } from './money.ts';
import { orgsErrors } from './orgs.ts';
import { policyErrors } from './policy.ts';
import { platformErrors } from './platform.ts';
import { runsErrors } from './runs.ts';
import { scimErrors } from './scim.ts';
import { studioErrors } from './studio.ts';
import { workspaceErrors } from './workspace.ts';
import type { ErrorEntry } from './kit.ts';

export const ERROR_LISTS = {
  agent: agentErrors,
  identity: identityErrors,
  agents: agentsErrors,
  calls: callsErrors,
  runs: runsErrors,
  workspace: workspaceErrors,
  evidence: evidenceErrors,
  money: moneyErrors,
  studio: studioErrors,
  orgs: orgsErrors,
  scim: scimErrors,
  policy: policyErrors,
  platform: platformErrors,
  faults: faultsErrors,
};

export const ERRORS = {
  ...agentErrors,
  ...identityErrors,
  ...agentsErrors,
  ...callsErrors,
  ...runsErrors,
  ...workspaceErrors,
  ...evidenceErrors,
  ...moneyErrors,
  ...studioErrors,
  ...orgsErrors,
  ...scimErrors,
  ...policyErrors,
  ...platformErrors,
  ...faultsErrors,
};
export type ErrorCode = keyof typeof ERRORS;

/** The codes of one status. */
export type CodeOf<S extends ErrorEntry['status']> = { [C in ErrorCode]: (typeof ERRORS)[C]['status'] extends S ? C : never }[ErrorCode];

/** Some of them: what a driver may answer. A code that is not in the list does not compile. */
export type CodesAmong<C extends ErrorCode> = C;

export function isErrorCode(code: string): code is ErrorCode {
  return Object.hasOwn(ERRORS, code);
}
