// A goal in; what is best done about it is shown before anything is made.
import { useNavigate } from '@tanstack/react-router';
import { useState } from 'react';
import type { Output } from '../../api/client.ts';
import { useSend } from '../../api/query.ts';
import { Page } from '../../kit/page.tsx';
import { BriefForm } from './brief-form.tsx';
import { briefOf, type Draft, newDraft } from './draft.ts';
import { PlanShown } from './plan.tsx';

/** A plan with the brief that it holds for. */
interface Resolved {
  plan: Output<'agentStudio', 'resolve'>;
  draft: Draft;
}

export function NewAgent({ given }: { given: Partial<Draft> }) {
  const navigate = useNavigate();
  const [draft, setDraft] = useState(() => newDraft(given));
  const [resolved, setResolved] = useState<Resolved>();
  const resolve = useSend('agentStudio', 'resolve', { quiet: true, refresh: [] });
  const ask = (about: Draft): void => {
    setDraft(about);
    resolve.mutate({ body: briefOf(about) }, { onSuccess: (plan) => setResolved({ plan, draft: about }) });
  };
  return (
    <Page
      title="Create an agent"
      crumbs={[{ label: 'Studio', to: '/studio' }]}
      lead="First you see what is there already, and what is best done. Nothing is made before you say so."
    >
      {resolved ? (
        <PlanShown
          key={resolved.plan.plan_id}
          {...resolved}
          error={resolve.error}
          isPending={resolve.isPending}
          onResolve={ask}
          onBack={() => {
            resolve.reset();
            setResolved(undefined);
          }}
        />
      ) : (
        <BriefForm
          draft={draft}
          onChange={(part) => setDraft((now) => ({ ...now, ...part }))}
          onSubmit={() => ask(draft)}
          onCancel={() => void navigate({ to: '/studio', search: {} })}
          error={resolve.error}
          isPending={resolve.isPending}
        />
      )}
    </Page>
  );
}
