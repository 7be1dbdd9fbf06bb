// Accounts: who they are, and how much they have.
import { TextInput } from '@mantine/core';
import { useDebouncedCallback } from '@mantine/hooks';
import { getRouteApi } from '@tanstack/react-router';
import { IconSearch } from '@tabler/icons-react';
import { Suspense, useState } from 'react';
import { usePages } from '../../api/query.ts';
import { List, Under } from '../../kit/list.tsx';
import { Empty, Loading } from '../../kit/page.tsx';
import { PageLink } from '../../kit/page-link.tsx';
import { State } from '../../kit/state.tsx';
import { When } from '../../kit/when.tsx';
import { OperatorPage } from '../operator-page.tsx';
import { queryOf } from './search.ts';

const route = getRouteApi('/operator/users');

export function Users() {
  const { q = '' } = route.useSearch();
  const navigate = route.useNavigate();
  const [text, setText] = useState(q);
  const show = useDebouncedCallback((value: string) => void navigate({ search: value.trim() === '' ? {} : { q: value.trim() }, replace: true }), 250);
  return (
    <OperatorPage title="Users" lead="Accounts of this installation, the newest first. Operators see who they are and how much they have, never what.">
      <TextInput
        aria-label="Search by e-mail or user id"
        placeholder="A part of the e-mail, or the start of a user id"
        leftSection={<IconSearch size={16} />}
        maw={420}
        value={text}
        onChange={(event) => {
          setText(event.currentTarget.value);
          show(event.currentTarget.value);
        }}
      />
      <Suspense fallback={<Loading lines={4} />}>
        <UserList q={q} />
      </Suspense>
    </OperatorPage>
  );
}

/** Counts end there. */
const COUNTED_TO = 1_000;
const count = (value: number): string => (value >= COUNTED_TO ? `${COUNTED_TO}+` : String(value));

function UserList({ q }: { q: string }) {
  const users = usePages('admin', 'listUsers', { query: { limit: 50, ...queryOf(q) } });
  return (
    <List
      label="Users"
      pages={users}
      keyOf={({ user_id }) => user_id}
      empty={<Empty title={q === '' ? 'No accounts yet.' : 'No account matches.'}>The first sign-in of a user makes an account.</Empty>}
      columns={[
        {
          head: 'Account',
          wide: true,
          cell: ({ user_id, email, name }) => (
            <>
              <PageLink to="/operator/users/$user_id" params={{ user_id }} size="sm">
                {email}
              </PageLink>
              <Under>{name ?? user_id}</Under>
            </>
          ),
        },
        { head: 'Role', cell: ({ operator }) => (operator ? <State of="operator" /> : 'user') },
        { head: 'Agents', end: true, cell: ({ agents }) => count(agents) },
        { head: 'Runs', end: true, cell: ({ runs }) => count(runs) },
        { head: 'Seen', end: true, cell: ({ last_seen_at: at }) => <When at={at} /> },
        { head: 'Since', end: true, cell: ({ created_at: at }) => <When at={at} /> },
      ]}
    />
  );
}
