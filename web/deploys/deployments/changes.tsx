// What one deployment has that another has not: its card, dependencies and files, by their commits.
import { Group, NativeSelect, Stack, Table, Text } from '@mantine/core';
import { useQuery, useSuspenseQueries } from '@tanstack/react-query';
import { getRouteApi } from '@tanstack/react-router';
import { lazy, Suspense } from 'react';
import { read } from '../../api/query.ts';
import { PageLink } from '../../kit/page-link.tsx';
import { Failure } from '../../kit/failure.tsx';
import { Empty, Loading, Section } from '../../kit/page.tsx';
import { State } from '../../kit/state.tsx';
import { maybe } from '../../agents/owner/maybe.ts';
import { CardChanges } from './card-changes.tsx';
import { DEPENDENCY_FILES, dependencyChanges, type DependencyFile } from './dependencies.ts';
import { type FileChange, fileChanges } from './file-changes.ts';
import type { DeploymentOf } from './list.tsx';
import { number } from '../../kit/number.ts';

const Diff = lazy(async () => ({ default: (await import('../source/diff.tsx')).Diff }));

const route = getRouteApi('/agents/mine/$name/deployments/$deployId');
const MOST_SHOWN = 300;

export function Changes({ name, one, all }: { name: string; one: DeploymentOf; all: DeploymentOf[] }) {
  const { against } = route.useSearch();
  const navigate = route.useNavigate();
  const others = all.filter(({ deploy_id }) => deploy_id !== one.deploy_id);
  // What served before this one, where nothing else is asked for.
  const served = others.find(({ number, state }) => number < one.number && state !== 'failed' && state !== 'cancelled');
  const other = others.find(({ deploy_id }) => deploy_id === against) ?? served ?? others.find(({ number }) => number < one.number);
  if (!other) return <Empty title="There is no other deployment to compare with.">It is the first one.</Empty>;
  return (
    <Stack>
      <Group gap="sm">
        <NativeSelect
          label="Compared with"
          value={other.deploy_id}
          onChange={(event) =>
            void navigate({ search: (was) => ({ ...was, against: event.currentTarget.value, file: undefined }), replace: true, resetScroll: false })
          }
          data={others.map(({ deploy_id, number, version, state }) => ({
            value: deploy_id,
            label: `${number}${version === null ? '' : ` · ${version}`} (${state})`,
          }))}
        />
      </Group>
      <CardChanges name={name} before={other.deploy_id} after={one.deploy_id} />
      {other.source_commit === null || one.source_commit === null ? (
        <Empty title="One of the two has no commit to compare.">Its source was not kept in the repository of the agent.</Empty>
      ) : (
        <Between name={name} before={other.source_commit} after={one.source_commit} />
      )}
    </Stack>
  );
}

function Between({ name, before, after }: { name: string; before: string; after: string }) {
  const params = { name };
  const [was, is] = useSuspenseQueries({
    queries: [maybe('sourceEditor', 'files', { params, query: { commit: before } }), maybe('sourceEditor', 'files', { params, query: { commit: after } })],
  });
  if (!was.data || !is.data) return <Empty title="One of the commits is no longer in the repository.">A forced push replaced it.</Empty>;
  const changes = fileChanges(was.data.files, is.data.files);
  const dependencies = DEPENDENCY_FILES.find((file) => changes.some(({ path }) => path === file));
  if (changes.length === 0)
    return (
      <Empty title="The source is the same.">The two differ in what they were built on, or in nothing: secrets and settings are no part of the source.</Empty>
    );
  return (
    <>
      {dependencies && <Dependencies name={name} file={dependencies} before={before} after={after} />}
      <Files name={name} changes={changes} before={before} after={after} />
    </>
  );
}

