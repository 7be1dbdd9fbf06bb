// The rules of the account: written, checked as they are written, and tried over the last decisions before
// they hold.
import { Alert, Anchor, Checkbox, Group, List as Bullets, Stack, Text } from '@mantine/core';
import { Link } from '@tanstack/react-router';
import { lazy, Suspense, useState } from 'react';
import { writeRuleFile } from '#contract/policy/rule-file.ts';
import { type Output, send } from '../../api/client.ts';
import { useRead, useSend } from '../../api/query.ts';
import { Action } from '../../kit/action.tsx';
import { List } from '../../kit/list.tsx';
import { Loading, Page, Section } from '../../kit/page.tsx';
import { tell } from '../../kit/toasts.tsx';
import { When } from '../../kit/when.tsx';
import { PolicyTabs } from './parts.tsx';
import { Review, type Tried } from './review.tsx';
import { bodyOf, useCheck } from './use-check.ts';
import { number } from '../../kit/number.ts';
import { inWords } from '../../kit/in-words.ts';

const RuleEditor = lazy(async () => ({ default: (await import('./rule-editor.tsx')).RuleEditor }));
const LAST = 1_000;
const SHOWN = 10;

type RuleSet = Output<'policy', 'rules'>;

const EXAMPLE = `// An example: change it, then see what it would have done.
@id("ask-before-writing")
forbid(principal, action == Action::"write_file_without_approval", resource);
`;

export function Rules() {
  const ruleSet = useRead('policy', 'rules', { query: {} });
  return (
    <Page
      title="Rules for agents"
      beside={ruleSet.version > 0 && <Text c="dimmed">version {ruleSet.version}</Text>}
      lead={
        <>
          What agents may do with your account, in Cedar: allow, deny, or ask a person. Rules only restrict.{' '}
          <Anchor component={Link} to="/docs/policy" inherit underline="always">
            How to write them
          </Anchor>
        </>
      }
    >
      <PolicyTabs />
      {ruleSet.broken !== null && (
        <Alert color="red" title="These rules cannot be evaluated">
          {ruleSet.broken}
        </Alert>
      )}
      <Editing key={ruleSet.version} kept={ruleSet} />
    </Page>
  );
}

function Editing({ kept }: { kept: RuleSet }) {
  const saved = kept.version === 0 ? '' : writeRuleFile(kept);
  const [begin, setBegin] = useState({ round: 0, text: kept.version === 0 ? EXAMPLE : saved });
  const [text, setText] = useState(begin.text);
  const [recordAllowed, setRecordAllowed] = useState(kept.record_allowed);
  const [review, setReview] = useState<{ of: string; tried: Tried }>();
  const checked = useCheck(text);
  const tried = review?.of === text ? review.tried : undefined;
  const isChanged = text !== saved || recordAllowed !== kept.record_allowed;
  const test = useSend('policy', 'test', { refresh: [] });
  const put = useSend('policy', 'putRules', { done: ({ version }) => `Version ${version} is in effect.` });
  const load = (from: string): void => {
    setText(from);
    setBegin(({ round }) => ({ round: round + 1, text: from }));
  };
  const body = bodyOf(checked.file);
  const wrong = checked.problems.length > 0 ? 'Correct what is marked first.' : !isChanged && 'Nothing was changed.';
  return (
    <Stack gap="lg">
      <Stack gap="xs">
        <Suspense fallback={<Loading />}>
          <RuleEditor key={begin.round} text={begin.text} problems={checked.problems} warnings={checked.warnings} onChange={setText} />
        </Suspense>
        <Problems {...checked} />
        <Checkbox
          label="Keep what was allowed, too"
          description="The facts of allowed decisions, so that changes can be tried over them. What was denied or asked is always kept."
          checked={recordAllowed}
          onChange={(event) => setRecordAllowed(event.currentTarget.checked)}
        />
        <Group gap="xs">
          <Action
            label={`Try over the last ${number(LAST)} decisions`}
            not={wrong}
            loading={test.isPending}
            onAct={() => test.mutate({ body: { ...body, last: LAST } }, { onSuccess: (answer) => setReview({ of: text, tried: answer }) })}
          />
          <Action
            label="Save"
            variant="filled"
            not={wrong || (checked.isChecking && 'The rules are being checked.') || (text !== saved && !tried && 'See what the change would have done first.')}
            loading={put.isPending}
            onAct={() => put.mutate({ body: { ...body, record_allowed: recordAllowed, version: kept.version } })}
          />
        </Group>
      </Stack>
      {tried && <Review tried={tried} />}
      <Versions kept={kept} onLoad={load} />
    </Stack>
  );
}

function Problems({ problems, warnings, isChecking, file }: ReturnType<typeof useCheck>) {
  const all = [...problems.map((one) => ({ ...one, kind: 'error' })), ...warnings.map((one) => ({ ...one, kind: 'warning' }))].slice(0, SHOWN);
  const count = file.policies.length;
  const state = isChecking ? 'Checking…' : `${count} ${count === 1 ? 'policy is' : 'policies are'} valid.`;
  return (
    <div role="status">
      {all.length === 0 ? (
        <Text size="sm" c="dimmed">
          {state} Where none matches, it is {file.default_outcome === 'allow' ? 'allowed' : 'denied'}.
        </Text>
      ) : (
        <Bullets size="sm">
          {all.map(({ kind, policy, line, message, help }) => (
            <Bullets.Item key={`${line} ${message}`}>
              <Text span size="sm" fw={600}>
                {kind === 'error' ? 'Line' : 'Warning, line'} {line ?? 1}
                {policy === null ? '' : `, ${policy}`}:
              </Text>{' '}
              {message}
              {help !== null && ` (${help})`}
            </Bullets.Item>
          ))}
        </Bullets>
      )}
    </div>
  );
}

function Versions({ kept, onLoad }: { kept: RuleSet; onLoad: (text: string) => void }) {
  if (kept.history.length === 0) return null;
  const load = async (version: number): Promise<void> => {
    try {
      onLoad(writeRuleFile(await send('policy', 'rules', { query: { version } })));
    } catch (error) {
      tell.failed(error);
    }
  };
  return (
    <Section title="Versions" lead="Each save is one. An earlier one is loaded into the editor, and holds once it is saved again.">
      <List
        label="Versions"
        pages={kept.history}
        keyOf={({ version }) => String(version)}
        columns={[
          { head: 'Version', cell: ({ version }) => (version === kept.version ? <span style={{ whiteSpace: 'nowrap' }}>{version}, in effect</span> : version) },
          { head: 'Policies', end: true, cell: ({ policies }) => policies },
          { head: 'Where none matches', cell: ({ default_outcome }) => inWords(default_outcome) },
          { head: 'Saved', cell: ({ created_at }) => <When at={created_at} /> },
          { head: 'Hash', wide: true, cell: ({ hash }) => <code>{hash.slice(0, 12)}</code> },
          { head: 'Actions', end: true, cell: ({ version }) => <Action label="Load" size="compact-sm" onAct={() => void load(version)} /> },
        ]}
        empty={null}
      />
    </Section>
  );
}
