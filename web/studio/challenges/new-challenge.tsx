// Begins a challenge, and says what it will do.
import { Alert, Box, List, Stack, Text } from '@mantine/core';
import { useNavigate } from '@tanstack/react-router';
import { RequestForm } from '../../form/request-form.tsx';
import { Section } from '../../kit/page.tsx';

export function NewChallenge({ name, onClose }: { name: string; onClose: () => void }) {
  const navigate = useNavigate();
  return (
    <Section title="New challenge" lead="Of the version that is live now.">
      <Stack maw={640}>
        <Alert color="orange" variant="light" title="Effects">
          <List size="sm">
            <List.Item>
              It really calls the skills that you name, as you, some hundred times. Without names it calls all that are not declared destructive.
            </List.Item>
            <List.Item>
              It puts two folders with test files into your workspace and one entry into the agent’s memory of you, and removes them at the end.
            </List.Item>
            <List.Item>It deploys, publishes and changes nothing. A critical finding keeps the agent from being promoted until you answer it.</List.Item>
            <List.Item>It works without a language model. With one of yours it also tries calls that generators do not think of, within the budget.</List.Item>
          </List>
        </Alert>
        <Text size="sm">Skills in “dry” are not called: what would be sent is shown.</Text>
        <Box>
          <RequestForm
            group="adversarialReviewLoops"
            route="create"
            input={{ params: { name } }}
            submit="Begin"
            done="The challenge started."
            onDone={({ job_id }) => void navigate({ to: '/agents/mine/$name/challenges/$jobId', params: { name, jobId: job_id } })}
            onCancel={onClose}
          />
        </Box>
      </Stack>
    </Section>
  );
}
