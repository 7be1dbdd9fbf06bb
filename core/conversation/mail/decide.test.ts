// The decision table of docs/operating.md, line by line: what is known of a mail, and what happens to it.
import { expect, test } from 'vitest';
import type { Verdict } from '#drivers/mail/port.ts';
import { decideMail, isSenderAllowed, refusalFor } from './decide.ts';

const eve = 'eve@friend.example';
const passed: Verdict = { from: eve, spf: 'pass', dkim: 'pass', dmarc: 'pass', policy: 'reject', arc: 'none', authenticated: true };
const failed = (policy: Verdict['policy']): Verdict => ({ ...passed, spf: 'fail', dkim: 'fail', dmarc: 'fail', policy, authenticated: false });
const none: Verdict = { ...passed, spf: 'none', dkim: 'none', dmarc: 'none', policy: 'none', authenticated: false };
const sealed: Verdict = { ...failed('reject'), arc: 'pass', authenticated: true };
const friends = [eve];

test.each([
  ['name servers do not answer', { ...passed, dmarc: 'temperror', authenticated: false }, 451],
  ['no sender, or two', { ...passed, from: undefined }, 550],
  ['DMARC fails, p=reject', failed('reject'), 550],
  ['DMARC fails, p=quarantine', failed('quarantine'), undefined],
  ['DMARC fails, p=none', failed('none'), undefined],
  ['no DMARC record', none, undefined],
  ['DMARC fails, and a trusted forwarder says it passed', sealed, undefined],
  ['DMARC passes', passed, undefined],
] satisfies [string, Verdict, number | undefined][])('at the door: %s', (_case, verdict, code) => {
  expect(refusalFor(verdict)?.code).toBe(code);
});

test.each([
  ['DMARC fails, p=quarantine', failed('quarantine'), false, friends, 'dmarc_quarantine'],
  ['DMARC fails, p=none', failed('none'), false, friends, 'not_authenticated'],
  ['no DMARC record', none, false, friends, 'not_authenticated'],
  ['unproven counts before allowed', none, false, [], 'not_authenticated'],
  ['unproven counts before automatic', none, true, friends, 'not_authenticated'],
  ['passes, not allowed', passed, false, [], 'sender_not_allowed'],
  ['passes, another of the domain is allowed', passed, false, ['bob@friend.example'], 'sender_not_allowed'],
  ['passes, a domain above is allowed', passed, false, ['@example'], 'sender_not_allowed'],
  ['not allowed counts before automatic', passed, true, [], 'sender_not_allowed'],
  ['passes, allowed, of a program', passed, true, friends, 'automatic'],
  ['passes, allowed', passed, false, friends, 'run'],
  ['passes, its domain is allowed', passed, false, ['@friend.example'], 'run'],
  ['a trusted forwarder says it passed, allowed', sealed, false, friends, 'run'],
] satisfies [string, Verdict, boolean, string[], string][])('for a mailbox: %s', (_case, verdict, automatic, allowed, outcome) => {
  const decision = decideMail({ verdict, automatic, allowed });
  expect(decision.do === 'run' ? 'run' : decision.why).toBe(outcome);
});

test('an address is allowed as a whole, and a domain for its own addresses', () => {
  const cases: [string, string, boolean][] = [
    ['eve@friend.example', 'eve@friend.example', true],
    ['eve@friend.example', '@friend.example', true],
    ['eve@sub.friend.example', '@friend.example', false],
    ['eve@notfriend.example', '@friend.example', false],
    ['eve@friend.example', 'friend.example', false],
    ['eve@friend.example@evil.example', '@friend.example', false],
  ];
  for (const [from, rule, is] of cases) expect(isSenderAllowed(from, [rule]), `${from} by ${rule}`).toBe(is);
});
