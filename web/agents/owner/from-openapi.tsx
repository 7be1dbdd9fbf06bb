// An agent from the description of an API: looked at first, then made.
import { Alert, Button, FileInput, Group, NativeSelect, Stack, TextInput } from '@mantine/core';
import { type FormEvent, useState } from 'react';
import type { Output } from '../../api/client.ts';
import { useSend } from '../../api/query.ts';
import { explain } from '../../kit/explain.ts';
import { Failure } from '../../kit/failure.tsx';
import { List, Under } from '../../kit/list.tsx';
import { Facts } from '../../kit/page.tsx';
import { State } from '../../kit/state.tsx';
import { number } from '../../kit/number.ts';

type Preview = Output<'agents', 'openapiPreview'>;
type Mode = 'auto' | 'each' | 'search';
const MODES: { value: Mode; label: string }[] = [
  { value: 'auto', label: 'as fits: a search for more than 40' },
  { value: 'each', label: 'a skill for each operation' },
  { value: 'search', label: 'three skills that search all operations' },
];
const SHOWN = 100;

export function FromOpenapi({ onDone }: { onDone: (made: { name: string; deploy_id: string }) => void }) {
  const [url, setUrl] = useState('');
  const [document, setDocument] = useState<string>();
  const [name, setName] = useState('');
  const [mode, setMode] = useState<Mode>('auto');
  const look = useSend('agents', 'openapiPreview', { quiet: true, refresh: [] });
  const make = useSend('agents', 'fromOpenapi', { quiet: true, done: ({ name: made }) => `${made} is being deployed.`, onDone });
  const body = {
    mode,
    ...(url.trim() !== '' && { url: url.trim() }),
    ...(document !== undefined && { document }),
    ...(name.trim() !== '' && { name: name.trim() }),
  };
  const error = make.error ?? look.error;
  const issues = error ? explain(error).issues : [];
  const at = (field: string): string | undefined => issues.find(({ path }) => path[1] === field)?.message;
  const send = (event: FormEvent): void => {
    event.preventDefault();
    make.reset();
    look.mutate({ body });
  };
  // What was looked at is what is made: a change is looked at again.
  const changed = (): void => {
    look.reset();
    make.reset();
  };
  return (
    <Stack>
      <form onSubmit={send} noValidate onChange={changed}>
        <Stack>
          <TextInput
            label="Address of the description"
            placeholder="https://petstore3.swagger.io/api/v3/openapi.json"
            value={url}
            error={at('url')}
            onChange={(event) => setUrl(event.currentTarget.value)}
            dir="ltr"
          />
          <FileInput
            label="Or the description itself"
            placeholder="openapi.json or openapi.yaml"
            accept=".json,.yaml,.yml"
            clearable
            error={at('document')}
            onChange={(file) => {
              changed();
              void (file ? file.text() : Promise.resolve(undefined)).then(setDocument);
            }}
          />
          <Group grow align="start">
            <TextInput
              label="Name of the agent"
              placeholder="from its title"
              value={name}
              error={at('name')}
              onChange={(event) => setName(event.currentTarget.value)}
            />
            <NativeSelect
              label="Skills"
              value={mode}
              onChange={(event) => setMode(MODES.find(({ value }) => value === event.currentTarget.value)?.value ?? 'auto')}
              data={MODES}
            />
          </Group>
          {error && !['url', 'document', 'name'].some((field) => at(field) !== undefined) && <Failure error={error} />}
          <Group justify="end">
            <Button type="submit" variant={look.data ? 'default' : 'filled'} loading={look.isPending} disabled={url.trim() === '' && document === undefined}>
              Look at it
            </Button>
            {look.data && (
              <Button loading={make.isPending} onClick={() => make.mutate({ body })}>
                Make {look.data.name}
              </Button>
            )}
          </Group>
        </Stack>
      </form>
      {look.data && <Looked preview={look.data} />}
    </Stack>
  );
}

function Looked({
  preview: { name, title, api_version, base_url, mode, skills, operations_chosen, operations_total, estimated_tokens, tools, setup_fields, warnings },
}: {
  preview: Preview;
}) {
  return (
    <Stack>
      {warnings.length > 0 && (
        <Alert color="orange" title="To know">
          {warnings.slice(0, 20).map((warning) => (
            <div key={warning}>{warning}</div>
          ))}
        </Alert>
      )}
      <Facts
        of={{
          Name: name,
          API: `${title} ${api_version}`,
          'Calls go to': base_url ?? 'no address that can be used: name one under servers in the description',
          Skills: `${skills.length}, ${mode === 'each' ? 'one for each operation' : 'which search the operations'}`,
          Operations: `${operations_chosen} of ${operations_total}`,
          'A model reads': `about ${number(estimated_tokens)} tokens of descriptions`,
          'Callers set':
            setup_fields.length === 0
              ? null
              : setup_fields.map(({ title: field, required, sent_as }) => <div key={field}>{`${field}${required ? ', required' : ''}: ${sent_as}`}</div>),
        }}
      />
      <List
        label="Operations"
        pages={tools.slice(0, SHOWN)}
        keyOf={({ name: tool }) => tool}
        empty={null}
        columns={[
          {
            head: 'Operation',
            wide: true,
            cell: ({ name: tool, method, path, description }) => (
              <>
                <code>{tool}</code>
                <Under>
                  {method} {path} {description.slice(0, 200)}
                </Under>
              </>
            ),
          },
          {
            head: 'Does',
            end: true,
            cell: ({ read_only, destructive, approval }) => (
              <State
                of={destructive ? 'failed' : read_only ? 'ok' : 'running'}
                label={destructive ? 'deletes' : read_only ? 'reads' : approval ? 'writes, asks first' : 'writes'}
              />
            ),
          },
        ]}
      />
      {tools.length > SHOWN && `${number(tools.length - SHOWN)} more.`}
    </Stack>
  );
}
