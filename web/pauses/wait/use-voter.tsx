// For whom the reader votes: themselves, or one who named them as a delegate.
import { NativeSelect } from '@mantine/core';
import { useState, type ReactNode } from 'react';
import type { Approval } from './waiting.ts';

/** Nothing to choose where they vote only for themselves, or only for one person. */
export function useVoter(approval: Approval | undefined): { as: { for?: string }; choice: ReactNode } {
  const others = approval?.may_vote_for ?? [];
  const [chosen, setChosen] = useState('');
  if (!approval || others.length === 0) return { as: {}, choice: null };
  const choice = (
    <NativeSelect
      label="Vote for"
      data={[
        { value: '', label: others.length === 1 ? (others[0]?.email ?? 'Yourself') : 'Choose' },
        ...others.map(({ user_id, email }) => ({ value: user_id, label: email ?? user_id })),
      ]}
      value={chosen}
      onChange={({ currentTarget }) => setChosen(currentTarget.value)}
    />
  );
  return { as: chosen === '' ? {} : { for: chosen }, choice };
}
