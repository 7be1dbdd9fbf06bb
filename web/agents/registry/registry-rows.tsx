import { Anchor, Badge, Group, Text } from '@mantine/core';
import { Link } from '@tanstack/react-router';
import type { ReactNode } from 'react';
import { List, Under } from '../../kit/list.tsx';
import { State } from '../../kit/state.tsx';
import { When } from '../../kit/when.tsx';
import { Tags } from './tags.tsx';

/** What every list of agents has; the others say more. */
export interface Row {
  name: string;
  description: string;
  version: string | null;
  tags: readonly string[];
  skills: readonly string[];
  updated_at: string;
  mine?: boolean;
  kind?: string;
  state?: string;
  out_of_service?: { reason: string } | null;
  note?: string | undefined;
}

const SHOWN_SKILLS = 4;
const LONGEST = 180;

export function AgentRows({ rows, empty }: { rows: readonly Row[]; empty: ReactNode }) {
  return (
    <List
      label="Agents"
      pages={rows}
      keyOf={({ name }) => name}
      empty={empty}
      columns={[
        { head: 'Agent', wide: true, cell: (row) => <Name row={row} /> },
        { head: 'Skills', cell: ({ skills }) => <Skills skills={skills} /> },
        { head: 'State', cell: (row) => <Stands row={row} /> },
        { head: 'Changed', end: true, cell: ({ updated_at: at }) => <When at={at} /> },
      ]}
    />
  );
}

function Name({ row: { name, description, mine, kind, tags, note } }: { row: Row }) {
  return (
    <>
      <Group gap={6}>
        <Anchor component={Link} to={`/agents/${encodeURIComponent(name)}`} fw={600} style={{ overflowWrap: 'anywhere' }}>
          {name}
        </Anchor>
        {mine && <Mark text="yours" />}
        {kind === 'imported' && <Mark text="imported" />}
        {tags.length > 0 && <Tags tags={tags.slice(0, 5)} />}
      </Group>
      {description !== '' && <Under>{description.length > LONGEST ? `${description.slice(0, LONGEST)}…` : description}</Under>}
      {note && (
        <Text size="xs" c="var(--mantine-color-orange-light-color)">
          {note}
        </Text>
      )}
    </>
  );
}

function Mark({ text }: { text: string }) {
  return (
    <Badge variant="outline" color="gray" size="sm" tt="none" radius="sm">
      {text}
    </Badge>
  );
}

function Skills({ skills }: { skills: readonly string[] }) {
  if (skills.length === 0) return <>–</>;
  const more = skills.length - SHOWN_SKILLS;
  return (
    <Text size="sm" maw="20rem" component="span" style={{ overflowWrap: 'anywhere' }}>
      {skills.slice(0, SHOWN_SKILLS).join(', ')}
      {more > 0 && ` and ${more} more`}
    </Text>
  );
}

function Stands({ row: { state, out_of_service: out, version } }: { row: Row }) {
  return (
    <>
      {out ? <State of="failing" label="out of service" /> : state && <State of={state} />}
      {version !== null && <Under>{version}</Under>}
    </>
  );
}
