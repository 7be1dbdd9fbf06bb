// The tree of files, with what was changed and not committed.
import { Badge, Button, Group, Modal, Paper, Text, TextInput } from '@mantine/core';
import { useDisclosure } from '@mantine/hooks';
import { IconChevronDown, IconChevronRight, IconFile, IconFilePlus } from '@tabler/icons-react';
import { getRouteApi, Link } from '@tanstack/react-router';
import { type FormEvent, useState } from 'react';
import type { Output } from '../../api/client.ts';
import { edited, pathProblem } from './drafts.ts';
import type { Edits } from './source.tsx';
import styles from './source.module.css';
import { rowsOf, treeOf } from './tree.ts';
import { number } from '../../kit/number.ts';

const route = getRouteApi('/agents/mine/$name/source');
const MOST = 2_000;

export type SourceFiles = Output<'sourceEditor', 'files'>['files'];

export interface FilesProps {
  name: string;
  files: SourceFiles;
  edits: Edits;
  readOnly: boolean;
}

export function Files({ name, files, edits, readOnly }: FilesProps) {
  const { drafts } = edits;
  const { file } = route.useSearch();
  const [toggled, setToggled] = useState<ReadonlySet<string>>(new Set());
  const paths = [...new Set([...files.map(({ path }) => path), ...Object.keys(drafts)])];
  // Small projects are open as a whole, large ones along the way to the file.
  const opens = (path: string): boolean => (paths.length <= 60 || (file ?? '').startsWith(`${path}/`)) !== toggled.has(path);
  const rows = rowsOf(treeOf(paths), opens);
  const toggle = (path: string): void => setToggled(new Set(toggled.has(path) ? [...toggled].filter((one) => one !== path) : [...toggled, path]));
  return (
    <Paper withBorder p={6} component="nav" aria-label="Files">
      {!readOnly && <NewFile edits={edits} paths={paths} />}
      <div className={styles.tree}>
        <ul>
          {rows.slice(0, MOST).map((row) => (
            <li key={`${row.kind}:${row.path}`} style={{ paddingInlineStart: row.depth * 14 }}>
              {row.kind === 'folder' ? (
                <button
                  type="button"
                  className={styles.entry}
                  style={{ border: 0, background: 'none', cursor: 'pointer' }}
                  aria-expanded={row.open}
                  onClick={() => toggle(row.path)}
                >
                  {row.open ? <IconChevronDown size={14} /> : <IconChevronRight size={14} />} {row.name}
                </button>
              ) : (
                <Link
                  to="/agents/mine/$name/source"
                  params={{ name }}
                  search={{ file: row.path }}
                  resetScroll={false}
                  className={styles.entry}
                  {...(drafts[row.path]?.content === null && { 'data-gone': true })}
                >
                  <IconFile size={14} /> {row.name} <Mark draft={drafts[row.path]} />
                </Link>
              )}
            </li>
          ))}
        </ul>
        {rows.length > MOST && (
          <Text size="xs" c="dimmed" p={6}>
            {number(rows.length - MOST)} more: close folders to see them.
          </Text>
        )}
      </div>
    </Paper>
  );
}

function Mark({ draft }: { draft: Edits['drafts'][string] | undefined }) {
  if (!draft) return null;
  const [label, color] = draft.content === null ? ['gone', 'red'] : draft.blob === null ? ['new', 'teal'] : ['changed', 'blue'];
  return (
    <Badge size="xs" variant="light" color={color} tt="none" ms="auto" style={{ flexShrink: 0 }}>
      {label}
    </Badge>
  );
}

function NewFile({ edits, paths }: { edits: Edits; paths: string[] }) {
  const [isOpen, { open, close }] = useDisclosure();
  const navigate = route.useNavigate();
  return (
    <>
      <Button variant="default" size="xs" fullWidth leftSection={<IconFilePlus size={14} />} mb={6} onClick={open}>
        New file
      </Button>
      <PathDialog
        title="New file"
        submit="Create file"
        opened={isOpen}
        onClose={close}
        taken={(path) => paths.includes(path) && edits.drafts[path]?.content !== null}
        onPath={(path) => {
          edits.change((was) => edited(was, path, '', null));
          void navigate({ search: { file: path }, resetScroll: false });
        }}
      />
    </>
  );
}

export interface PathDialogProps {
  title: string;
  submit: string;
  opened: boolean;
  onClose: () => void;
  initial?: string;
  taken: (path: string) => boolean;
  onPath: (path: string) => void;
}

export function PathDialog({ title, submit, opened, onClose, initial = '', taken, onPath }: PathDialogProps) {
  const [path, setPath] = useState(initial);
  const [problem, setProblem] = useState<string>();
  const send = (event: FormEvent): void => {
    event.preventDefault();
    const issue = pathProblem(path.trim(), taken);
    setProblem(issue);
    if (issue !== undefined) return;
    onPath(path.trim());
    setPath(initial);
    onClose();
  };
  return (
    <Modal opened={opened} onClose={onClose} title={title} centered>
      <form onSubmit={send}>
        <TextInput
          label="Path"
          value={path}
          error={problem}
          onChange={(event) => setPath(event.currentTarget.value)}
          placeholder="lib/words.ts"
          data-autofocus
        />
        <Group justify="end" mt="md">
          <Button variant="default" onClick={onClose}>
            Cancel
          </Button>
          <Button type="submit">{submit}</Button>
        </Group>
      </form>
    </Modal>
  );
}