function Dependencies({ name, file, before, after }: { name: string; file: DependencyFile; before: string; after: string }) {
  const at = (commit: string) => maybe('sourceEditor', 'file', { params: { name, path: file }, query: { commit } });
  const [was, is] = [useQuery(at(before)), useQuery(at(after))];
  if (was.error ?? is.error) return null;
  if (was.data === undefined || is.data === undefined) return <Loading lines={1} />;
  const changes = dependencyChanges(file, was.data?.content, is.data?.content);
  if (changes.length === 0) return null;
  return (
    <Section title="Dependencies" lead={`By ${file}.`}>
      <Table aria-label="Dependencies that changed">
        <Table.Thead>
          <Table.Tr>
            <Table.Th>Package</Table.Th>
            <Table.Th>Before</Table.Th>
            <Table.Th>After</Table.Th>
          </Table.Tr>
        </Table.Thead>
        <Table.Tbody>
          {changes.slice(0, MOST_SHOWN).map(({ name: dependency, before: from, after: to }) => (
            <Table.Tr key={dependency}>
              <Table.Td style={{ overflowWrap: 'anywhere' }}>{dependency.slice(0, 200)}</Table.Td>
              <Table.Td style={{ overflowWrap: 'anywhere' }}>{from?.slice(0, 200) ?? 'not there'}</Table.Td>
              <Table.Td style={{ overflowWrap: 'anywhere' }}>{to?.slice(0, 200) ?? 'removed'}</Table.Td>
            </Table.Tr>
          ))}
        </Table.Tbody>
      </Table>
      <More count={changes.length} />
    </Section>
  );
}

const KIND: Record<FileChange['kind'], string> = { added: 'applied', removed: 'failed', changed: 'running', renamed: 'renamed' };

function Files({ name, changes, before, after }: { name: string; changes: FileChange[]; before: string; after: string }) {
  const { deployId } = route.useParams();
  const { file } = route.useSearch();
  const shown = changes.find(({ path }) => path === file);
  return (
    <Section title="Files" lead={`${number(changes.length)} ${changes.length === 1 ? 'file differs' : 'files differ'}.`}>
      <Stack gap={6} component="ul" m={0} p={0} mb="md" style={{ listStyle: 'none' }}>
        {changes.slice(0, MOST_SHOWN).map(({ path, kind, from }) => (
          <Group component="li" key={path} gap="xs" wrap="nowrap">
            <State of={KIND[kind]} label={kind} />
            <PageLink
              to="/agents/mine/$name/deployments/$deployId"
              params={{ name, deployId }}
              search={(was: object) => ({ ...was, file: path })}
              resetScroll={false}
              size="sm"
              ff="monospace"
              style={{ overflowWrap: 'anywhere' }}
              {...(path === file && { fw: 700 })}
            >
              {from === undefined ? path : `${from} → ${path}`}
            </PageLink>
          </Group>
        ))}
      </Stack>
      <More count={changes.length} />
      {shown && (
        <Suspense fallback={<Loading lines={3} />}>
          <OneFile key={shown.path} name={name} change={shown} before={before} after={after} />
        </Suspense>
      )}
    </Section>
  );
}

function OneFile({ name, change, before, after }: { name: string; change: FileChange; before: string; after: string }) {
  const at = (path: string, commit: string, isThere: boolean) => ({
    ...read('sourceEditor', 'file', { params: { name, path }, query: { commit } }),
    enabled: isThere,
  });
  const was = useQuery(at(change.from ?? change.path, before, change.kind !== 'added'));
  const is = useQuery(at(change.path, after, change.kind !== 'removed'));
  const error = was.error ?? is.error;
  if (error) return <Failure error={error} />;
  if (was.isLoading || is.isLoading) return <Loading lines={3} />;
  if ([was.data, is.data].some((file) => file?.encoding === 'base64')) return <Text size="sm">{change.path} is not text.</Text>;
  return <Diff path={change.path} before={was.data?.content ?? ''} after={is.data?.content ?? ''} label={`What changed in ${change.path}`} />;
}

function More({ count }: { count: number }) {
  if (count <= MOST_SHOWN) return null;
  return (
    <Text size="sm" c="dimmed">
      {number(count - MOST_SHOWN)} more are not shown: <code>git diff</code> in a clone shows all.
    </Text>
  );
}
