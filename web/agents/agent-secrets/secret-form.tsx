import { Button, Checkbox, Group, Paper, PasswordInput, Stack, TextInput } from '@mantine/core';
import { type FormEvent, useState } from 'react';
import { useSend } from '../../api/query.ts';
import { explain } from '../../kit/explain.ts';
import { Failure } from '../../kit/failure.tsx';
import type { Secret } from './secrets.tsx';

export interface SecretFormProps {
  name: string;
  /** '': a new one. */
  secretKey: string;
  before: Secret | undefined;
  onClose: () => void;
}

export function SecretForm({ name, secretKey, before, onClose }: SecretFormProps) {
  const [key, setKey] = useState(secretKey);
  const [value, setValue] = useState('');
  const [restart, setRestart] = useState(false);
  const [injects, setInjects] = useState(before?.inject != null);
  const [host, setHost] = useState(before?.inject?.host ?? '');
  const [header, setHeader] = useState(before?.inject?.header ?? '');
  const [scheme, setScheme] = useState(before?.inject?.scheme ?? '');
  const sending = useSend('agentSecrets', 'upsert', {
    quiet: true,
    refresh: ['agentSecrets', 'agents'],
    done: ({ key: set, version, applies }) =>
      `${set} is set, version ${version}; ${applies === 'restarting' ? 'the agent is being started again.' : 'it counts from the next start on.'}`,
    onDone: onClose,
  });
  const send = (event: FormEvent): void => {
    event.preventDefault();
    const inject = injects ? { host: host.trim(), header: header.trim(), ...(scheme.trim() !== '' && { scheme: scheme.trim() }) } : null;
    sending.mutate({ params: { name }, query: { restart }, body: { key: key.trim(), value, inject } });
  };
  const issues = sending.error ? explain(sending.error).issues : [];
  const at = (...path: string[]): string | undefined => issues.find((issue) => issue.path.join('.') === ['body', ...path].join('.'))?.message;
  return (
    <Paper withBorder p="md" mb="md" maw={620}>
      <form onSubmit={send} autoComplete="off" noValidate>
        <Stack>
          <TextInput
            label="Name"
            description="As environment variables have it: API_TOKEN."
            value={key}
            error={at('key')}
            readOnly={secretKey !== ''}
            onChange={(event) => setKey(event.currentTarget.value)}
            autoComplete="off"
            data-autofocus
          />
          <PasswordInput
            label="Value"
            value={value}
            error={at('value')}
            onChange={(event) => setValue(event.currentTarget.value)}
            autoComplete="new-password"
            autoFocus={secretKey !== ''}
          />
          <Checkbox
            label="Keep it out of the agent: the platform adds it as a header to requests"
            description="The agent asks http://HOST.svc-inject.internal/…; the request leaves over TLS with the header."
            checked={injects}
            onChange={(event) => setInjects(event.currentTarget.checked)}
          />
          {injects && (
            <Group align="start" grow>
              <TextInput
                label="Host"
                placeholder="api.example.com"
                value={host}
                error={at('inject', 'host')}
                onChange={(event) => setHost(event.currentTarget.value)}
              />
              <TextInput
                label="Header"
                placeholder="authorization"
                value={header}
                error={at('inject', 'header')}
                onChange={(event) => setHeader(event.currentTarget.value)}
              />
              <TextInput
                label="Word before it"
                placeholder="Bearer"
                value={scheme}
                error={at('inject', 'scheme')}
                onChange={(event) => setScheme(event.currentTarget.value)}
              />
            </Group>
          )}
          <Checkbox label="Start the agent again, so that it counts now" checked={restart} onChange={(event) => setRestart(event.currentTarget.checked)} />
          {sending.error && issues.length === 0 && <Failure error={sending.error} />}
          <Group justify="end">
            <Button variant="default" onClick={onClose}>
              Cancel
            </Button>
            <Button type="submit" loading={sending.isPending} disabled={key.trim() === '' || value === ''}>
              Save secret
            </Button>
          </Group>
        </Stack>
      </form>
    </Paper>
  );
}
