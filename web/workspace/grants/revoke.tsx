import { useSend } from '../../api/query.ts';
import { AskingAction } from '../../kit/action.tsx';
import type { GrantRow } from './model.ts';

export function Revoke({ grant: { grant_id, audience }, isValid, size }: { grant: GrantRow; isValid: boolean; size?: 'xs' }) {
  const revoking = useSend('grants', 'revoke', { done: `Grant for ${audience} revoked.`, refresh: ['grants'] });
  return (
    <AskingAction
      label="Revoke"
      {...(size && { size })}
      question="Revoke this grant?"
      not={!isValid && 'It is not valid any more.'}
      loading={revoking.isPending}
      onAct={() => revoking.mutate({ params: { grant_id } })}
    >
      From its next use on, {audience} and the agents that it was delegated to can read and write nothing with it. A run that needs it may fail.
    </AskingAction>
  );
}
