// A wider grant: what the agent holds now beside what it would hold.
import { Alert, Badge, Table, Text } from '@mantine/core';
import { LongText } from '../../kit/long-text.tsx';
import { type Change, changesOf, scopeRequestOf } from './scope-change.ts';
import styles from './wait.module.css';
import type { Deciding } from './use-decision.ts';
import { Verdict } from './verdict.tsx';
import type { Waiting } from './waiting.ts';

export function ScopeApproval({ wait, deciding }: { wait: Waiting; deciding: Deciding }) {
  const scopeRequest = scopeRequestOf(wait.request);
  return (
    <>
      {scopeRequest ? (
        <>
          <Table className={styles.scope ?? ''} withTableBorder aria-label={`What ${wait.agent} would be granted`}>
            <Table.Thead>
              <Table.Tr>
                <Table.Th>Right</Table.Th>
                <Table.Th>Now</Table.Th>
                <Table.Th>If you approve</Table.Th>
              </Table.Tr>
            </Table.Thead>
            <Table.Tbody>
              {changesOf(scopeRequest).map((change) => (
                <ChangeRow key={change.right} change={change} />
              ))}
            </Table.Tbody>
          </Table>
          <Text size="sm" mt="xs" component="div">
            Granted to <b>{wait.agent}</b>, of {wait.approval ? 'files of the organization' : 'your own files'}.{' '}
            {scopeRequest.reason === '' ? 'It gives no reason.' : <LongText text={`Its reason: “${scopeRequest.reason}”`} short={400} size="sm" />}
          </Text>
        </>
      ) : (
        <Alert color="gray">This request does not say what is asked for. Deny it, or let it end.</Alert>
      )}
      <Verdict deciding={deciding} isKnown={scopeRequest !== undefined} approval={wait.approval} />
    </>
  );
}

const MOST_PATTERNS = 40;

function ChangeRow({ change: { right, now, would } }: { change: Change }) {
  return (
    <Table.Tr>
      <Table.Th scope="row">{right}</Table.Th>
      <Table.Td data-head="Now">
        {now.length === 0 ? (
          <Text size="sm" c="dimmed" span>
            nothing
          </Text>
        ) : (
          now.slice(0, MOST_PATTERNS).map((text) => <div key={text}>{text}</div>)
        )}
        {now.length > MOST_PATTERNS && <div>and {now.length - MOST_PATTERNS} more</div>}
      </Table.Td>
      <Table.Td data-head="If you approve">
        {would.map(({ text, isNew }) => (
          <div key={text}>
            {isNew ? <b>{text}</b> : text}{' '}
            {isNew && (
              <Badge size="sm" radius="sm" variant="default" tt="none">
                new
              </Badge>
            )}
          </div>
        ))}
      </Table.Td>
    </Table.Tr>
  );
}
