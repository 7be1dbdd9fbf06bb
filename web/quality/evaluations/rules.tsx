// The rules that score the runs of an agent.
import { Button, Group, Paper, Stack, Text, TextInput } from '@mantine/core';
import { useState } from 'react';
import { useRead, useSend } from '../../api/query.ts';
import { RequestForm } from '../../form/request-form.tsx';
import { AskingAction } from '../../kit/action.tsx';
import { List, Under } from '../../kit/list.tsx';
import { Empty, Section } from '../../kit/page.tsx';
import { State } from '../../kit/state.tsx';
import { When } from '../../kit/when.tsx';
import { checkWords, percent, type Rule } from './words.ts';

const NAME = /^[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?$/;

export function Rules({ name }: { name: string }) {
  const { items } = useRead('evaluations', 'rules', { params: { name } });
  /** '': a new one. */
  const [asked, setAsked] = useState<string>();
  return (
    <Section
      title="Rules"
      lead="A rule scores runs that end from now on. A judge is a language model of yours: its answers cost what they cost."
      actions={asked === undefined && <Button onClick={() => setAsked('')}>Create a rule</Button>}
    >
      {asked !== undefined && <RuleForm key={asked} name={name} before={items.find(({ rule }) => rule === asked)} onClose={() => setAsked(undefined)} />}
      <List
        label="Rules"
        pages={items}
        keyOf={({ rule }) => rule}
        empty={asked === undefined && <Empty title="No rules." command={`svc rules set ${name} quick --max-ms 2000`} />}
        columns={[
          {
            head: 'Rule',
            wide: true,
            cell: ({ rule, check, skills, sample }) => (
              <>
                <code>{rule}</code>
                <Text size="sm" dir="auto">
                  {checkWords(check).slice(0, 600)}
                </Text>
                <Under>
                  {skills.length === 0 ? 'all skills' : skills.join(', ')}
                  {sample < 1 && ` · ${percent(sample, 1)} of the runs`}
                </Under>
              </>
            ),
          },
          { head: 'Now', cell: ({ enabled }) => <State of={enabled ? 'active' : 'paused'} label={enabled ? 'on' : 'off'} /> },
          { head: 'Changed', cell: ({ updated_at }) => <When at={updated_at} /> },
          {
            head: 'Actions',
            end: true,
            cell: (rule) => (
              <Group gap="xs" justify="end" wrap="nowrap">
                <Switch name={name} rule={rule} />
                <Button size="xs" variant="default" onClick={() => setAsked(rule.rule)} aria-label={`Change ${rule.rule}`}>
                  Change
                </Button>
                <Delete name={name} rule={rule.rule} />
              </Group>
            ),
          },
        ]}
      />
    </Section>
  );
}

function RuleForm({ name, before, onClose }: { name: string; before: Rule | undefined; onClose: () => void }) {
  const [rule, setRule] = useState(before?.rule ?? '');
  const [confirmed, setConfirmed] = useState(before !== undefined);
  const isName = NAME.test(rule);
  return (
    <Paper withBorder p="md" mb="md">
      <Stack>
        <Group align="end">
          <TextInput
            label="Name of the rule"
            description="Lower-case letters, digits and inner hyphens: short-answers."
            value={rule}
            readOnly={confirmed}
            onChange={(event) => setRule(event.currentTarget.value)}
            error={rule !== '' && !isName && 'Use lower-case letters, digits and inner hyphens.'}
          />
          {!confirmed && (
            <Button disabled={!isName} onClick={() => setConfirmed(true)}>
              Next
            </Button>
          )}
        </Group>
        {confirmed && (
          <RequestForm
            group="evaluations"
            route="putRule"
            input={{ params: { name, rule } }}
            initial={
              before
                ? { check: before.check, skills: before.skills, sample: before.sample, enabled: before.enabled }
                : { check: { kind: 'latency', max_ms: 2_000 } }
            }
            submit={before ? 'Save rule' : 'Create rule'}
            done={`${rule} is set: runs that end from now on are scored.`}
            onDone={onClose}
            onCancel={onClose}
          />
        )}
      </Stack>
    </Paper>
  );
}

function Switch({ name, rule: { rule, check, skills, sample, enabled } }: { name: string; rule: Rule }) {
  const sending = useSend('evaluations', 'putRule', { done: `${rule} is ${enabled ? 'off' : 'on'}.` });
  return (
    <Button
      size="xs"
      variant="default"
      loading={sending.isPending}
      onClick={() => sending.mutate({ params: { name, rule }, body: { check, skills, sample, enabled: !enabled } })}
    >
      {enabled ? 'Switch off' : 'Switch on'}
    </Button>
  );
}

function Delete({ name, rule }: { name: string; rule: string }) {
  const sending = useSend('evaluations', 'deleteRule', { done: `${rule} is deleted.` });
  return (
    <AskingAction label="Delete" size="xs" question={`Delete ${rule}?`} loading={sending.isPending} onAct={() => sending.mutate({ params: { name, rule } })}>
      Its scores go, too.
    </AskingAction>
  );
}
