// What the organization meets of each framework, by which evidence, and what to do next.
import { Anchor, List as Lines, Text } from '@mantine/core';
import { getRouteApi, Link } from '@tanstack/react-router';
import type { Output } from '../../api/client.ts';
import { useRead } from '../../api/query.ts';
import { List, Under, type Column } from '../../kit/list.tsx';
import { Section } from '../../kit/page.tsx';
import { State } from '../../kit/state.tsx';
import { Advice } from '../../kit/advice.tsx';
import { Frame } from './frame.tsx';

type Status = Output<'compliance', 'status'>;
type Evidence = Status['evidence'][number];
type Control = Status['frameworks'][number]['controls'][number];
const route = getRouteApi('/organizations/$slug/compliance');

export function Status() {
  const { slug } = route.useParams();
  const status = useRead('compliance', 'status', { params: { slug } }, { every: 60_000 });
  return (
    <Frame slug={slug} lead="Each control is as good as the evidence that the platform has of it. What is proved outside of the platform is said so.">
      <Section title="To do next">
        {status.next_actions.length === 0 ? (
          <Text size="sm">Nothing is open.</Text>
        ) : (
          <Lines size="sm">
            {status.next_actions.map((text) => (
              <Lines.Item key={text}>
                <Advice text={text} />
              </Lines.Item>
            ))}
          </Lines>
        )}
      </Section>
      {status.frameworks.map(({ framework, title, counts, controls }) => (
        <Section
          key={framework}
          title={title}
          lead={`${counts.met} met, ${counts.partly} partly, ${counts.not_met} not met, ${counts.not_applicable} not applicable`}
        >
          <List label={title} pages={controls} columns={CONTROLS} keyOf={({ control_id }) => control_id} empty={null} />
        </Section>
      ))}
      <Section title="Evidence">
        <List label="Evidence" pages={status.evidence} columns={EVIDENCE} keyOf={({ name }) => name} empty={null} />
      </Section>
    </Frame>
  );
}

const CONTROLS: Column<Control>[] = [
  {
    head: 'Control',
    cell: ({ reference }) => (
      <Text size="sm" style={{ whiteSpace: 'nowrap' }}>
        {reference}
      </Text>
    ),
  },
  {
    head: 'About',
    wide: true,
    cell: ({ title, reason }) => (
      <>
        {title}
        <Under>{reason}</Under>
      </>
    ),
  },
  { head: 'State', cell: ({ state }) => <State of={state} /> },
];

const EVIDENCE: Column<Evidence>[] = [
  {
    head: 'Evidence',
    wide: true,
    cell: ({ title, reason, link, next_action }) => (
      <>
        {link === null ? (
          title
        ) : (
          <Anchor component={Link} to={link} size="sm">
            {title}
          </Anchor>
        )}
        <Under>{reason}</Under>
        {next_action !== null && (
          <Under>
            Next: <Advice text={next_action} />
          </Under>
        )}
      </>
    ),
  },
  { head: 'State', cell: ({ state }) => <State of={state} /> },
];
