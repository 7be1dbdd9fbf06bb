// A newer template, merged into the source of the live version; conflicts are decided file by file.
import { Group, Radio, Stack, Text } from '@mantine/core';
import { useState } from 'react';
import type { Output } from '../../api/client.ts';
import { useSend } from '../../api/query.ts';
import { Action, AskingAction } from '../../kit/action.tsx';
import { Code } from '../../kit/code.tsx';
import { PageLink } from '../../kit/page-link.tsx';
import { Facts, Section } from '../../kit/page.tsx';
import { State } from '../../kit/state.tsx';
import { inWords } from '../../kit/in-words.ts';

type Update = Output<'agents', 'updateTemplate'>;
type Choices = Record<string, 'ours' | 'theirs'>;

export function TemplateUpdate({ name, isLive }: { name: string; isLive: boolean }) {
  const look = useSend('agents', 'updateTemplate', { refresh: [] });
  const sending = useSend('agents', 'updateTemplate', { done: ({ state }) => `The template is ${inWords(state)}.` });
  const [choices, setChoices] = useState<Choices>({});
  const update = sending.data ?? look.data;
  const waits = update?.state === 'proposed' || update?.state === 'conflicted';
  const undecided = update?.conflicts.filter(({ path }) => choices[path] === undefined).length ?? 0;
  const act = (action: 'update' | 'approve' | 'reject'): void =>
    sending.mutate({ params: { name }, body: { action, ...(action === 'approve' && { choices }) } });
  const not = !isLive && 'Nothing is live.';
  return (
    <Section
      title="Template"
      lead="What the project was made from. A newer one is merged into your source; what is clean is deployed."
      actions={
        <>
          <Action label="Look for a newer one" not={not} loading={look.isPending} onAct={() => look.mutate({ params: { name }, body: { action: 'check' } })} />
          {waits ? (
            <>
              <Action label="Reject" not={not} loading={sending.isPending} onAct={() => act('reject')} />
              <AskingAction
                label="Approve"
                not={not || (undecided > 0 && `Decide ${undecided} ${undecided === 1 ? 'conflict' : 'conflicts'} first.`)}
                loading={sending.isPending}
                question="Approve the proposal?"
                onAct={() => act('approve')}
              >
                The merged source is committed and deployed.
              </AskingAction>
            </>
          ) : (
            <AskingAction
              label="Update"
              not={not || (update?.state === 'none' && 'There is no newer template.')}
              loading={sending.isPending}
              question="Merge the newest template?"
              onAct={() => act('update')}
            >
              What is clean is committed and deployed, unless the policy of svc.yaml is to propose. Conflicts wait for you.
            </AskingAction>
          )}
        </>
      }
    >
      {update && <UpdateDetails name={name} update={update} choices={choices} onChoose={(path, one) => setChoices({ ...choices, [path]: one })} />}
    </Section>
  );
}

interface UpdateDetailsProps {
  name: string;
  update: Update;
  choices: Choices;
  onChoose: (path: string, one: 'ours' | 'theirs') => void;
}

function UpdateDetails({
  name,
  update: { state, template_ref, from, to, update_policy, changed_files, conflicts, deploy_id },
  choices,
  onChoose,
}: UpdateDetailsProps) {
  return (
    <Stack>
      <Facts
        of={{
          State: <State of={state} />,
          Template: template_ref ?? 'none is recorded in svc.yaml',
          Versions: from && to && (from.digest === to.digest ? `${from.version}, the newest` : `${from.version} to ${to.version}`),
          Policy: update_policy && inWords(update_policy),
          'Files that change': changed_files.length === 0 ? null : changed_files.slice(0, 100).map((path) => <div key={path}>{path}</div>),
          Deployment: deploy_id && (
            <PageLink to="/agents/mine/$name/deployments/$deployId" params={{ name, deployId: deploy_id }} inherit>
              Watch it
            </PageLink>
          ),
        }}
      />
      {conflicts.map(({ path, kind, merged }) => (
        <Stack gap="xs" key={path} component="article">
          <Group justify="space-between">
            <Text size="sm" fw={600} ff="monospace" style={{ overflowWrap: 'anywhere' }}>
              {path} ({inWords(kind)})
            </Text>
            <Radio.Group
              value={choices[path] ?? ''}
              onChange={(value) => onChoose(path, value === 'ours' ? 'ours' : 'theirs')}
              aria-label={`Whose ${path} counts`}
            >
              <Group gap="md">
                <Radio value="ours" label="Mine" />
                <Radio value="theirs" label="The template's" />
              </Group>
            </Radio.Group>
          </Group>
          {merged !== null && <Code text={merged.slice(0, 100_000)} label={`Both sides of ${path}`} maxHeight={360} />}
        </Stack>
      ))}
    </Stack>
  );
}
