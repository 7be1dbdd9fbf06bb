// Whom a question may be put to where there is no organization to look at: the people that a test, or an
// author, names.
import type { Recipient } from '../authoring/context.ts';
import { NobodyToAsk } from '../authoring/errors.ts';
import type { RunIdentity } from '../runtime/platform.ts';
import type { LocalOptions, LocalPerson } from './local.ts';

/** As the platform: at once, before anybody is asked. @throws NobodyToAsk */
export function requireRecipient({ people, apart }: Pick<LocalOptions, 'people' | 'apart'>, { owner }: Pick<RunIdentity, 'owner'>, of: Recipient): void {
  if (of === 'owner') return;
  if (of === 'caller') {
    if (apart === true && owner === '') throw new NobodyToAsk();
  } else if (people !== undefined) requireOf(people, owner, of);
}

function requireOf(people: readonly LocalPerson[], caller: string | undefined, of: Exclude<Recipient, string>): void {
  const is = ({ id, email }: LocalPerson, name: string | undefined): boolean =>
    name !== undefined && (id === name || email.toLowerCase() === name.toLowerCase());
  if ('role' in of) {
    // Who began the run does not answer what a role is asked.
    if (!people.some((one) => one.role === of.role && !is(one, caller))) throw new NobodyToAsk(`nobody but the caller has the role ${of.role}`);
    return;
  }
  const unknown = of.people.filter((name) => people.filter((one) => is(one, name)).length !== 1);
  if (unknown.length > 0) throw new NobodyToAsk(`cannot be asked: ${unknown.join(', ')}`);
}
