// Arguments and results as tables of their members; the schema itself can be opened below.
import { Code as InlineCode, Table, Text, UnstyledButton } from '@mantine/core';
import { useDisclosure } from '@mantine/hooks';
import type { JsonSchema } from '../../form/schema.ts';
import { Json } from '../../kit/code.tsx';
import { type MemberRow, rowsOf, saysSomething } from './members.ts';
import styles from './skill-table.module.css';

const SHOWN = 14;

export function SchemaTable({ schema, label, none }: { schema: JsonSchema; label: string; none: string }) {
  const [isOpen, { toggle }] = useDisclosure();
  const [isWhole, { open: showAll }] = useDisclosure();
  const all = rowsOf(schema);
  const rows = isWhole || all.length <= SHOWN + 2 ? all : all.slice(0, SHOWN);
  return (
    <div>
      {rows.length === 0 ? (
        <Text size="sm" c="dimmed">
          {saysSomething(schema) ? none : 'Any JSON.'}
        </Text>
      ) : (
        <Table className={styles.members ?? ''} aria-label={label} verticalSpacing={6} horizontalSpacing="sm">
          <Table.Thead>
            <Table.Tr>
              <Table.Th>Name</Table.Th>
              <Table.Th>Type</Table.Th>
              <Table.Th>Meaning</Table.Th>
            </Table.Tr>
          </Table.Thead>
          <Table.Tbody>
            {rows.map((row, at) => (
              <Row key={`${at} ${row.path}`} row={row} />
            ))}
          </Table.Tbody>
        </Table>
      )}
      {rows.length < all.length && (
        <UnstyledButton className={styles.toggle ?? ''} onClick={showAll} me="md">
          Show all {all.length} members
        </UnstyledButton>
      )}
      {saysSomething(schema) && (
        <UnstyledButton className={styles.toggle ?? ''} onClick={toggle} aria-expanded={isOpen}>
          {isOpen ? 'Hide' : 'Show'} the JSON Schema
        </UnstyledButton>
      )}
      {isOpen && <Json value={schema} label={`JSON Schema of ${label}`} maxHeight={320} />}
    </div>
  );
}

function Row({ row: { path, depth, type, required, help, notes } }: { row: MemberRow }) {
  return (
    <Table.Tr>
      <Table.Td style={{ paddingInlineStart: `calc(var(--mantine-spacing-sm) + ${depth * 14}px)` }}>
        <InlineCode style={{ overflowWrap: 'anywhere' }}>{path}</InlineCode>
        {required && (
          <Text span size="xs" c="dimmed" ms={6}>
            required
          </Text>
        )}
      </Table.Td>
      <Table.Td>
        <Text size="sm" style={{ overflowWrap: 'anywhere' }}>
          {type}
        </Text>
      </Table.Td>
      <Table.Td>
        {help !== '' && (
          <Text size="sm" dir="auto" style={{ overflowWrap: 'anywhere' }}>
            {help.slice(0, 1000)}
          </Text>
        )}
        {notes.length > 0 && (
          <Text size="xs" c="dimmed" style={{ overflowWrap: 'anywhere' }}>
            {notes.join(' · ')}
          </Text>
        )}
      </Table.Td>
    </Table.Tr>
  );
}
