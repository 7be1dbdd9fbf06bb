import { Alert, Button, Group, TextInput } from '@mantine/core';
import { useState } from 'react';
import { useSend } from '../../api/query.ts';
import { microsOf, ofCents } from '../../kit/dollars.ts';
import { leaveTo } from '../leave.ts';

export function TopUpForm({ bounds }: { bounds: { least_cents: number; most_cents: number; test_money: boolean } }) {
  const [text, setText] = useState('20');
  const checkout = useSend('credits', 'checkout', { refresh: ['credits'], onDone: ({ url }) => leaveTo(url) });
  const micros = microsOf(text, bounds.most_cents / 100);
  const cents = micros === undefined || micros % 10_000 !== 0 ? undefined : micros / 10_000;
  const fits = cents !== undefined && cents >= bounds.least_cents;
  const submit = (event: React.FormEvent): void => {
    event.preventDefault();
    if (fits) checkout.mutate({ body: { amount_cents: cents } });
  };
  return (
    <form onSubmit={submit}>
      {bounds.test_money && (
        <Alert color="orange" mb="sm" title="Test money">
          No real money moves on this installation.
        </Alert>
      )}
      <Group align="end" gap="sm">
        <TextInput
          label="US dollars"
          description={`From ${ofCents(bounds.least_cents)} to ${ofCents(bounds.most_cents)}, without taxes`}
          inputMode="decimal"
          value={text}
          onChange={(event) => setText(event.currentTarget.value)}
          error={fits ? undefined : 'Not such an amount'}
        />
        <Button type="submit" loading={checkout.isPending} disabled={!fits}>
          Pay
        </Button>
      </Group>
    </form>
  );
}
