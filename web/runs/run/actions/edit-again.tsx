// Other arguments for the same skill; loaded when they are asked for.
import { Button, Group, Modal, Stack } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { useState, type FormEvent } from 'react';
import { read } from '../../../api/query.ts';
import { SchemaForm } from '../../../form/lazy.tsx';
import type { JsonSchema } from '../../../form/schema-form.tsx';
import { explain } from '../../../kit/explain.ts';
import { Failure } from '../../../kit/failure.tsx';
import { type Args, startOf, useStart } from './start.ts';

export interface EditAgainProps {
  agent: string;
  skill: string;
  initial: Args;
  onClose: () => void;
}

export function EditAgain(props: EditAgainProps) {
  return (
    <Modal opened onClose={props.onClose} title={`Run ${props.agent}.${props.skill} with other arguments`} size="lg">
      <Edit {...props} />
    </Modal>
  );
}

function Edit({ agent, skill, initial, onClose }: EditAgainProps) {
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

const argsOf = (value: unknown): Args => (typeof value === 'object' && value !== null && !Array.isArray(value) ? { ...value } : {});
