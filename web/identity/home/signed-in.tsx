import { Grid, Stack } from '@mantine/core';
import { Suspense } from 'react';
import { Loading, Page } from '../../kit/page.tsx';
import { FirstSteps } from './first-steps.tsx';
import { Failed, Running } from './jobs.tsx';
import { MyAgents } from './my-agents.tsx';
import { Waits } from './waits.tsx';

export function SignedIn() {
  return (
    <Page title="Home">
      <Suspense fallback={<Loading lines={8} />}>
        <FirstSteps />
        <Grid gap="xl">
          <Grid.Col span={{ base: 12, md: 7 }}>
            <Stack gap="xl">
              <Waits />
              <Running />
              <Failed />
            </Stack>
          </Grid.Col>
          <Grid.Col span={{ base: 12, md: 5 }}>
            <MyAgents />
          </Grid.Col>
        </Grid>
      </Suspense>
    </Page>
  );
}
