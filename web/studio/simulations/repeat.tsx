// Running it again: at the platform, as another job; or here, in this browser, with the same engine.
import { Button, Text } from '@mantine/core';
import { useState } from 'react';
import type { Output } from '../../api/client.ts';
import { PageLink } from '../../kit/page-link.tsx';
import { tell } from '../../kit/toasts.tsx';

type Run = Output<'kernelSimulations', 'get'>;
type Replay = NonNullable<Run['replay']>;

export function Repeat({ run, onReplay, loading }: { run: Run; onReplay: (() => void) | undefined; loading: boolean }) {
  const [checking, setChecking] = useState(false);
  const check = async (): Promise<void> => {
    setChecking(true);
    try {
      const { replayHere } = await import('#contract/studio/simulation/replay.ts');
      const { matches, first_difference } = await replayHere(run);
      if (matches) tell.done(`This browser computes the same ${run.digests.length} digests.`);
      else tell.failed(new Error(`This browser computes another digest at step ${first_difference}.`));
    } catch (error) {
      tell.failed(error instanceof Error ? error : new Error('It could not be repeated here.'));
    } finally {
      setChecking(false);
    }
  };
  return (
    <>
      <Button variant="default" loading={checking} disabled={run.digests.length === 0} onClick={() => void check()}>
        Check in this browser
      </Button>
      <Button variant="default" loading={loading} disabled={!onReplay} onClick={() => onReplay?.()}>
        Replay
      </Button>
    </>
  );
}

export function Replayed({ replay: { of, matches, first_difference }, to }: { replay: Replay; to: '/simulations/$job_id' | '/simulations/compared/$job_id' }) {
  return (
    <Text size="sm" component="span">
      {matches === null ? 'Repeats' : matches ? 'Every digest is the same as in' : `Differs from number ${first_difference} on from`}{' '}
      <PageLink to={to} params={{ job_id: of }} inherit>
        the first run
      </PageLink>
    </Text>
  );
}
