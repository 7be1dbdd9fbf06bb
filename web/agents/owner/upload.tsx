// A project as a folder or as one file: dropped, or chosen.
import { Button, Checkbox, FileButton, Group, NativeSelect, Progress, Stack, Text } from '@mantine/core';
import { IconFolderUp, IconUpload } from '@tabler/icons-react';
import { useQueryClient } from '@tanstack/react-query';
import { type DragEvent, type ReactNode, useRef, useState } from 'react';
import { Code } from '../../kit/code.tsx';
import { chosenIn, entriesIn, isFolder } from '../../kit/dropped.ts';
import { Failure } from '../../kit/failure.tsx';
import { tell } from '../../kit/toasts.tsx';
import { archivedProject, folderProject, PACK, type Project } from './prepare-project.ts';
import { chosenFolder, droppedFolder, NotAProject } from './project-folder.ts';
import styles from './upload.module.css';
import { type Deployed, uploadProject } from './upload-project.ts';
import { number } from '../../kit/number.ts';

const LISTING = [
  { value: '', label: 'as svc.yaml declares; a new agent is unlisted' },
  { value: 'unlisted', label: 'unlisted' },
  { value: 'public', label: 'public, once it is live' },
];

const MOST_SHOWN = 20;
const shown = (paths: readonly string[]): string =>
  [...paths.slice(0, MOST_SHOWN), ...(paths.length > MOST_SHOWN ? [`and ${paths.length - MOST_SHOWN} more`] : [])].join('\n');

export function Upload({ onDone }: { onDone: (deployed: Deployed) => void }) {
  const queryClient = useQueryClient();
  const [project, setProject] = useState<Project>();
  const [isReading, setReading] = useState(false);
  const [problem, setProblem] = useState<string>();
  const [allowed, setAllowed] = useState(false);
  const [over, setOver] = useState(false);
  const [listing, setListing] = useState('');
  const [progress, setProgress] = useState<number>();
  const [error, setError] = useState<unknown>();
  const folder = useRef<HTMLInputElement>(null);
  const turn = useRef(0);
  const take = async (reading: Promise<Project> | undefined): Promise<void> => {
    if (!reading) return;
    const mine = (turn.current += 1);
    // What was chosen before is not sent while another is read.
    setProject(undefined);
    setAllowed(false);
    setError(undefined);
    setProblem(undefined);
    setReading(true);
    try {
      const read = await reading;
      if (turn.current === mine) setProject(read);
    } catch (reason) {
      if (turn.current !== mine) return;
      if (reason instanceof NotAProject) setProblem(reason.message);
      else setError(reason);
    } finally {
      if (turn.current === mine) setReading(false);
    }
  };
  const drop = (event: DragEvent): void => {
    event.preventDefault();
    setOver(false);
    const [first, ...others] = entriesIn(event.dataTransfer);
    const [file] = event.dataTransfer.files;
    if (others.length > 0) setProblem('Drop one folder, or one archive.');
    else void take(first && isFolder(first) ? folderProject(first.name, droppedFolder(first)) : file && archivedProject(file));
  };
  const send = async (): Promise<void> => {
    if (!project) return;
    setError(undefined);
    setProgress(0);
    try {
      const deployed = await uploadProject(project.archive, listing === 'public' || listing === 'unlisted' ? listing : undefined, setProgress);
      tell.done(`${deployed.name}: deployment ${deployed.number} started.`);
      void queryClient.invalidateQueries({ queryKey: ['agents'] });
      onDone(deployed);
    } catch (reason) {
      setError(reason);
    } finally {
      setProgress(undefined);
    }
  };
  return (
    <Stack>
      <div
        className={styles.place}
        {...(over && { 'data-over': true })}
        onDragOver={(event) => {
          event.preventDefault();
          setOver(true);
        }}
        onDragLeave={() => setOver(false)}
        onDrop={drop}
      >
        <IconUpload size={22} aria-hidden />
        <Text size="sm">
          {isReading
            ? 'Reading …'
            : project
              ? `${project.name}, ${number(Math.ceil(project.archive.size / 1024))} KiB`
              : 'Drop a folder or project.tar.gz here'}
        </Text>
        <Group gap="xs">
          <Button variant="default" size="xs" leftSection={<IconFolderUp size={14} />} onClick={() => folder.current?.click()}>
            Choose a folder
          </Button>
          <FileButton
            onChange={(one) => void take(one ? archivedProject(one) : undefined)}
            accept=".tgz,.gz,application/gzip"
            inputProps={{ 'aria-label': 'Project' }}
          >
            {(props) => (
              <Button {...props} variant="default" size="xs">
                Choose an archive
              </Button>
            )}
          </FileButton>
        </Group>
        <input
          ref={folder}
          type="file"
          hidden
          aria-label="Project folder"
          {...{ webkitdirectory: '' }}
          onChange={(event) => {
            const files = chosenIn(event.currentTarget.files);
            event.currentTarget.value = '';
            void take(files[0] && folderProject(files[0].relative.split('/')[0] ?? '', chosenFolder(files)));
          }}
        />
      </div>
      {problem !== undefined && (
        <Text size="sm" c="red" role="alert">
          {problem}
        </Text>
      )}
      {project && project.leftOut.length > 0 && (
        <Paths role="status" paths={project.leftOut} title={<Text size="sm">Left out by .gitignore, .svcignore or as never uploaded:</Text>} />
      )}
      {project && project.keys.length > 0 && (
        <Paths
          role="alert"
          paths={project.keys}
          title={
            <Text size="sm" c="red">
              Nothing is uploaded yet. These files look like secrets:
            </Text>
          }
        >
          <Text size="sm">Name them in .gitignore or .svcignore, and store their values under Secrets.</Text>
          <Checkbox label="They are not secrets: upload them" checked={allowed} onChange={(event) => setAllowed(event.currentTarget.checked)} />
        </Paths>
      )}
      {error !== undefined && <Failure error={error} />}
      {progress !== undefined && <Progress value={100 * progress} aria-label="Upload" animated={progress === 1} />}
      <Group justify="space-between" align="end">
        <NativeSelect label="Listed" value={listing} onChange={(event) => setListing(event.currentTarget.value)} data={LISTING} />
        <Button onClick={() => void send()} disabled={!project || (project.keys.length > 0 && !allowed)} loading={progress !== undefined}>
          Deploy
        </Button>
      </Group>
      <Text size="sm" c="dimmed">
        An archive is packed with:
      </Text>
      <Code text={PACK} label="command" />
    </Stack>
  );
}

function Paths({ role, title, paths, children }: { role: 'alert' | 'status'; title: ReactNode; paths: readonly string[]; children?: ReactNode }) {
  return (
    <Stack gap="xs" role={role}>
      {title}
      <Code text={shown(paths)} label="files" />
      {children}
    </Stack>
  );
}
