// A receipt with each check as a line, and what it says.
import { Alert, Group, Paper, Stack, Text, ThemeIcon } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { IconCheck, IconMinus, IconX } from '@tabler/icons-react';
import { Failure } from '../../kit/failure.tsx';
import { type Beside, type Check, checkReceipt } from './checks.ts';
import { keysQuery } from './loaded.ts';
import { ReceiptFacts } from './receipt-facts.tsx';

export interface VerifiedProps {
  token: string;
  beside?: Beside;
}

export function Verified({ token, beside = {} }: VerifiedProps) {
  const keys = useQuery(keysQuery);
  const published = keys.data?.keys;
  const { data: verdict, error } = useQuery({
    queryKey: ['verified', token, beside, published],
    enabled: published !== undefined,
    retry: false,
    queryFn: () => checkReceipt(token, published ?? [], beside),
  });
  const failure = keys.error ?? error;
  if (failure) return <Failure error={failure} {...(keys.error && { onRetry: () => void keys.refetch() })} />;
  if (!verdict)
    return (
      <Text size="sm" c="dimmed" aria-busy="true" role="status">
        Checking…
      </Text>
    );
  const { isValid, checks, decoded } = verdict;
  return (
    <Stack gap="md">
      <Alert
        color={isValid ? 'teal' : 'red'}
        icon={isValid ? <IconCheck size={18} /> : <IconX size={18} />}
        title={isValid ? 'The receipt holds.' : 'The receipt does not hold.'}
      >
        {isValid ? 'This browser checked it with the keys that are published here.' : 'The failed checks are listed below, with their meaning.'}
      </Alert>
      <Paper withBorder p="md" component="ul" m={0} aria-label="Checks" style={{ listStyle: 'none' }}>
        {checks.map((check) => (
          <CheckLine key={check.name} check={check} />
        ))}
      </Paper>
      {decoded && <ReceiptFacts payload={decoded.payload} token={token} />}
    </Stack>
  );
}

const LOOKS = {
  passed: { color: 'teal', icon: IconCheck, word: 'holds' },
  failed: { color: 'red', icon: IconX, word: 'fails' },
  open: { color: 'gray', icon: IconMinus, word: 'not checked' },
} as const;

/** One check, with what was found. */
export function CheckLine({ check: { name, is, says } }: { check: Check }) {
  const { color, icon: Icon, word } = LOOKS[is];
  return (
    <Group component="li" gap="sm" wrap="nowrap" align="start" py={5}>
      <ThemeIcon color={color} variant="light" size="sm" radius="xl" mt={1} aria-hidden>
        <Icon size={13} />
      </ThemeIcon>
      <Text size="sm" component="div" style={{ overflowWrap: 'anywhere', minWidth: 0 }}>
        <b>{name}</b>{' '}
        <Text span size="xs" {...(is === 'failed' ? { fw: 650 } : { c: 'dimmed' })}>
          {word}
        </Text>
        <div>{says}</div>
      </Text>
    </Group>
  );
}
