// A project as one file: dropped, or chosen.
import { Button, Checkbox, FileButton, Group, NativeSelect, Progress, Stack, Text } from '@mantine/core';
import { IconUpload } from '@tabler/icons-react';
import { useQueryClient } from '@tanstack/react-query';
import { type DragEvent, useState } from 'react';
import { Code } from '../../kit/code.tsx';
import { Failure } from '../../kit/failure.tsx';
import { tell } from '../../kit/toasts.tsx';
import styles from './upload.module.css';
import { type Deployed, keysIn, PACK, projectProblem, uploadProject } from './upload-tarball.ts';
import { number } from '../../kit/number.ts';

const LISTING = [
  { value: '', label: 'as svc.yaml declares; a new agent is unlisted' },
  { value: 'unlisted', label: 'unlisted' },
  { value: 'public', label: 'public, once it is live' },
];

const MOST_SHOWN = 20;
const shown = (keys: readonly string[]): string =>
  [...keys.slice(0, MOST_SHOWN), ...(keys.length > MOST_SHOWN ? [`and ${keys.length - MOST_SHOWN} more`] : [])].join('\n');

export function Upload({ onDone }: { onDone: (deployed: Deployed) => void }) {
  const kept = useQueryClient();
  const [file, setFile] = useState<File | null>(null);
  const [problem, setProblem] = useState<string>();
  const [keys, setKeys] = useState<string[]>([]);
  const [allowed, setAllowed] = useState(false);
  const [over, setOver] = useState(false);
  const [listing, setListing] = useState('');
  const [progress, setProgress] = useState<number>();
  const [error, setError] = useState<unknown>();
  const take = async (one: File | null | undefined): Promise<void> => {
    if (!one) return;
    setError(undefined);
    const found = await projectProblem(one);
    setKeys(found === undefined ? await keysIn(one) : []);
    setAllowed(false);
    setProblem(found);
    setFile(found === undefined ? one : null);
  };
  const drop = (event: DragEvent): void => {
    event.preventDefault();
    setOver(false);
    void take(event.dataTransfer.files[0]);
  };
  const send = async (): Promise<void> => {
    if (!file) return;
    setError(undefined);
    setProgress(0);
    try {
      const deployed = await uploadProject(file, listing === 'public' || listing === 'unlisted' ? listing : undefined, setProgress);
      tell.done(`${deployed.name}: deployment ${deployed.number} started.`);
      void kept.invalidateQueries({ queryKey: ['agents'] });
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
        <Text size="sm">{file ? `${file.name}, ${number(Math.ceil(file.size / 1024))} KiB` : 'Drop project.tar.gz here'}</Text>
        <FileButton onChange={(one) => void take(one)} accept=".tgz,.gz,application/gzip" inputProps={{ 'aria-label': 'Project' }}>
          {(props) => (
            <Button {...props} variant="default" size="xs">
              {file ? 'Choose another' : 'Choose a file'}
            </Button>
          )}
        </FileButton>
      </div>
      {problem !== undefined && (
        <Text size="sm" c="red" role="alert">
          {problem}
        </Text>
      )}
      {keys.length > 0 && (
        <Stack gap="xs" role="alert">
          <Text size="sm" c="red">
            Nothing is uploaded yet. These files look like secrets:
          </Text>
          <Code text={shown(keys)} label="files" />
          <Text size="sm">Leave them out of the archive, and store their values under Secrets.</Text>
          <Checkbox label="They are not secrets: upload them" checked={allowed} onChange={(event) => setAllowed(event.currentTarget.checked)} />
        </Stack>
      )}
      {error !== undefined && <Failure error={error} />}
      {progress !== undefined && <Progress value={100 * progress} aria-label="Upload" animated={progress === 1} />}
      <Group justify="space-between" align="end">
        <NativeSelect label="Listed" value={listing} onChange={(event) => setListing(event.currentTarget.value)} data={LISTING} />
        <Button onClick={() => void send()} disabled={!file || (keys.length > 0 && !allowed)} loading={progress !== undefined}>
          Deploy
        </Button>
      </Group>
      <Text size="sm" c="dimmed">
        Packed with:
      </Text>
      <Code text={PACK} label="command" />
    </Stack>
  );
}
