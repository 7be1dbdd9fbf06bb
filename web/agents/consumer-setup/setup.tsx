// What the agent needs of the reader before it works for them, and what is set.
import { Alert, Button, Group, Stack, Text } from '@mantine/core';
import { getRouteApi } from '@tanstack/react-router';
import { useMemo, useState } from 'react';
import { useRead, useSend } from '../../api/query.ts';
import { CheckedForm } from '../../form/lazy.tsx';
import { isObject } from '../../form/schema.ts';
import { AskingAction } from '../../kit/action.tsx';
import { Failure } from '../../kit/failure.tsx';
import { List, Under } from '../../kit/list.tsx';
import { Empty, Section } from '../../kit/page.tsx';
import { State } from '../../kit/state.tsx';
import { changes, type SetupField, setupSchema, setValues } from './setup-schema.ts';

const route = getRouteApi('/agents/$name/setup');
const SOURCES: Record<SetupField['source'], string> = { user: 'set by you', org: 'set by your organization', default: 'default', missing: 'not set' };

export function Setup() {
  const { name } = route.useParams();
  const setup = useRead('consumerSetup', 'get', { params: { name } });
  if (setup.fields.length === 0) return <Empty title={`${name} needs no settings from its callers`} />;
  return (
    <Stack gap="xl">
      {!setup.complete && (
        <Alert color="orange" title={`Missing: ${setup.missing.join(', ')}`}>
          A call is refused until it is set.
        </Alert>
      )}
      <SetupForm key={JSON.stringify(setup.fields)} name={name} fields={setup.fields} />
      <Section title="What is set">
        <SetFields name={name} fields={setup.fields} />
      </Section>
    </Stack>
  );
}

function SetupForm({ name, fields }: { name: string; fields: readonly SetupField[] }) {
  const [before] = useState(() => setValues(fields));
  const [value, setValue] = useState<unknown>(before);
  const schema = useMemo(() => setupSchema(fields), [fields]);
  const sending = useSend('consumerSetup', 'put', { quiet: true, done: 'Saved.', refresh: ['consumerSetup', 'installedAgents'] });
  const send = (now: unknown): void => sending.mutate({ params: { name }, body: { values: changes(before, isObject(now) ? now : {}) } });
  return (
    <CheckedForm schema={schema} value={value} onChange={setValue} onSubmit={send} label={`Setup of ${name}`} json={false} disabled={sending.isPending}>
      {sending.error && <Failure error={sending.error} />}
      <Group justify="end">
        <Button type="submit" loading={sending.isPending}>
          Save
        </Button>
      </Group>
    </CheckedForm>
  );
}

function SetFields({ name, fields }: { name: string; fields: readonly SetupField[] }) {
  const removing = useSend('consumerSetup', 'delete', { done: 'Taken back.', refresh: ['consumerSetup', 'installedAgents'] });
  return (
    <List
      label="Values"
      pages={fields}
      keyOf={(field) => field.name}
      empty={null}
      columns={[
        {
          head: 'Field',
          wide: true,
          cell: ({ name: field, title, required }) => (
            <>
              <code>{field}</code>
              <Under>{[title, required ? 'required' : 'optional'].filter(Boolean).join(' · ')}</Under>
            </>
          ),
        },
        { head: 'From', cell: ({ source, required }) => <State of={source === 'missing' ? (required ? 'missing' : 'none') : 'ok'} label={SOURCES[source]} /> },
        {
          head: 'Value',
          cell: ({ kind, source, value }) =>
            kind === 'secret' ? (
              <Text size="sm" c="dimmed">
                {source === 'missing' ? '–' : 'not shown'}
              </Text>
            ) : (
              <Text size="sm" dir="auto">
                {value === null ? '–' : String(value).slice(0, 200)}
              </Text>
            ),
        },
        {
          head: 'Actions',
          end: true,
          cell: ({ name: field, source }) =>
            source === 'user' && (
              <AskingAction
                label="Take back"
                size="xs"
                variant="subtle"
                question={`Take back ${field}?`}
                onAct={() => removing.mutate({ params: { name, field_name: field } })}
              >
                Your value is deleted. Calls then find the default, or are refused where there is none.
              </AskingAction>
            ),
        },
      ]}
    />
  );
}
