import { Button, FileInput, Group, NativeSelect, Paper, PasswordInput, Stack, TextInput } from '@mantine/core';
import { type FormEvent, useState } from 'react';
import type { Input } from '../../api/client.ts';
import { useSend } from '../../api/query.ts';
import { explain } from '../../kit/explain.ts';
import { Failure } from '../../kit/failure.tsx';

type Body = Input<'agentAuth', 'connect'>['body'];
export type Kind = Body['kind'];

export const KIND_WORDS: Record<Kind, string> = {
  api_key: 'API key',
  bearer: 'Bearer token',
  mtls: 'Client certificate (mTLS)',
  oauth2: 'OAuth 2 tokens',
  oidc: 'OpenID Connect tokens',
};
const KINDS: readonly Kind[] = ['bearer', 'api_key', 'oauth2', 'oidc', 'mtls'];

interface Field {
  name: string;
  label: string;
  /** Shown as dots. */
  secret?: true;
  optional?: true;
  file?: true;
  about?: string;
}

const TOKENS: Field[] = [
  { name: 'access_token', label: 'Access token', secret: true },
  { name: 'refresh_token', label: 'Refresh token', secret: true, optional: true },
  { name: 'token_url', label: 'Address of the token endpoint', optional: true, about: 'Where the refresh token becomes an access token.' },
  { name: 'client_id', label: 'Client id', optional: true },
  { name: 'client_secret', label: 'Client secret', secret: true, optional: true },
];
const FIELDS: Record<Kind, Field[]> = {
  api_key: [
    { name: 'name', label: 'Name of the header or query parameter', about: 'For example x-api-key.' },
    { name: 'value', label: 'Key', secret: true },
  ],
  bearer: [{ name: 'token', label: 'Token', secret: true }],
  oauth2: TOKENS,
  oidc: TOKENS,
  mtls: [
    { name: 'cert', label: 'Certificate (PEM)', file: true },
    { name: 'key', label: 'Private key (PEM)', file: true },
    { name: 'ca', label: 'Who signed the agent’s certificate (PEM)', file: true, optional: true, about: 'If empty: the usual authorities.' },
  ],
};

export interface ConnectFormProps {
  name: string;
  kind: Kind;
  scheme: string | undefined;
  onClose: () => void;
}

export function ConnectForm({ name, kind: first, scheme, onClose }: ConnectFormProps) {
  const [kind, setKind] = useState(first);
  const [location, setLocation] = useState<'header' | 'query'>('header');
  const [values, setValues] = useState<Record<string, string>>({});
  const sending = useSend('agentAuth', 'connect', {
    quiet: true,
    refresh: ['agentAuth', 'agents'],
    done: 'Stored; calls show it from now on.',
    onDone: onClose,
  });
  const issues = sending.error ? explain(sending.error).issues : [];
  const at = (field: string): string | undefined => issues.find(({ path }) => path.at(-1) === field)?.message;
  const fields = FIELDS[kind];
  const isFull = fields.every((field) => field.optional || (values[field.name] ?? '') !== '');
  const send = (event: FormEvent): void => {
    event.preventDefault();
    const given = Object.fromEntries(fields.flatMap((field) => ((values[field.name] ?? '') === '' ? [] : [[field.name, values[field.name]]])));
    sending.mutate({
      params: { name },
      body: bodyOf({ kind, ...given, ...(scheme !== undefined && { scheme_name: scheme }), ...(kind === 'api_key' && { location }) }),
    });
  };
  const set = (field: string, value: string): void => setValues({ ...values, [field]: value });
  return (
    <Paper withBorder p="md" mb="md" maw={620}>
      <form onSubmit={send} autoComplete="off" noValidate>
        <Stack>
          <NativeSelect
            label={scheme === undefined ? 'Kind' : `Kind, for ${scheme}`}
            value={kind}
            onChange={(event) => setKind(KINDS.find((one) => one === event.currentTarget.value) ?? 'bearer')}
            data={KINDS.map((value) => ({ value, label: KIND_WORDS[value] }))}
          />
          {fields.map((field) => {
            const common = { label: field.label, error: at(field.name), ...(field.about !== undefined && { description: field.about }) };
            const text = {
              ...common,
              value: values[field.name] ?? '',
              onChange: (event: { currentTarget: { value: string } }) => set(field.name, event.currentTarget.value),
            };
            if (field.file)
              return (
                <FileInput
                  key={field.name}
                  {...common}
                  clearable
                  onChange={(file) => void (file ? file.text() : Promise.resolve('')).then((pem) => set(field.name, pem))}
                />
              );
            return field.secret ? <PasswordInput key={field.name} {...text} autoComplete="new-password" /> : <TextInput key={field.name} {...text} />;
          })}
          {kind === 'api_key' && (
            <NativeSelect
              label="Where it goes"
              value={location}
              onChange={(event) => setLocation(event.currentTarget.value === 'query' ? 'query' : 'header')}
              data={[
                { value: 'header', label: 'a header' },
                { value: 'query', label: 'the query' },
              ]}
            />
          )}
          {sending.error && !issues.some(({ path }) => fields.some((field) => field.name === path.at(-1))) && <Failure error={sending.error} />}
          <Group justify="end">
            <Button variant="default" onClick={onClose}>
              Cancel
            </Button>
            <Button type="submit" loading={sending.isPending} disabled={!isFull}>
              Store
            </Button>
          </Group>
        </Stack>
      </form>
    </Paper>
  );
}

// Safe: FIELDS names the members of each kind, and the API holds what is sent against its schema.
function bodyOf(body: object): Body {
  return body as Body;
}
