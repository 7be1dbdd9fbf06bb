// What runs, and what failed lately.
import { Anchor, Text } from '@mantine/core';
import { Link } from '@tanstack/react-router';
import { useRead } from '../../api/query.ts';
import { refreshInterval } from '../../api/refresh-interval.ts';
import { now } from '../../api/visit.ts';
import { useInBrowser } from '../../kit/in-browser.ts';
import { type Column, List, Under } from '../../kit/list.tsx';
import { Section } from '../../kit/page.tsx';
import { PageLink } from '../../kit/page-link.tsx';
import { When } from '../../kit/when.tsx';
import { kindWords } from '../../runs/list/words.ts';
import { failed, running, SHOWN_JOBS as SHOWN } from './queries.ts';
import { endedSince, type FailedRun, type Job, pageOf, yesterday, yesterdayInUtc } from './recent.ts';

export function Running() {
  const { items, next_cursor: more } = useRead('workLedger', 'activity', running, { every: refreshInterval(5_000) });
  return (
    <Section title="Running" {...(more && { actions: <AllRuns label="All runs" /> })}>
      <List
        label="Running"
        pages={items}
        keyOf={({ job_id }) => job_id}
        empty={<Nothing>Nothing runs now.</Nothing>}
        columns={[work, { head: 'Since', end: true, cell: ({ started_at, created_at }) => <When at={started_at ?? created_at} /> }]}
      />
    </Section>
  );
}

export function Failed() {
  const { items, next_cursor: more } = useRead('myRuns', 'list', failed, { every: 15_000 });
  // By the reader's clock, which a server does not know.
  const inBrowser = useInBrowser();
  const lately = endedSince(items, (inBrowser ? yesterday : yesterdayInUtc)(new Date(now())));
  const hasMore = lately.length > SHOWN || (lately.length === items.length && more !== null);
  return (
    <Section title="Failed since yesterday" {...(hasMore && { actions: <AllRuns label="All failed runs" state="failed" /> })}>
      <List
        label="Failed since yesterday"
        pages={lately.slice(0, SHOWN)}
        keyOf={({ id }) => id}
        empty={<Nothing>Nothing failed.</Nothing>}
        columns={[failure, { head: 'When', end: true, cell: ({ ended_at }) => ended_at && <When at={ended_at} /> }]}
      />
    </Section>
  );
}

const work: Column<Job> = {
  head: 'Work',
  wide: true,
  cell: (job) => (
    <>
      <Anchor component={Link} to={pageOf(job)} size="sm" dir="auto">
        {job.title.slice(0, 200)}
      </Anchor>
      <Under>{job.error ? job.error.message.slice(0, 300) : kindWords(job.kind)}</Under>
    </>
  ),
};

const failure: Column<FailedRun> = {
  head: 'Work',
  wide: true,
  cell: ({ run_id, job_id, title, message, error_code }) => (
    <>
      <Anchor component={Link} to={run_id === null ? `/jobs/${job_id}` : `/runs/${run_id}`} size="sm" dir="auto">
        {title.slice(0, 200)}
      </Anchor>
      <Under>{(message ?? error_code ?? '').slice(0, 300)}</Under>
    </>
  ),
};

function AllRuns({ label, state }: { label: string; state?: 'failed' }) {
  return (
    <PageLink to="/runs" search={state ? { state } : {}} size="sm">
      {label}
    </PageLink>
  );
}

function Nothing({ children }: { children: string }) {
  return (
    <Text size="sm" c="dimmed">
      {children}
    </Text>
  );
}
