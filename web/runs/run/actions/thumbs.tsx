// Was the run good? Its agent's owner sees what is said; the rules' scores stand beside it.
import { ActionIcon, Group, Text, UnstyledButton } from '@mantine/core';
import { IconThumbDown, IconThumbDownFilled, IconThumbUp, IconThumbUpFilled } from '@tabler/icons-react';
import { useQuery } from '@tanstack/react-query';
import { read, useSend } from '../../../api/query.ts';
import { LongText } from '../../../kit/long-text.tsx';
import { OpensBox } from '../../../kit/opens.tsx';
import { State } from '../../../kit/state.tsx';

export function Thumbs({ runId, agent }: { runId: string; agent: string }) {
  const { data } = useQuery({ ...read('evaluations', 'runScores', { params: { name: agent, run_id: runId } }), retry: false });
  const params = { run_id: runId };
  const putting = useSend('evaluations', 'putThumb', { done: 'Thank you: the owner of the agent sees it.' });
  const removing = useSend('evaluations', 'deleteThumb');
  const thumb = data?.thumb ?? null;
  const say = (up: boolean): void => (thumb?.up === up ? removing.mutate({ params }) : putting.mutate({ params, body: { up } }));
  const isBusy = putting.isPending || removing.isPending;
  // Of a run without a record nothing can be said.
  if (!data) return null;
  return (
    <Group gap={2} wrap="nowrap">
      <Thumb label="This run was good" isOn={thumb?.up === true} icon={IconThumbUp} filled={IconThumbUpFilled} isBusy={isBusy} onSay={() => say(true)} />
      <Thumb
        label="This run was not good"
        isOn={thumb?.up === false}
        icon={IconThumbDown}
        filled={IconThumbDownFilled}
        isBusy={isBusy}
        onSay={() => say(false)}
      />
      {data.scores.length > 0 && <Scores scores={data.scores} />}
    </Group>
  );
}

interface ThumbProps {
  label: string;
  isOn: boolean;
  icon: typeof IconThumbUp;
  filled: typeof IconThumbUpFilled;
  isBusy: boolean;
  onSay(): void;
}

function Thumb({ label, isOn, icon: Icon, filled: Filled, isBusy, onSay }: ThumbProps) {
  return (
    <ActionIcon
      variant="subtle"
      color={isOn ? 'blue' : 'gray'}
      aria-label={label}
      data-hint={isOn ? `${label}: take it back` : label}
      aria-pressed={isOn}
      disabled={isBusy}
      onClick={onSay}
    >
      {isOn ? <Filled size={17} /> : <Icon size={17} />}
    </ActionIcon>
  );
}

type Score = { rule: string; passed: boolean | null; score: number | null; reason: string | null };

function Scores({ scores }: { scores: readonly Score[] }) {
  const passed = scores.filter((score) => score.passed === true).length;
  return (
    <OpensBox
      width={320}
      button={
        <UnstyledButton>
          <Text size="sm" td="underline">
            {passed} of {scores.length} rules passed
          </Text>
        </UnstyledButton>
      }
    >
      {scores.map(({ rule, passed: ok, score, reason }) => (
        <div key={rule} style={{ marginBottom: 8 }}>
          <Group gap="xs">
            <State of={ok === null ? 'pending' : ok ? 'passed' : 'failed'} label={ok === null ? 'not judged' : undefined} />
            <Text size="sm" fw={600} style={{ overflowWrap: 'anywhere' }}>
              {rule}
            </Text>
            {score !== null && <Text size="sm">{score.toFixed(2)}</Text>}
          </Group>
          {reason !== null && <LongText text={reason} short={300} size="xs" c="dimmed" />}
        </div>
      ))}
    </OpensBox>
  );
}
