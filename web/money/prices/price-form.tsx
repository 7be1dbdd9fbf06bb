import { Button, Group, NativeSelect, NumberInput, Paper, Stack, TextInput } from '@mantine/core';
import { type FormEvent, useState } from 'react';
import { useSend } from '../../api/query.ts';
import { explain } from '../../kit/explain.ts';
import { Failure } from '../../kit/failure.tsx';
import { amount, microsOf } from '../../kit/dollars.ts';
import type { Price } from './prices.tsx';

const MAX_DOLLARS = 10_000;
const RATES = ['call_micros', 'second_micros', 'token_micros', 'artifact_micros', 'max_micros'] as const;
type Rate = (typeof RATES)[number];

const LABELS: Record<Rate, [label: string, description: string]> = {
  call_micros: ['A call', 'Dollars of each call that goes well.'],
  second_micros: ['A second', 'Of each second that it takes.'],
  token_micros: ['A token', 'Of language models that it uses, except on a credential of who pays.'],
  artifact_micros: ['An artifact', 'Of each file that it makes.'],
  max_micros: ['At most', 'Held before the call starts. Empty: the price of a call, if nothing else is charged.'],
};

interface PriceFormProps {
  name: string;
  skills: readonly string[];
  skill: string;
  before: Price | undefined;
  onClose: () => void;
}

export function PriceForm({ name, skills, skill: first, before, onClose }: PriceFormProps) {
  const [skill, setSkill] = useState(first);
  const [texts, setTexts] = useState<Record<Rate, string>>(() => textsOf(before));
  const [free, setFree] = useState<string | number>(before?.free_calls ?? 0);
  const sending = useSend('prices', 'put', {
    quiet: true,
    refresh: ['prices', 'agents', 'public'],
    done: 'The price counts for calls that begin from now on.',
    onDone: onClose,
  });
  const wrong = RATES.filter((rate) => texts[rate].trim() !== '' && microsOf(texts[rate], MAX_DOLLARS) === undefined);
  const issues = sending.error ? explain(sending.error).issues : [];
  const refused = (member: string): string | undefined => issues.find(({ path }) => path.join('.') === `body.${member}`)?.message;
  const send = (event: FormEvent): void => {
    event.preventDefault();
    const given = Object.fromEntries(RATES.flatMap((rate) => (texts[rate].trim() === '' ? [] : [[rate, microsOf(texts[rate], MAX_DOLLARS)]])));
    sending.mutate({ params: { name, skill }, body: { ...given, free_calls: Number(free) } });
  };
  return (
    <Paper withBorder p="md" mb="md" maw={620}>
      <form onSubmit={send} noValidate>
        <Stack>
          <NativeSelect
            label="Skill"
            data={[...skills]}
            value={skill}
            disabled={before !== undefined}
            onChange={(event) => setSkill(event.currentTarget.value)}
          />
          {RATES.map((rate) => (
            <TextInput
              key={rate}
              label={LABELS[rate][0]}
              description={LABELS[rate][1]}
              placeholder={rate === 'max_micros' ? '' : '0'}
              leftSection="$"
              inputMode="decimal"
              value={texts[rate]}
              error={wrong.includes(rate) ? 'Dollars, with at most six digits after the point.' : refused(rate)}
              onChange={(event) => {
                const { value } = event.currentTarget;
                setTexts((now) => ({ ...now, [rate]: value }));
              }}
            />
          ))}
          <NumberInput
            label="Free calls"
            description="That each account may make before it pays."
            min={0}
            max={1_000_000}
            allowDecimal={false}
            value={free}
            error={refused('free_calls')}
            onChange={setFree}
          />
          {sending.error && issues.length === 0 && <Failure error={sending.error} />}
          <Group justify="end">
            <Button variant="default" onClick={onClose}>
              Cancel
            </Button>
            <Button type="submit" loading={sending.isPending} disabled={wrong.length > 0 || skill === ''}>
              Set the price
            </Button>
          </Group>
        </Stack>
      </form>
    </Paper>
  );
}

function textsOf(price: Price | undefined): Record<Rate, string> {
  const text = (micros: number | undefined): string => (micros === undefined || micros === 0 ? '' : amount(micros));
  return {
    call_micros: text(price?.call_micros),
    second_micros: text(price?.second_micros),
    token_micros: text(price?.token_micros),
    artifact_micros: text(price?.artifact_micros),
    max_micros: text(price?.max_micros),
  };
}
