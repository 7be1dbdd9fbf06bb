import { Skeleton } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { receiptQuery } from '../../evidence/receipts/loaded.ts';
import { Verified } from '../../evidence/receipts/verified.tsx';
import { Failure } from '../../kit/failure.tsx';
import { Empty } from '../../kit/page.tsx';
import { type ShownRun, useRunInput } from './use-run.ts';

/** Held against the arguments and the result that are kept. */
export function RunReceipt({ runId, shown: { agent, receiptId, isOver, run } }: { runId: string; shown: ShownRun }) {
  const { data, error, refetch } = useQuery({ ...receiptQuery(agent, receiptId ?? ''), enabled: receiptId !== null });
  const input = useRunInput(runId).data;
  if (receiptId === null)
    return <Empty title="It has no receipt.">{isOver ? 'A run that ended before its agent was asked leaves none.' : 'It is signed when the run ends.'}</Empty>;
  if (error) return <Failure error={error} onRetry={() => void refetch()} />;
  if (!data || !input) return <Skeleton h={240} aria-busy="true" aria-label="Loading" />;
  const hasResult = run && run.job_id !== null && run.state === 'succeeded';
  return (
    <Verified
      token={data.receipt.token}
      beside={{ previous: data.previous, ...(input.args && { args: input.args }), ...(hasResult && { result: run.result }) }}
    />
  );
}
