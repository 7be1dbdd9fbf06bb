import { Badge } from '@mantine/core';
import { inWords } from './in-words.ts';

const COLORS: Record<string, string[]> = {
  teal: [
    'succeeded',
    'live',
    'active',
    'passed',
    'proven',
    'healed',
    'ready',
    'approved',
    'answered',
    'found',
    'ok',
    'applied',
    'current',
    'works',
    'complete',
    'serving',
    'allow',
    'trusted',
    'decided',
    'settled',
    'paid',
    'met',
  ],
  blue: ['running', 'building', 'starting', 'verifying', 'planning', 'issued', 'ordered', 'in_run', 'on_its_way', 'owed'],
  orange: [
    'waiting',
    'pending',
    'asking',
    'awaiting_secret',
    'auth_required',
    'needs_human',
    'warning',
    'proposed',
    'available',
    'missing',
    'paused',
    'past_due',
    'suspended',
    'unchecked',
    'ask',
    'accrued',
    'held',
    'incomplete',
    'in_review',
    'withdrawn',
    'partly',
    'high',
  ],
  red: [
    'failed',
    'errored',
    'denied',
    'different',
    'unanswered',
    'conflicted',
    'revoked',
    'failing',
    'rejected',
    'deny',
    'blocked',
    'degraded',
    'not_met',
    'unacceptable',
  ],
};
const colorOf = new Map(Object.entries(COLORS).flatMap(([color, states]) => states.map((state) => [state, color] as const)));

/** Any state of the contract, in its color. */
export function State({ of, label }: { of: string; label?: string }) {
  return (
    <Badge variant="light" color={colorOf.get(of) ?? 'gray'} radius="sm" tt="none" fw={600} style={{ flexShrink: 0, minWidth: 'max-content' }}>
      {inWords(label ?? of)}
    </Badge>
  );
}
