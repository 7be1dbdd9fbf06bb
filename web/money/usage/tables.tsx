// What was used, by what it was for, and each use.
import { Select, Text } from '@mantine/core';
import { getRouteApi } from '@tanstack/react-router';
import type { Output } from '../../api/client.ts';
import { usePages } from '../../api/query.ts';
import { List, Under } from '../../kit/list.tsx';
import { Empty, Section } from '../../kit/page.tsx';
import { State } from '../../kit/state.tsx';
import { When } from '../../kit/when.tsx';
import { dollars } from '../../kit/dollars.ts';
import { type Grouping, GROUPINGS } from './period.ts';
import { number } from '../../kit/number.ts';

const route = getRouteApi('/models/usage');
const NONE: Record<Grouping, string> = { agent: 'no agent: the chat, or a check', model: '–', credential: '–', purpose: '–', person: 'you' };

export function Groups({ by, groups }: { by: Grouping; groups: Output<'llmUsage', 'list'>['groups'] }) {
  const navigate = route.useNavigate();
  return (
    <Section
      title={`By ${by}`}
      actions={
        <Select
          aria-label="Grouped by"
          size="xs"
          w={140}
          data={GROUPINGS.map((value) => ({ value, label: `by ${value}` }))}
          value={by}
          allowDeselect={false}
          onChange={(value) => value && void navigate({ search: (before) => ({ ...before, by: value }), replace: true })}
        />
      }
    >
      <List
        label={`Usage by ${by}`}
        pages={groups}
        keyOf={({ key }) => key ?? ''}
        empty={<Empty title="Nothing was used." />}
        columns={[
          { head: by, wide: true, cell: ({ key }) => <Text size="sm">{key ?? NONE[by]}</Text> },
          { head: 'Calls', end: true, cell: ({ calls }) => number(calls) },
          { head: 'Tokens', end: true, cell: ({ input_tokens: a, output_tokens: b }) => `${number(a)} in, ${number(b)} out` },
          { head: 'Cost', end: true, cell: ({ cost_micros: cost }) => dollars(cost) },
        ]}
      />
    </Section>
  );
}

export function Uses({ period }: { period: { from: string; to: string } }) {
  const uses = usePages('llmUsage', 'list', { query: { ...period, limit: 50 } });
  return (
    <Section title="Uses">
      <List
        label="Uses"
        pages={uses}
        keyOf={({ usage_id: id }) => id}
        empty={<Empty title="Nothing was used." />}
        columns={[
          {
            head: 'What for',
            wide: true,
            cell: ({ agent, purpose, model, credential }) => (
              <>
                <Text size="sm">{agent ?? purpose}</Text>
                <Under>
                  {model}, by {credential}
                </Under>
              </>
            ),
          },
          { head: 'State', cell: ({ state, error_code: code }) => <State of={state} {...(code && { label: code })} /> },
          {
            head: 'Tokens',
            end: true,
            cell: ({ input_tokens: a, output_tokens: b, estimated }) => `${number(a)} in, ${number(b)} out${estimated ? ' (estimated)' : ''}`,
          },
          { head: 'Cost', end: true, cell: ({ cost_micros: cost }) => (cost === null ? '–' : dollars(cost)) },
          { head: 'When', end: true, cell: ({ started_at: at }) => <When at={at} /> },
        ]}
      />
    </Section>
  );
}
