import { Progress, Text } from '@mantine/core';
import { dollars } from '../../kit/dollars.ts';
import type { Credential } from './models.tsx';

/** What was spent of the month's budget, and what calls under way may still cost. */
export function Budget({ of: { name, spent_micros: spent, reserved_micros: reserved, monthly_budget_micros: budget, priced } }: { of: Credential }) {
  const share = (micros: number): number => (budget === null || budget === 0 ? 0 : Math.min(100, (micros / budget) * 100));
  const isNear = budget !== null && spent + reserved >= budget * 0.9;
  return (
    <div style={{ minWidth: '9rem' }}>
      <Text size="sm">
        {dollars(spent)}
        {budget === null ? '' : ` of ${dollars(budget)}`}
      </Text>
      {budget !== null && (
        <Progress.Root size="sm" mt={4}>
          <Progress.Section value={share(spent)} color={isNear ? 'red' : 'blue'} aria-label={`Spent of the budget of ${name}`} />
          <Progress.Section value={Math.min(share(reserved), 100 - share(spent))} color="gray" aria-label={`Reserved of the budget of ${name}`} />
        </Progress.Root>
      )}
      <Text size="xs" c="dimmed">
        {budget === null ? 'no budget' : reserved > 0 ? `${dollars(reserved)} reserved` : null}
        {!priced && ' Its model has no price.'}
      </Text>
    </div>
  );
}
