import { Badge, Button, Group, NumberInput, Paper, SimpleGrid, Stack, Text } from '@mantine/core';
import { useState } from 'react';
import type { Output } from '../../api/client.ts';
import { useSend } from '../../api/query.ts';
import { dollars, ofCents } from '../../kit/dollars.ts';
import { leaveTo } from '../leave.ts';
import { number } from '../../kit/number.ts';
import { inWords } from '../../kit/in-words.ts';

type Billing = Output<'billing', 'get'>;
type Plan = Billing['plans'][number];

export function Plans({ of }: { of: Billing }) {
  const mayBuy = of.subscription === null && of.test_money !== null;
  return (
    <SimpleGrid cols={{ base: 1, sm: 2, lg: 3 }}>
      {of.plans.map((plan) => (
        <Offer key={plan.plan} plan={plan} isMine={plan.plan === of.plan.plan} mayBuy={mayBuy && plan.price_cents > 0} />
      ))}
    </SimpleGrid>
  );
}

function Offer({ plan, isMine, mayBuy }: { plan: Plan; isMine: boolean; mayBuy: boolean }) {
  const [seats, setSeats] = useState(1);
  const checkout = useSend('billing', 'checkout', { onDone: ({ url }) => leaveTo(url) });
  return (
    <Paper withBorder p="md">
      <Stack gap="xs">
        <Group justify="space-between">
          <Text fw={600}>{plan.name}</Text>
          {isMine && <Badge variant="light">Yours</Badge>}
        </Group>
        <Text size="sm">{plan.price_cents === 0 ? 'Free' : `${ofCents(plan.price_cents)} a month${plan.max_seats > 1 ? ' and seat' : ''}`}</Text>
        <Text size="sm" c="dimmed">
          {plan.description}
        </Text>
        {plan.included_micros > 0 && <Text size="sm">{dollars(plan.included_micros)} of credits each month</Text>}
        {Object.entries(plan.limits).map(([name, limit]) => (
          <Text key={name} size="sm">
            {number(limit)} {inWords(name)}
          </Text>
        ))}
        {mayBuy && plan.max_seats > 1 && (
          <NumberInput
            label="Seats"
            min={1}
            max={plan.max_seats}
            allowDecimal={false}
            value={seats}
            onChange={(value) => setSeats(Math.max(1, Number(value)))}
          />
        )}
        {mayBuy && (
          <Button loading={checkout.isPending} onClick={() => checkout.mutate({ body: { plan: plan.plan, seats } })}>
            Buy {plan.name}
          </Button>
        )}
      </Stack>
    </Paper>
  );
}
