// A finding: how bad it is, the calls that show it, and its answer.
import { Button, Modal, Stack, Text } from '@mantine/core';
import { useDisclosure } from '@mantine/hooks';
import type { Output } from '../../api/client.ts';
import { RequestForm } from '../../form/request-form.tsx';
import { Json } from '../../kit/code.tsx';
import { List, Under, type Column } from '../../kit/list.tsx';
import { State } from '../../kit/state.tsx';
import { When } from '../../kit/when.tsx';
import type { Pages } from '../../api/query.ts';
import type { ReactNode } from 'react';

export type Finding = Output<'findings', 'list'>['items'][number];

const SEVERITY = { critical: 'failed', warning: 'warning', info: 'info' } as const;
const ANSWERS = { fixed: 'fixed', accepted: 'accepted', false_alarm: 'false alarm' } as const;

export function FindingList({ name, pages, empty }: { name: string; pages: Pages<Finding> | readonly Finding[]; empty: ReactNode }) {
  const columns: Column<Finding>[] = [
    { head: 'Severity', cell: ({ severity }) => <State of={SEVERITY[severity]} label={severity} /> },
    { head: 'Finding', wide: true, cell: (finding) => <FindingDetails of={finding} /> },
    { head: 'Found', end: true, cell: ({ created_at }) => <When at={created_at} /> },
    { head: 'Answer', end: true, cell: (finding) => <Answer name={name} of={finding} /> },
  ];
  return <List label="Findings" pages={pages} columns={columns} keyOf={({ finding_id }) => finding_id} empty={empty} />;
}

function FindingDetails({ of: { title, message, rule, skill, confirmed, reproduction, version } }: { of: Finding }) {
  return (
    <>
      <Text size="sm" fw={600} dir="auto">
        {title}
      </Text>
      <Text size="sm" dir="auto" style={{ overflowWrap: 'anywhere' }}>
        {message}
      </Text>
      <Under>
        Rule <code>{rule}</code>
        {skill !== null && (
          <>
            , skill <code>{skill}</code>
          </>
        )}
        {version !== null && <>, version {version}</>}
        {!confirmed && <>. It did not show again, so it freezes nothing.</>}
      </Under>
      {reproduction && (
        <details>
          <summary>
            <Text span size="sm">
              {reproduction.calls.length === 1 ? 'The call that shows it' : `The ${reproduction.calls.length} calls that show it`}
              {reproduction.parallel && ', made at once'}
            </Text>
          </summary>
          <Json value={reproduction.calls} label="calls" />
        </details>
      )}
    </>
  );
}

function Answer({ name, of }: { name: string; of: Finding }) {
  const [isOpen, { open, close }] = useDisclosure();
  const { finding_id, state, answer, reason, answered_by, title } = of;
  if (state === 'answered')
    return (
      <>
        <State of="answered" label={answer === null ? 'answered' : ANSWERS[answer]} />
        {reason !== null && <Under>{answered_by === 'platform' ? reason : `“${reason}”`}</Under>}
      </>
    );
  return (
    <>
      <Button variant="default" size="compact-sm" onClick={open} aria-label={`Answer: ${title}`}>
        Answer
      </Button>
      <Modal opened={isOpen} onClose={close} title={title} centered>
        <Stack ta="start">
          <Text size="sm">
            “Fixed” makes the calls again at the live version and is refused while they still show it. “Accepted” and “false alarm” stand on your word. Your
            reason stays beside the finding.
          </Text>
          <RequestForm
            group="findings"
            route="answer"
            input={{ params: { name, finding_id } }}
            submit="Answer"
            done="The finding is answered."
            refresh={['findings', 'adversarialReviewLoops']}
            onDone={close}
            onCancel={close}
          />
        </Stack>
      </Modal>
    </>
  );
}
