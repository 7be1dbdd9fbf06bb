// A receipt with each check as a line, and what it says.
import { Alert, Group, Paper, Stack, Text, ThemeIcon } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { IconCheck, IconClock, IconMinus, IconX } from '@tabler/icons-react';
import { useExact } from '../../kit/exact.ts';
import { Failure } from '../../kit/failure.tsx';
import { type Beside, type Check, checkReceipt, seenAtOnce, type Verdict } from './checks.ts';
import { keysQuery } from './loaded.ts';
import { ReceiptFacts } from './receipt-facts.tsx';

export interface VerifiedProps {
  token: string;
  beside?: Beside;
}

export function Verified({ token, beside = {} }: VerifiedProps) {
  const exactly = useExact();
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
  const { isValid, checks, decoded } = verdict ?? seenAtOnce(token, published ?? [], beside, exactly);
  return (
    <Stack gap="md">
      <Outcome isValid={isValid} />
      {checks.length > 0 && published && (
        <Paper withBorder p="md" component="ul" m={0} aria-label="Checks" style={{ listStyle: 'none' }}>
          {checks.map((check) => (
            <CheckLine key={check.name} check={check} />
          ))}
        </Paper>
      )}
      {decoded && <ReceiptFacts payload={decoded.payload} token={token} />}
    </Stack>
  );
}

function Outcome({ isValid }: Pick<Verdict, 'isValid'>) {
  if (isValid === undefined)
    return (
      <Alert color="gray" icon={<IconClock size={18} />} title="Checking…" aria-busy="true" role="status">
        This browser checks it with the keys that are published here.
      </Alert>
    );
  return (
    <Alert
      color={isValid ? 'teal' : 'red'}
      icon={isValid ? <IconCheck size={18} /> : <IconX size={18} />}
      title={isValid ? 'The receipt holds.' : 'The receipt does not hold.'}
    >
      {isValid ? 'This browser checked it with the keys that are published here.' : 'The failed checks are listed below, with their meaning.'}
    </Alert>
  );
}

// words: shown
const LOOKS = {
  passed: { color: 'teal', icon: IconCheck, word: 'holds' },
  failed: { color: 'red', icon: IconX, word: 'fails' },
  open: { color: 'gray', icon: IconMinus, word: 'not checked' },
  running: { color: 'gray', icon: IconClock, word: 'is checked' },
} as const;

// words: shown
const NAMES: Readonly<Record<string, string>> = {
  form: 'Form',
  key: 'Key',
  signature: 'Signature',
  dates: 'Dates of the key',
  chain: 'Place in the chain',
  arguments: 'Arguments',
  result: 'Result',
};

/** One check, with what was found. */
export function CheckLine({ check: { name, is, says } }: { check: Check }) {
  const { color, icon: Icon, word } = LOOKS[is];
  return (
    <Group component="li" gap="sm" wrap="nowrap" align="start" py={5}>
      <ThemeIcon color={color} variant="light" size="sm" radius="xl" mt={1} aria-hidden>
        <Icon size={13} />
      </ThemeIcon>
      <Text size="sm" component="div" style={{ overflowWrap: 'anywhere', minWidth: 0 }}>
        <b>{NAMES[name] ?? name}</b>{' '}
        <Text span size="xs" {...(is === 'failed' ? { fw: 650 } : { c: 'dimmed' })}>
          {word}
        </Text>
        <div>{says}</div>
      </Text>
    </Group>
  );
}
