// Who finds the agent, who may copy it, which programs and web pages call it, and which callers have its
// scopes.
import { Paper, Radio, Stack, Text } from '@mantine/core';
import { getRouteApi } from '@tanstack/react-router';
import { useSend } from '../../api/query.ts';
import { Section } from '../../kit/page.tsx';
import { Frozen, useFreezing } from '../../studio/challenges/frozen.tsx';
import { type Mine, useMine } from './frame.tsx';
import { Callers } from './callers.tsx';
import { Links } from './links.tsx';
import { Origins } from './origins.tsx';
import { Tokens } from './tokens.tsx';

const route = getRouteApi('/agents/mine/$name/access');

export function Access() {
  const mine = useMine();
  const { add = false } = route.useSearch();
  return (
    <Stack gap="xl">
      <Section title="Listing">
        <Stack>
          <Frozen name={mine.name} />
          <Visibility mine={mine} />
          {mine.kind !== 'imported' && <Reuse mine={mine} />}
        </Stack>
      </Section>
      <Tokens name={mine.name} skills={mine.skills} startsOpen={add} />
      <Links name={mine.name} skills={mine.skills} />
      <Callers name={mine.name} />
      <Origins name={mine.name} />
    </Stack>
  );
}

function Visibility({ mine: { name, visibility, live_deploy_id } }: { mine: Mine }) {
  const sending = useSend('agents', 'setVisibility', { done: ({ visibility: now }) => `${name} is ${now}.` });
  const isFrozen = useFreezing(name) !== null;
  const lacks = (live_deploy_id === null && 'It must be live first.') || (isFrozen && 'Its critical finding must be answered first.');
  const cannot = visibility === 'unlisted' && lacks;
  return (
    <Choice
      label="Who finds it"
      value={visibility}
      busy={sending.isPending}
      onChoose={(value) => sending.mutate({ params: { name }, body: { visibility: value } })}
      choices={[
        { value: 'unlisted', label: 'Unlisted', about: 'Only you can find it. Others call it by its name, if they are allowed to.' },
        { value: 'public', label: 'Public', about: cannot || 'Listed in the registry; any user can find and call it.', off: cannot !== false },
      ]}
    />
  );
}

function Reuse({ mine: { name, reuse_policy } }: { mine: Mine }) {
  const sending = useSend('agents', 'setReusePolicy', { done: 'Changed.' });
  return (
    <Choice
      label="Who may copy its source"
      value={reuse_policy}
      busy={sending.isPending}
      onChoose={(value) => sending.mutate({ params: { name }, body: { reuse_policy: value } })}
      choices={[
        { value: 'closed', label: 'Closed', about: 'Only you.' },
        { value: 'forkable', label: 'Forkable', about: 'Others may make their own agent of its source.' },
      ]}
    />
  );
}

interface ChoiceProps<T extends string> {
  label: string;
  value: T;
  busy: boolean;
  onChoose: (value: T) => void;
  choices: { value: T; label: string; about: string; off?: boolean }[];
}

function Choice<T extends string>({ label, value, busy, onChoose, choices }: ChoiceProps<T>) {
  return (
    <Paper withBorder p="md">
      <Radio.Group
        label={label}
        value={value}
        onChange={(chosen) => {
          const one = choices.find((choice) => choice.value === chosen);
          if (one) onChoose(one.value);
        }}
      >
        <Stack gap="xs" mt="xs">
          {choices.map(({ value: one, label: word, about, off = false }) => (
            <Radio
              key={one}
              value={one}
              label={word}
              description={
                <Text span inherit>
                  {about}
                </Text>
              }
              disabled={off || busy}
            />
          ))}
        </Stack>
      </Radio.Group>
    </Paper>
  );
}
