// The files of the account, by folder.
import { ActionIcon, Breadcrumbs, Button, Group, Stack, Text } from '@mantine/core';
import { getRouteApi } from '@tanstack/react-router';
import { IconFile, IconFolder, IconPencil } from '@tabler/icons-react';
import { lazy, Suspense, useState } from 'react';
import { usePages } from '../../api/query.ts';
import { size } from '../../kit/bytes.ts';
import { List, More } from '../../kit/list.tsx';
import { Empty, Page } from '../../kit/page.tsx';
import { PageLink } from '../../kit/page-link.tsx';
import { When } from '../../kit/when.tsx';
import { dragOf, useDropOn } from './drag.ts';
import { DropArea, UploadButtons } from './drop-area.tsx';
import type { FilesSearch } from '../pages.ts';
import type { Chosen } from '../../kit/dropped.ts';
import { entriesOf, type Entry, foldersAbove, pathIn } from './entries.ts';
import styles from './files.module.css';
import { Unfinished } from './unfinished.tsx';
import { UploadList, uploads } from './upload-list.tsx';
import { number } from '../../kit/number.ts';

const FilePanel = lazy(async () => ({ default: (await import('./file-panel.tsx')).FilePanel }));
const MoveEntry = lazy(async () => ({ default: (await import('./move-entry.tsx')).MoveEntry }));
const Share = lazy(async () => ({ default: (await import('../grants/share.tsx')).Share }));
const route = getRouteApi('/files');

export function Files() {
  const { folder = '', path } = route.useSearch();
  const navigate = route.useNavigate();
  const pages = usePages('files', 'list', { query: { limit: 1000, ...(folder !== '' && { prefix: folder }) } });
  const [moving, setMoving] = useState<string>();
  /** What an agent is to see: the path of a file, or all below a folder. */
  const [shared, setShared] = useState<string>();
  const upload = (files: Chosen[]): void => uploads.add(files.map(({ relative, file }) => ({ path: pathIn(folder, relative), file })));
  const show = (shown: string | undefined): void =>
    void navigate({ search: { ...(folder !== '' && { folder }), ...(shown !== undefined && { path: shown }) }, replace: shown === undefined });
  return (
    <Page title="Files" lead="Your files. Agents see those that you let them see, and no others." actions={<UploadButtons onFiles={upload} />}>
      <DropArea onFiles={upload}>
        <Stack gap="md">
          <Where folder={folder} />
          <UploadList />
          <Unfinished />
          <List
            label="Files"
            pages={entriesOf(pages.items, folder)}
            keyOf={({ path: at }) => at}
            empty={
              <Empty title={folder === '' ? 'You have no files yet.' : 'Nothing is in this folder.'} command={`svc files put FILE${folder && ` ${folder}`}`}>
                Drop files or folders here, or upload them. A file may have 1 GiB.
              </Empty>
            }
            columns={[
              { head: 'Name', wide: true, cell: (entry) => <Name of={entry} folder={folder} /> },
              { head: 'Type', cell: (entry) => (entry.is === 'file' ? entry.file.file_type : 'folder') },
              { head: 'Size', end: true, cell: (entry) => <Size of={entry} isMore={pages.hasMore} /> },
              { head: 'Changed', end: true, cell: (entry) => entry.is === 'file' && <When at={entry.file.updated_at} /> },
              {
                head: 'Actions',
                end: true,
                cell: (entry) => (
                  <Group gap={6} justify="end" wrap="nowrap">
                    <ShareButton of={entry} onShare={setShared} />
                    <MoveButton of={entry} onMove={setMoving} />
                  </Group>
                ),
              },
            ]}
          />
          {pages.hasMore && <More pages={pages} />}
        </Stack>
      </DropArea>
      <Suspense>{path !== undefined && <FilePanel path={path} onClose={() => show(undefined)} onMoved={show} />}</Suspense>
      <Suspense>{shared !== undefined && <Share patterns={[shared]} onClose={() => setShared(undefined)} />}</Suspense>
      <Suspense>{moving !== undefined && <MoveEntry key={moving} path={moving} onClose={() => setMoving(undefined)} onMoved={() => undefined} />}</Suspense>
    </Page>
  );
}

function Where({ folder }: { folder: string }) {
  if (folder === '') return null;
  return (
    <Breadcrumbs component="nav" aria-label="Folders" separatorMargin={6} style={{ flexWrap: 'wrap' }}>
      <FolderLink name="All files" path="" />
      {foldersAbove(folder).map(({ name, path }) => (
        <FolderLink key={path} name={name} path={path} />
      ))}
    </Breadcrumbs>
  );
}

function FolderLink({ name, path }: { name: string; path: string }) {
  return (
    <span className={styles.target} {...useDropOn(path)}>
      <PageLink to="/files" search={path === '' ? {} : { folder: path }} size="sm" dir="auto" style={{ overflowWrap: 'anywhere', whiteSpace: 'normal' }}>
        {name}
      </PageLink>
    </span>
  );
}

function Name({ of: entry, folder }: { of: Entry; folder: string }) {
  return entry.is === 'folder' ? (
    <FolderName of={entry} />
  ) : (
    <Named of={entry} icon={IconFile} search={{ ...(folder !== '' && { folder }), path: entry.path }} />
  );
}

function FolderName({ of: entry }: { of: Entry }) {
  return (
    <div className={styles.target} {...useDropOn(entry.path)}>
      <Named of={entry} icon={IconFolder} search={{ folder: entry.path }} />
    </div>
  );
}

function Named({ of: { name, path }, icon: Icon, search }: { of: Entry; icon: typeof IconFile; search: FilesSearch }) {
  return (
    <Group gap={8} wrap="nowrap" align="start" {...dragOf(path)}>
      <Icon size={17} stroke={1.6} style={{ flexShrink: 0, marginTop: 2 }} aria-hidden />
      <PageLink to="/files" search={search} size="sm" dir="auto" style={{ overflowWrap: 'anywhere' }}>
        {name}
      </PageLink>
    </Group>
  );
}

function ShareButton({ of: { is, name, path }, onShare }: { of: Entry; onShare: (pattern: string) => void }) {
  return (
    <Button variant="default" size="compact-xs" aria-label={`Share ${name}`} onClick={() => onShare(is === 'folder' ? `${path}**` : path)}>
      Share
    </Button>
  );
}

function MoveButton({ of: { name, path }, onMove }: { of: Entry; onMove: (path: string) => void }) {
  return (
    <ActionIcon variant="subtle" color="gray" size={24} my={-2} aria-label={`Move or rename ${name}`} data-hint="Move or rename" onClick={() => onMove(path)}>
      <IconPencil size={16} />
    </ActionIcon>
  );
}

function Size({ of: entry, isMore }: { of: Entry; isMore: boolean }) {
  if (entry.is === 'file') return <span style={{ whiteSpace: 'nowrap' }}>{size(entry.file.size_bytes)}</span>;
  return (
    <Text size="sm" c="dimmed" span style={{ whiteSpace: 'nowrap' }}>
      {number(entry.files)}
      {isMore && '+'} {entry.files === 1 ? 'file' : 'files'}
    </Text>
  );
}
