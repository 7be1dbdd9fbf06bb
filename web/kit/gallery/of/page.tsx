import { Button } from '@mantine/core';
import { Empty, Facts, Loading, Page, Section } from '../../page.tsx';
import { State } from '../../state.tsx';
import type { States } from '../states.ts';

export const page: States = {
  'a page with all its parts': () => (
    <Page title="greeter" beside={<State of="live" />} lead="Greets people." actions={<Button>Deploy</Button>} crumbs={[{ label: 'Agents', to: '/' }]}>
      <Section title="Versions" lead="The newest first." actions={<Button variant="default">Compare</Button>}>
        Its content.
      </Section>
    </Page>
  ),
  'facts; what is null is left out': () => <Facts of={{ Owner: 'ada@svc.local', Version: '1.2.0', Region: null }} />,
  'nothing is here': () => <Empty title="No runs" />,
  'nothing is here, and what to do': () => (
    <Empty title="No schedules" command="svc schedules create">
      A schedule starts a run at given times.
    </Empty>
  ),
  loading: () => <Loading lines={2} />,
};
