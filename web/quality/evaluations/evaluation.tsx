// How good the runs of the agent are: scores per version, the rules, datasets, and evaluations over them.
import { Group, Stack } from '@mantine/core';
import { getRouteApi } from '@tanstack/react-router';
import { PageLink } from '../../kit/page-link.tsx';
import { Datasets } from './datasets.tsx';
import { Evaluations } from './evaluations.tsx';
import { Rules } from './rules.tsx';
import { Scores } from './scores.tsx';

const route = getRouteApi('/agents/mine/$name/evaluation');
const VIEWS = [
  { label: 'Scores', show: undefined },
  { label: 'Rules', show: 'rules' },
  { label: 'Datasets', show: 'datasets' },
  { label: 'Evaluations', show: 'evaluations' },
] as const;

export function Evaluation() {
  const { name } = route.useParams();
  const { show, dataset, evaluation } = route.useSearch();
  return (
    <Stack>
      <Group gap="md" component="nav" aria-label="Views of the evaluation">
        {VIEWS.map((view) => (
          <PageLink
            key={view.label}
            to="/agents/mine/$name/evaluation"
            activeOptions={{ exact: true }}
            params={{ name }}
            search={view.show === undefined ? {} : { show: view.show }}
            size="sm"
            {...(view.show === show && { 'aria-current': 'page' as const, fw: 650, c: 'var(--mantine-color-text)', underline: 'always' as const })}
          >
            {view.label}
          </PageLink>
        ))}
      </Group>
      {show === undefined && <Scores name={name} />}
      {show === 'rules' && <Rules name={name} />}
      {show === 'datasets' && <Datasets name={name} dataset={dataset} />}
      {show === 'evaluations' && <Evaluations name={name} id={evaluation} />}
    </Stack>
  );
}
