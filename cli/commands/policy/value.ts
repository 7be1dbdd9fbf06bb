// One member of the policy as it is given on a command line, and as it is shown there.
import { DEFAULT_POLICY, type ControlRoomPolicy, type ControlRoomPolicyOut } from '#contract/overview/control-room.ts';
import { UsageError } from '../../lib/errors.ts';

type Member = keyof ControlRoomPolicy;

// Safe: an object's own names are its keys.
const MEMBERS = Object.keys(DEFAULT_POLICY) as Member[];

/**
 * `member=value`: a number, `true` or `false`, `none` for no budget, names with commas between. @throws
 * UsageError
 */
export function change(pair: string): Partial<ControlRoomPolicy> {
  const at = pair.indexOf('=');
  const member = MEMBERS.find((name) => name === pair.slice(0, at));
  if (at < 0 || member === undefined) throw new UsageError(`Write each change as MEMBER=VALUE, not "${pair}". The members are: ${MEMBERS.join(', ')}.`);
  return { [member]: valueOf(member, pair.slice(at + 1).trim()) };
}

function valueOf(member: Member, text: string): unknown {
  const like = DEFAULT_POLICY[member];
  if (Array.isArray(like)) return text === '' || text === 'none' ? [] : text.split(',').map((name) => name.trim());
  if (typeof like === 'boolean') {
    if (text === 'true' || text === 'false') return text === 'true';
    throw new UsageError(`${member} is true or false, not "${text}".`);
  }
  if (like === null && (text === 'none' || text === 'null')) return null;
  if (/^\d{1,9}$/.test(text)) return Number(text);
  throw new UsageError(`${member} is a whole number${member.endsWith('_cents') ? ' of cents' : ''}${like === null ? ', or none' : ''}, not "${text}".`);
}

export function policyRows(policy: ControlRoomPolicyOut): string[][] {
  return MEMBERS.map((member) => [member, shown(member, policy[member])]);
}

function shown(member: Member, value: ControlRoomPolicy[Member]): string {
  if (value === null) return 'none';
  if (Array.isArray(value)) return value.length === 0 ? 'none' : value.join(', ');
  return member.endsWith('_cents') ? `${String(value)} (${cents(Number(value))})` : String(value);
}

function cents(amount: number): string {
  return `$${Math.trunc(amount / 100)}.${String(amount % 100).padStart(2, '0')}`;
}
