// Simulations and comparisons of the account, and the forms that start them.
import { Box, Group, Stack, Tabs } from '@mantine/core';
import { getRouteApi, useNavigate } from '@tanstack/react-router';
import { usePages, useRead, type Item } from '../../api/query.ts';
import { RequestForm } from '../../form/request-form.tsx';
import { List, Under, type Column } from '../../kit/list.tsx';
import { ButtonLink, PageLink } from '../../kit/page-link.tsx';
import { Empty, Page, Section } from '../../kit/page.tsx';
import { State } from '../../kit/state.tsx';
import { When } from '../../kit/when.tsx';
import { inWords } from '../../kit/in-words.ts';

const route = getRouteApi('/simulations');

type Simulation = Item<'kernelSimulations', 'list'>;
type Comparison = Item<'kernelEvolution', 'list'>;

const SIMULATIONS: Column<Simulation>[] = [
  {
    head: 'Simulation',
    wide: true,
    cell: ({ job_id, title, template, world, seed, replay }) => (
      <>
        <PageLink to="/simulations/$job_id" params={{ job_id }} fw={600} dir="auto">
          {title}
        </PageLink>
        <Under>
          {template ?? inWords(world)}, seed {seed}
          {replay && (replay.matches === null ? ', a replay' : replay.matches ? ', the same digests' : ', another digest')}
        </Under>
      </>
    ),
  },
  { head: 'State', cell: ({ state }) => <State of={state} /> },
  { head: 'Invariants', cell: ({ verdict }) => verdict ?? '' },
  { head: 'Steps', end: true, cell: ({ done, total }) => `${done} of ${total}` },
  { head: 'Began', cell: ({ created_at }) => <When at={created_at} /> },
];

const COMPARISONS: Column<Comparison>[] = [
  {
    head: 'Comparison',
    wide: true,
    cell: ({ job_id, title, template, world, seed }) => (
      <>
        <PageLink to="/simulations/compared/$job_id" params={{ job_id }} fw={600} dir="auto">
          {title}
        </PageLink>
        <Under>
          {template ?? inWords(world)}, seed {seed}
        </Under>
      </>
    ),
  },
  { head: 'State', cell: ({ state }) => <State of={state} /> },
  { head: 'Proposed', cell: ({ winner, state }) => winner ?? (state === 'succeeded' ? 'nothing' : '') },
  { head: 'Contestants', end: true, cell: ({ done, total }) => `${done} of ${total}` },
  { head: 'Began', cell: ({ created_at }) => <When at={created_at} /> },
];

export function Simulations() {
  const { show, start } = route.useSearch();
  const navigate = useNavigate();
  if (start !== undefined) return <Start template={start} compare={show === 'compared'} />;
  return (
    <Page
      title="Simulations"
      lead="Worlds of many actors under the platform's own rules, from a seed: what becomes of money, grants and trust. Nothing of it is live."
    >
      <Tabs
        value={show ?? 'runs'}
        onChange={(tab) => void navigate({ to: '/simulations', search: tab === 'runs' ? {} : { show: tab as 'compared' | 'templates' } })}
      >
        <Tabs.List mb="md">
          <Tabs.Tab value="runs">Runs</Tabs.Tab>
          <Tabs.Tab value="compared">Compared policies</Tabs.Tab>
          <Tabs.Tab value="templates">Templates</Tabs.Tab>
        </Tabs.List>
        <Tabs.Panel value={show ?? 'runs'}>{show === 'templates' ? <Templates /> : show === 'compared' ? <Compared /> : <Runs />}</Tabs.Panel>
      </Tabs>
    </Page>
  );
}

function Runs() {
  const pages = usePages('kernelSimulations', 'list', { query: { limit: 50 } }, { every: 10_000 });
  const empty = (
    <Empty
      title="No simulations yet"
      action={
        <ButtonLink to="/simulations" search={{ show: 'templates' as const }} variant="light">
          Choose a template
        </ButtonLink>
      }
      command="svc simulate creator-market --follow"
    >
      Or start one here, from a template.
    </Empty>
  );
  return <List label="Simulations" pages={pages} columns={SIMULATIONS} keyOf={({ job_id }) => job_id} empty={empty} />;
}

function Compared() {
  const pages = usePages('kernelEvolution', 'list', { query: { limit: 50 } }, { every: 10_000 });
  const empty = (
    <Empty title="Nothing compared yet" command="svc evolve creator-market --follow">
      Variants of a policy are run on the same seeds. Or start one here, from a template.
    </Empty>
  );
  return <List label="Compared policies" pages={pages} columns={COMPARISONS} keyOf={({ job_id }) => job_id} empty={empty} />;
}

function Templates() {
  const { items } = useRead('kernelSimulations', 'templates', {});
  return (
    <Stack gap="lg">
      {items.map(({ template, about, spec }) => (
        <Section
          key={template}
          title={template}
          lead={about}
          actions={
            <>
              <ButtonLink size="xs" to="/simulations" search={{ start: template }} aria-label={`Run ${template}`}>
                Run
              </ButtonLink>
              <ButtonLink
                size="xs"
                variant="default"
                to="/simulations"
                search={{ start: template, show: 'compared' }}
                aria-label={`Compare policies in ${template}`}
              >
                Compare policies
              </ButtonLink>
            </>
          }
        >
          <Group gap="xs">
            <Under>{sizeOf(spec)}</Under>
          </Group>
        </Section>
      ))}
    </Stack>
  );
}

function sizeOf({ actors, steps }: Record<string, unknown>): string {
  return `${Array.isArray(actors) ? actors.length : 0} actors, ${String(steps)} steps`;
}

function Start({ template, compare }: { template: string; compare: boolean }) {
  const navigate = useNavigate();
  const cancel = (): void => void navigate({ to: '/simulations', search: { show: 'templates' } });
  const { items } = useRead('kernelSimulations', 'templates', {});
  const known = items.find((one) => one.template === template);
  // Safe: a template that the platform has named.
  const initial = { ...(known && { template: known.template as 'market' }), seed: 1 };
  const common = { input: {}, onCancel: cancel } as const;
  return (
    <Page title={compare ? 'Compare policies' : 'Run a simulation'} lead={known?.about} crumbs={[{ label: 'Simulations', to: '/simulations' }]}>
      <Box maw={640}>
        {compare ? (
          <RequestForm
            {...common}
            group="kernelEvolution"
            route="start"
            initial={initial}
            fields={['template', 'title', 'strategy', 'seed', 'variant_count', 'seeds', 'max_score_delta']}
            submit="Compare"
            onDone={({ job_id }) => void navigate({ to: '/simulations/compared/$job_id', params: { job_id } })}
          />
        ) : (
          <RequestForm
            {...common}
            group="kernelSimulations"
            route="start"
            initial={initial}
            fields={['template', 'title', 'seed', 'steps', 'deadline_seconds']}
            submit="Run"
            onDone={({ job_id }) => void navigate({ to: '/simulations/$job_id', params: { job_id } })}
          />
        )}
      </Box>
    </Page>
  );
}
