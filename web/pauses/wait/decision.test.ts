import { expect, test } from 'vitest';
import { ApiError } from '#contract/client.ts';
import { type Post, sendDecision, spoken } from './decision.ts';

const wait = { kind: 'question', wait_id: 'qst_1' } as const;
const pause = (): Promise<void> => Promise.resolve();

function failing(...failures: unknown[]): { post: Post; ids: string[] } {
  const ids: string[] = [];
  const post: Post = (_wait, _decision, id) => {
    ids.push(id);
    const failure = failures.shift();
    return failure === undefined ? Promise.resolve() : Promise.reject(failure);
  };
  return { post, ids };
}
const refusal = (status: number, code?: string): ApiError => new ApiError(status, { ...(code && { code }), message: `answered ${status}` });

test('a lost request is sent again under the same id', async () => {
  const { post, ids } = failing(new TypeError('Failed to fetch'), refusal(503), refusal(429));
  expect(await sendDecision(wait, { answer: 'blue' }, 'req_1', { post, pause })).toEqual({ is: 'taken' });
  expect(ids).toEqual(['req_1', 'req_1', 'req_1', 'req_1']);
});

test('what others decided before, and what came too late, are outcomes', async () => {
  expect(await sendDecision(wait, { answer: 'blue' }, 'req_1', { ...failing(refusal(409, 'wait_resolved')), pause })).toEqual({ is: 'closed' });
  const voted = failing(refusal(409, 'vote_cast'));
  expect(await sendDecision(wait, { decision: 'approve' }, 'req_1', { ...voted, pause })).toEqual({ is: 'refused', says: 'answered 409' });
  expect(await sendDecision(wait, { answer: 'blue' }, 'req_1', { ...failing(refusal(410)), pause })).toEqual({ is: 'closed' });
});

test('a refusal is not sent again; what never arrives ends', async () => {
  const refused = failing(refusal(422));
  await expect(sendDecision(wait, { answer: 1 }, 'req_1', { ...refused, pause })).rejects.toMatchObject({ status: 422 });
  expect(refused.ids).toHaveLength(1);
  const lost = failing(...Array.from({ length: 9 }, () => new TypeError('Failed to fetch')));
  await expect(sendDecision(wait, { answer: 1 }, 'req_1', { ...lost, pause })).rejects.toThrow('Failed to fetch');
  expect(lost.ids).toHaveLength(5);
});

test('a question is answered with words, or with the values of its form', () => {
  expect(spoken('blue')).toBe('blue');
  expect(spoken({ color: 'blue' })).toEqual({ color: 'blue' });
  expect(spoken(7)).toBe('7');
  expect(spoken(['a'])).toBe('["a"]');
});
