// The decision about a mail that came: run the agent, keep it without running, or refuse it.
// docs/operating.md shows this table.
import type { MailSkipReason } from '#contract/states.ts';
import type { Refusal, Verdict } from '#drivers/mail/port.ts';

export type MailDecision = { do: 'run' } | { do: 'keep'; why: MailSkipReason } | { do: 'refuse'; why: MailSkipReason; refusal: Refusal };

export interface MailDecisionFacts {
  verdict: Verdict;
  /** A program wrote it, or it is a report. */
  automatic: boolean;
  /** Addresses and `@domains`, in lower case, that may write: those set, those declared and the owner. */
  allowed: readonly string[];
}

/** For the whole mail, whomever it is to; undefined: it is taken, and decided about for each mailbox. */
export function refusalFor({ from, dmarc, policy, authenticated }: Verdict): Refusal | undefined {
  if (dmarc === 'temperror') return { code: 451, message: '4.7.0 The sender could not be verified now: try again later' };
  if (from === undefined) return { code: 550, message: '5.6.0 From must hold exactly one address of ASCII characters' };
  if (!authenticated && dmarc === 'fail' && policy === 'reject')
    return { code: 550, message: '5.7.26 The domain in From has such mail refused (DMARC p=reject)' };
  return undefined;
}

/** After refusalFor. */
export function decideMail({ verdict, automatic, allowed }: MailDecisionFacts): Exclude<MailDecision, { do: 'refuse' }> {
  const { from, authenticated, dmarc, policy } = verdict;
  if (!authenticated) return { do: 'keep', why: dmarc === 'fail' && policy === 'quarantine' ? 'dmarc_quarantine' : 'not_authenticated' };
  if (from === undefined || !isSenderAllowed(from, allowed)) return { do: 'keep', why: 'sender_not_allowed' };
  return automatic ? { do: 'keep', why: 'automatic' } : { do: 'run' };
}

/** A domain allows its own addresses, not those of domains below it. */
export function isSenderAllowed(from: string, allowed: readonly string[]): boolean {
  return allowed.includes(from) || allowed.includes(from.slice(from.lastIndexOf('@')));
}
