// What every page of test money says first.
import { Alert, Stack } from '@mantine/core';
import type { ReactNode } from 'react';
import { Page } from '../../kit/page.tsx';

export function TestMoneyPage({ title, children }: { title: string; children: ReactNode }) {
  return (
    <Page title={title}>
      <Alert color="orange" title="Test money">
        This page stands for a payment processor and a bank. No real money moves, and no card is asked for.
      </Alert>
      <Stack gap="lg" maw={720}>
        {children}
      </Stack>
    </Page>
  );
}
