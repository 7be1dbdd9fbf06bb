import { Button, Group, Paper, Stack, Textarea } from '@mantine/core';
import { useState, type FormEvent } from 'react';
import { useSend } from '../../api/query.ts';
import { Failure } from '../../kit/failure.tsx';

export function NewGoal({ name, onClose }: { name: string; onClose(): void }) {
  const [goal, setGoal] = useState('');
  const [criteria, setCriteria] = useState('');
  const create = useSend('metaAgentRuns', 'create', { quiet: true, done: 'The agent sees it in its next run.', onDone: onClose });
  const submit = (event: FormEvent): void => {
    event.preventDefault();
    const lines = criteria.split('\n').map((line) => line.trim());
    create.mutate({ params: { name }, body: { goal: goal.trim(), criteria: lines.filter((line) => line !== '') } });
  };
  return (
    <Paper withBorder p="md" component="form" onSubmit={submit} aria-label="New goal">
      <Stack gap="sm">
        <Textarea
          label="Goal"
          autosize
          minRows={2}
          maxRows={10}
          maxLength={4000}
          dir="auto"
          value={goal}
          onChange={({ currentTarget }) => setGoal(currentTarget.value)}
        />
        <Textarea
          label="When it is reached"
          description="One criterion a line."
          autosize
          minRows={2}
          maxRows={10}
          dir="auto"
          value={criteria}
          onChange={({ currentTarget }) => setCriteria(currentTarget.value)}
        />
        {create.error && <Failure error={create.error} />}
        <Group justify="end">
          <Button variant="default" onClick={onClose}>
            Cancel
          </Button>
          <Button type="submit" loading={create.isPending} disabled={goal.trim() === ''}>
            Create
          </Button>
        </Group>
      </Stack>
    </Paper>
  );
}
