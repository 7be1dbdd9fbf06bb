// Feature flags of the installation.
import { Button, Group, Modal } from '@mantine/core';
import { useState } from 'react';
import type { Output } from '../../api/client.ts';
import { useRead, useSend } from '../../api/query.ts';
import { RequestForm } from '../../form/request-form.tsx';
import { Action, AskingAction } from '../../kit/action.tsx';
import { List, Under } from '../../kit/list.tsx';
import { Empty } from '../../kit/page.tsx';
import { When } from '../../kit/when.tsx';
import { OperatorPage } from '../operator-page.tsx';
import { number } from '../../kit/number.ts';
import { inWords } from '../../kit/in-words.ts';

type Flag = Output<'admin', 'listFeatureFlags'>['items'][number];

export function FeatureFlags() {
  const { items } = useRead('admin', 'listFeatureFlags', {});
  const [editing, setEditing] = useState<Flag | 'new'>();
  return (
    <OperatorPage
      title="Feature flags"
      lead="Typed switches: a default for everyone, and values of single accounts, which are set at the account."
      actions={<Button onClick={() => setEditing('new')}>Define a flag</Button>}
    >
      <List
        label="Feature flags"
        pages={items}
        keyOf={({ flag_key: key }) => key}
        empty={<Empty title="There are no feature flags.">Programs ask for the flags of an account at /v1/me/feature-flags.</Empty>}
        columns={[
          {
            head: 'Flag',
            wide: true,
            cell: ({ flag_key: key, description }) => (
              <>
                <code>{key}</code>
                <Under>{description}</Under>
              </>
            ),
          },
          { head: 'Type', cell: ({ type, choices }) => (choices ? `one of ${choices.join(', ')}` : inWords(type)) },
          { head: 'Default', cell: ({ default_value: value }) => <code>{String(value)}</code> },
          { head: 'Of their own', end: true, cell: ({ overrides }) => `${number(overrides)} ${overrides === 1 ? 'account' : 'accounts'}` },
          { head: 'Changed', end: true, cell: ({ updated_at: at }) => <When at={at} /> },
          { head: 'Change', end: true, cell: (flag) => <Change of={flag} onEdit={() => setEditing(flag)} /> },
        ]}
      />
      {editing && <FlagForm flag={editing === 'new' ? undefined : editing} onClose={() => setEditing(undefined)} />}
    </OperatorPage>
  );
}

function Change({ of: { flag_key: key, overrides }, onEdit }: { of: Flag; onEdit: () => void }) {
  const removing = useSend('admin', 'deleteFeatureFlag', { done: `${key} is deleted.`, refresh: ['admin', 'featureFlags'] });
  return (
    <Group gap="xs" justify="end" wrap="nowrap">
      <Action label="Change" size="xs" onAct={onEdit} />
      <AskingAction
        label="Delete"
        size="xs"
        color="red"
        variant="light"
        question={`Delete the flag ${key}?`}
        {...(overrides > 0 && { typed: key })}
        loading={removing.isPending}
        onAct={() => removing.mutate({ params: { flag_key: key } })}
      >
        Programs can no longer read it. {overrides > 0 && `The values of ${number(overrides)} accounts are deleted, too.`}
      </AskingAction>
    </Group>
  );
}

function FlagForm({ flag, onClose }: { flag: Flag | undefined; onClose: () => void }) {
  const initial = flag && { flag_key: flag.flag_key, type: flag.type, default_value: flag.default_value, description: flag.description };
  return (
    <Modal opened onClose={onClose} title={flag ? `Change ${flag.flag_key}` : 'Define a flag'} size="lg">
      <RequestForm
        group="admin"
        route="putFeatureFlag"
        input={{}}
        initial={initial ? { ...initial, ...(flag.choices && { choices: flag.choices }) } : { type: 'boolean', default_value: false, description: '' }}
        submit="Set the flag"
        done={({ flag_key: key }) => `${key} is set.`}
        refresh={['admin', 'featureFlags']}
        onDone={onClose}
        onCancel={onClose}
      />
    </Modal>
  );
}
