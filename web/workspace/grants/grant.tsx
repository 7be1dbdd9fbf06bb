import { Group, Paper, Text } from '@mantine/core';
import { getRouteApi } from '@tanstack/react-router';
import { useRead } from '../../api/query.ts';
import { Copyable } from '../../kit/copy.tsx';
import { Empty, Facts, Page, Section } from '../../kit/page.tsx';
import { PageLink } from '../../kit/page-link.tsx';
import { State } from '../../kit/state.tsx';
import { When } from '../../kit/when.tsx';
import { type Branch, byId, type GrantRow, stateOf, treeOf, writesTo } from './model.ts';
import { Revoke } from './revoke.tsx';
import { kindInWords, Patterns } from './shared.tsx';
import styles from './grant.module.css';

const route = getRouteApi('/grants/$grant_id');

export function Grant() {
  const { grant_id } = route.useParams();
  const grant = useRead('grants', 'get', { params: { grant_id } });
  const all = byId([grant, ...grant.extensions]);
  const tree = treeOf(grant, grant.extensions);
  return (
    <Page
      title={`Grant for ${grant.audience}`}
      beside={<State of={grant.state} />}
      lead={grant.reason ?? undefined}
      crumbs={[{ label: 'Grants', to: '/grants' }]}
      actions={<Revoke grant={grant} isValid={grant.state === 'active'} />}
    >
      <Facts of={factsOf(grant)} />
      <Section title="Delegated grants" lead="Agents that hold a grant may hand on as much of it, or less. What came from a revoked grant is not valid either.">
        {tree.below.length === 0 ? (
          <Empty title="No delegated grants.">{grant.audience} may hand it on to other agents, as far as it reaches, until it ends.</Empty>
        ) : (
          <Paper withBorder p="sm">
            <Branches of={tree.below} all={all} />
          </Paper>
        )}
        {grant.truncated && (
          <Text size="sm" c="dimmed">
            There are more than {grant.extensions.length}.
          </Text>
        )}
      </Section>
    </Page>
  );
}

function factsOf(grant: GrantRow) {
  return {
    Agent: (
      <PageLink to="/agents/$name" params={{ name: grant.audience }}>
        {grant.audience}
      </PageLink>
    ),
    'May read': <Patterns of={grant.allow_patterns} />,
    'But not': grant.deny_patterns.length > 0 ? <Patterns of={grant.deny_patterns} /> : null,
    'May write': writesTo(grant),
    'Came by': kindInWords(grant),
    'Given by': grant.issuer.startsWith('usr_') ? 'you' : grant.issuer,
    Given: <When at={grant.issued_at} />,
    Until: <When at={grant.expires_at} />,
    Revoked: grant.revoked_at && (
      <>
        <When at={grant.revoked_at} />
        {grant.revoked_reason && `: ${grant.revoked_reason}`}
      </>
    ),
    'In the run': grant.run_id && <Copyable value={grant.run_id} label="run id" />,
    'Derived from': grant.parent_grant_id && <GrantLink id={grant.parent_grant_id} />,
    'In its place': grant.superseded_by && <GrantLink id={grant.superseded_by} />,
    Id: <Copyable value={grant.grant_id} label="grant id" />,
  };
}

function GrantLink({ id }: { id: string }) {
  return (
    <PageLink to="/grants/$grant_id" params={{ grant_id: id }} ff="monospace" size="sm">
      {id}
    </PageLink>
  );
}

function Branches({ of, all }: { of: Branch[]; all: Map<string, GrantRow> }) {
  return (
    <ul className={styles.branches}>
      {of.map(({ grant, below }) => (
        <li key={grant.grant_id}>
          <Group gap="xs">
            <PageLink to="/grants/$grant_id" params={{ grant_id: grant.grant_id }}>
              {grant.audience}
            </PageLink>
            <State of={stateOf(grant, all)} />
            <Text size="sm" c="dimmed" span>
              {kindInWords(grant)}; ends <When at={grant.expires_at} />
            </Text>
          </Group>
          <Group gap="xs">
            <Text size="sm" c="dimmed" span>
              reads
            </Text>
            <Patterns of={grant.allow_patterns} />
            <Text size="sm" c="dimmed" span>
              writes {writesTo(grant)}
            </Text>
          </Group>
          {below.length > 0 && <Branches of={below} all={all} />}
        </li>
      ))}
    </ul>
  );
}
