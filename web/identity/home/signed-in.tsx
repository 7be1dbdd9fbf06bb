import { Grid, Stack } from '@mantine/core';
import { Suspense } from 'react';
import { actsFor } from '../../api/organization.ts';
import { useRead } from '../../api/query.ts';
import { useInBrowser } from '../../kit/in-browser.ts';
import { Loading, Page } from '../../kit/page.tsx';
import { useSession } from '../../session/session.ts';
import { AccountFigures } from './figures.tsx';
import { FirstSteps } from './first-steps.tsx';
import { Failed, Running } from './jobs.tsx';
import { MyAgents } from './my-agents.tsx';
import { Newcomer } from './newcomer.tsx';
import { OrganizationSteps } from './organization-steps.tsx';
import { Waits } from './waits.tsx';

export function SignedIn() {
  return (
    <Page title="Home">
      <Suspense fallback={<Loading lines={8} />}>
        <Shown />
      </Suspense>
    </Page>
  );
}

function Shown() {
  const { acts_only_for: only } = useSession();
  const inBrowser = useInBrowser();
  const organization = only?.slug ?? (inBrowser ? actsFor() : undefined);
  const { steps } = useRead('onboarding', 'get', {});
  const isNew = organization === undefined && steps.every(({ step, completed_at }) => step === 'model_key' || completed_at === null);
  if (isNew) return <Newcomer />;
  return (
    <>
      {organization === undefined ? <FirstSteps /> : <OrganizationSteps slug={organization} />}
      <AccountFigures />
      <Grid gap="xl">
        <Grid.Col span={{ base: 12, md: 7 }}>
          <Stack gap="xl">
            <Waits />
            <Failed />
            <Running />
          </Stack>
        </Grid.Col>
        <Grid.Col span={{ base: 12, md: 5 }}>
          <MyAgents />
        </Grid.Col>
      </Grid>
    </>
  );
}
