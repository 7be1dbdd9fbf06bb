// Whom a question may be put to, checked before it is sent: the same here, at the platform and in tests.
import { AskRecipient, MAX_QUESTION_RECIPIENTS } from '../../../contract/wire/context-methods.ts';
import { ORGANIZATION_ROLES } from '../../../contract/states.ts';
import type { Recipient } from '../authoring/context.ts';

/** @throws TypeError */
export function checkRecipient(of: Recipient): void {
  if (AskRecipient.safeParse(of).success) return;
  throw new TypeError(
    `ask: \`of\` is "caller", "owner", { people: 1 to ${MAX_QUESTION_RECIPIENTS} addresses or account ids } or { role: one of ${ORGANIZATION_ROLES.join(', ')} }`,
  );
}
