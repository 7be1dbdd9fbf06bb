// The source of an agent: its files, an editor, commits and deploys.
import { Alert, Button, Group, Modal, Stack, Text } from '@mantine/core';
import { useBlocker } from '@tanstack/react-router';
import { getRouteApi } from '@tanstack/react-router';
import { lazy, Suspense, useState } from 'react';
import { useRead, useSend } from '../../api/query.ts';
import { AskingAction } from '../../kit/action.tsx';
import { Copyable } from '../../kit/copy.tsx';
import { Empty, Facts, Loading, Section } from '../../kit/page.tsx';
import { InTerminal } from '../../kit/in-terminal.tsx';
import { type Mine, useMine } from '../../agents/owner/frame.tsx';
import { Commit } from './commit.tsx';
import { changesOf, type Drafts } from './drafts.ts';
import { Files } from './files.tsx';
import styles from './source.module.css';
import { useDrafts } from './use-drafts.ts';

const File = lazy(async () => ({ default: (await import('./file.tsx')).File }));

const route = getRouteApi('/agents/mine/$name/source');

export interface Edits {
  drafts: Drafts;
  change: (how: (was: Drafts) => Drafts) => void;
}

export function Source() {
  const mine = useMine();
  if (mine.kind === 'imported') return <Empty title="The source of this agent is elsewhere.">It was imported: edit it where it runs.</Empty>;
  return <Repository mine={mine} />;
}

function Repository({ mine }: { mine: Mine }) {
  const { name, code_editor: isOn } = mine;
  const { file } = route.useSearch();
  const source = useRead('agents', 'source', { params: { name } });
  const { files, commit } = useRead('sourceEditor', 'files', { params: { name } });
  const [drafts, change] = useDrafts(name);
  const edits: Edits = { drafts, change };
  const hasChanges = changesOf(drafts).length > 0;
  return (
    <Stack>
      <Leaving hasChanges={hasChanges} />
      <Section
        title="Source"
        lead={isOn ? 'Edit here, or clone it. A push to main deploys.' : 'Read it here, or clone it. To edit here, switch the editor on.'}
        actions={<Switch mine={mine} />}
      >
        <Facts
          of={{
            Repository: <Copyable value={source.clone_url} label="address of the repository" />,
            'Newest commit': source.head && <Commits head={source.head} live={source.live_commit} />,
          }}
        />
        <InTerminal command={`svc clone ${name}`} />
      </Section>
      {isOn && hasChanges && <Commit name={name} edits={edits} />}
      {files.length === 0 && !isOn ? (
        <Empty title="The repository is empty." command={`svc clone ${name}`}>
          Push a project to it, or switch the editor on and write one here.
        </Empty>
      ) : (
        <div className={styles.workbench}>
          <Files name={name} files={files} edits={edits} readOnly={!isOn} />
          {file === undefined ? (
            <Empty title={files.length === 0 ? 'The repository is empty.' : 'Choose a file.'}>
              {files.length === 0 ? 'Make the first file: svc.yaml names the agent, its version and its entry point.' : 'Its text is shown here.'}
            </Empty>
          ) : (
            <Suspense fallback={<Loading lines={4} />}>
              <File key={file} name={name} path={file} commit={commit} files={files} edits={edits} readOnly={!isOn} />
            </Suspense>
          )}
        </div>
      )}
    </Stack>
  );
}

function Commits({ head, live }: { head: string; live: string | null }) {
  const liveText = live === head ? 'is live' : live === null ? 'nothing is live' : `live is ${live.slice(0, 8)}`;
  return (
    <>
      <code>{head.slice(0, 8)}</code>, {liveText}
    </>
  );
}

function Switch({ mine: { name, code_editor } }: { mine: Mine }) {
  const on = useSend('agents', 'enableCodeEditor', { done: 'The editor is on.' });
  const off = useSend('agents', 'disableCodeEditor', { done: 'The editor is off.' });
  const input = { params: { name } };
  if (!code_editor)
    return (
      <Button loading={on.isPending} onClick={() => on.mutate(input)}>
        Switch the editor on
      </Button>
    );
  return (
    <AskingAction label="Switch the editor off" question="Switch the editor off?" loading={off.isPending} onAct={() => off.mutate(input)}>
      Other editors that are connected lose their tokens at once. The repository stays, and git works as before.
    </AskingAction>
  );
}

/** What is not committed is kept for this tab; leaving asks all the same. */
function Leaving({ hasChanges }: { hasChanges: boolean }) {
  const [isStill, setStill] = useState(false);
  const { status, proceed, reset } = useBlocker({
    shouldBlockFn: ({ current, next }) => hasChanges && !isStill && current.pathname !== next.pathname,
    enableBeforeUnload: () => hasChanges,
    withResolver: true,
  });
  return (
    <Modal opened={status === 'blocked'} onClose={() => reset?.()} title="Leave without a commit?" centered>
      <Text size="sm">What you wrote is kept in this tab, and is here when you come back. Closing the tab loses it.</Text>
      <Group justify="end" mt="md">
        <Button variant="default" onClick={() => reset?.()}>
          Stay
        </Button>
        <Button
          onClick={() => {
            setStill(true);
            proceed?.();
          }}
        >
          Leave
        </Button>
      </Group>
    </Modal>
  );
}

export function NotText({ path }: { path: string }) {
  return (
    <Alert color="gray" title={`${path} is not text.`}>
      Change it with git: it can be renamed and deleted here.
    </Alert>
  );
}
