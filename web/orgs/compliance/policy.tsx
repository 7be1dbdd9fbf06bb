// Which frameworks hold, how long contents are kept, whether there is a legal hold.
import { Alert, Box, Group } from '@mantine/core';
import { getRouteApi } from '@tanstack/react-router';
import { useState } from 'react';
import type { Output } from '../../api/client.ts';
import { useRead, useSend } from '../../api/query.ts';
import { RequestForm } from '../../form/request-form.tsx';
import { Action, AskingAction } from '../../kit/action.tsx';
import { Facts, Section } from '../../kit/page.tsx';
import { When } from '../../kit/when.tsx';
import { Frame } from './frame.tsx';
import { inWords } from '../../kit/in-words.ts';

type Purge = Output<'compliance', 'enforce'>;
const route = getRouteApi('/organizations/$slug/compliance/policy');

export function Policy() {
  const { slug } = route.useParams();
  const { frameworks, retention_days, legal_hold, hold_reason, version, updated_at } = useRead('compliance', 'policy', { params: { slug } });
  return (
    <Frame slug={slug} lead="Contents are inputs, outputs, events, traces and files of runs. Receipts are kept forever.">
      {legal_hold && <Alert title="Legal hold">{hold_reason || 'Nothing is removed.'}</Alert>}
      {version === 0 && <Alert title="Not saved yet">These are the defaults. Nothing is removed until a policy is saved.</Alert>}
      <Box maw={640}>
        <RequestForm
          key={version}
          group="compliance"
          route="putPolicy"
          input={{ params: { slug } }}
          initial={{ frameworks, retention_days, legal_hold, hold_reason, version }}
          fields={['frameworks', 'retention_days', 'legal_hold', 'hold_reason']}
          submit="Save"
          done="Saved."
          refresh={['compliance']}
        />
      </Box>
      {updated_at !== null && <Facts of={{ Version: version, Changed: <When at={updated_at} /> }} />}
      {version > 0 && !legal_hold && <Removal slug={slug} days={retention_days} />}
    </Frame>
  );
}

function Removal({ slug, days }: { slug: string; days: number }) {
  const [counted, setCounted] = useState<Purge>();
  const enforce = useSend('compliance', 'enforce', { refresh: ['compliance'], onDone: setCounted });
  const input = (dry_run: boolean) => ({ params: { slug }, body: { dry_run } });
  return (
    <Section title="Remove old contents" lead={`Every night removes what is older than ${days} days.`}>
      <Group gap="xs" mb="md">
        <Action label="Count" loading={enforce.isPending} onAct={() => enforce.mutate(input(true))} />
        <AskingAction label="Remove now" question="Remove old contents now?" loading={enforce.isPending} onAct={() => enforce.mutate(input(false))}>
          It cannot be undone. Receipts stay.
        </AskingAction>
      </Group>
      {counted && (
        <Facts
          of={{
            [counted.dry_run ? 'Would go, older than' : 'Goes, older than']: <When at={counted.before} />,
            ...Object.fromEntries(Object.entries(counted.counts).map(([table, rows]) => [inWords(table), rows])),
          }}
        />
      )}
    </Section>
  );
}
