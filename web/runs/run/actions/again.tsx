// The same skill again, with the same arguments or with others.
import { Button, Group, Modal, Stack } from '@mantine/core';
import { useDisclosure } from '@mantine/hooks';
import { useQuery } from '@tanstack/react-query';
import { useNavigate } from '@tanstack/react-router';
import { useState, type FormEvent } from 'react';
import { read, useSend } from '../../../api/query.ts';
import { SchemaForm } from '../../../form/lazy.tsx';
import type { JsonSchema } from '../../../form/schema-form.tsx';
import { Action } from '../../../kit/action.tsx';
import { explain } from '../../../kit/explain.ts';
import { Failure } from '../../../kit/failure.tsx';
import { newRequestId } from '../../../kit/request-id.ts';
import { useRunInput } from '../use-run.ts';

interface AgainProps {
  runId: string;
  agent: string;
  skill: string;
}

type Args = Record<string, unknown>;

export function Again({ runId, agent, skill }: AgainProps) {
  const { data: input } = useRunInput(runId);
  const [isEditing, { open, close }] = useDisclosure();
  const starting = useStart();
  const args = input?.args;
  const not = input && !args && 'Its arguments are not kept, so they cannot be sent again.';
  return (
    <>
      <Action label="Run again" size="xs" not={not} loading={starting.isPending} onAct={() => args && starting.mutate(startOf({ agent, skill }, args))} />
      <Action label="Edit and run again" size="xs" onAct={open} />
      <Modal opened={isEditing} onClose={close} title={`Run ${agent}.${skill} with other arguments`} size="lg">
        {isEditing && <Edit agent={agent} skill={skill} initial={args ?? {}} onClose={close} />}
      </Modal>
    </>
  );
}

function Edit({ agent, skill, initial, onClose }: Omit<AgainProps, 'runId'> & { initial: Args; onClose: () => void }) {
  const { data: found, isPending, error: unknown } = useQuery(read('agents', 'get', { params: { name: agent } }));
  const [value, setValue] = useState<unknown>(initial);
  const starting = useStart(onClose);
  if (isPending) return null;
  if (unknown) return <Failure error={unknown} />;
  const schema: JsonSchema = found.card?.skills.find(({ id }) => id === skill)?.input_schema ?? { type: 'object' };
  const issues = starting.error ? explain(starting.error).issues : [];
  const start = (event: FormEvent): void => {
    event.preventDefault();
    starting.mutate(startOf({ agent, skill }, argsOf(value)));
  };
  return (
    <form onSubmit={start} noValidate>
      <Stack>
        <SchemaForm
          schema={schema}
          value={value}
          onChange={setValue}
          issues={issues.map(({ path, message }) => ({ path: path.slice(path[0] === 'body' ? 1 : 0), message }))}
        />
        {starting.error && issues.length === 0 && <Failure error={starting.error} />}
        <Group justify="end">
          <Button variant="default" onClick={onClose}>
            Cancel
          </Button>
          <Button type="submit" loading={starting.isPending}>
            Run
          </Button>
        </Group>
      </Stack>
    </form>
  );
}

function useStart(onStarted?: () => void) {
  const navigate = useNavigate();
  return useSend('agents', 'startRun', {
    done: 'A new run began.',
    refresh: ['workLedger'],
    ...(onStarted && { quiet: true }),
    onDone: ({ run_id }) => {
      onStarted?.();
      void navigate({ to: '/runs/$run_id', params: { run_id } });
    },
  });
}

/** One key for one click: sent twice it is one run. */
function startOf({ agent, skill }: Omit<AgainProps, 'runId'>, body: Args) {
  return { params: { name: agent, skill_name: skill }, headers: { 'idempotency-key': newRequestId() }, body };
}

const argsOf = (value: unknown): Args => (typeof value === 'object' && value !== null && !Array.isArray(value) ? { ...value } : {});
