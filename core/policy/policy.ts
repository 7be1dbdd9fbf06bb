// An account's fixed policy, as its row has it.
import { DEFAULT_POLICY, type ControlRoomPolicy } from '#contract/overview/control-room.ts';
import { canonicalSha256 } from '#contract/crypto/sha256.ts';
import type { ControlRoomPoliciesRow } from '#db/tables.ts';

export interface SetPolicy {
  policy: ControlRoomPolicy;
  version: number;
  /** Of the policy as canonical JSON. */
  sha256: string;
}

// Safe: an object's own names are its keys.
const MEMBERS = Object.keys(DEFAULT_POLICY) as (keyof ControlRoomPolicy)[];

export function policyOfRow(row: ControlRoomPoliciesRow): SetPolicy {
  const policy = Object.fromEntries(MEMBERS.map((name) => [name, row[name]])) as ControlRoomPolicy; // Safe: the row has a column of each member's type.
  return { policy, version: row.version, sha256: sha256OfPolicy(policy) };
}

export function sha256OfPolicy(policy: ControlRoomPolicy): string {
  return canonicalSha256(policy);
}

export interface MemberChange {
  member: keyof ControlRoomPolicy;
  before: unknown;
  after: unknown;
  /** Runs may do more than before. */
  loosened: boolean;
}

/** `before` undefined: nothing was set, so that whatever is set now is stricter. */
export function changesBetween(before: ControlRoomPolicy | undefined, after: ControlRoomPolicy): MemberChange[] {
  return MEMBERS.flatMap((member) => {
    const [was, is] = [before?.[member] ?? null, after[member]];
    if (before && JSON.stringify(was) === JSON.stringify(is)) return [];
    return [{ member, before: was, after: is, loosened: before !== undefined && isLooser(member, before, after) }];
  });
}

function isLooser(member: keyof ControlRoomPolicy, before: ControlRoomPolicy, after: ControlRoomPolicy): boolean {
  if (member === 'approved_agents') return after.approved_agents.some((name) => !before.approved_agents.includes(name));
  const [was, is] = [before[member], after[member]];
  if (typeof was === 'boolean') return was && is === false;
  // A removed budget lets more through than any budget.
  return Number(is ?? Infinity) > Number(was ?? Infinity);
}
