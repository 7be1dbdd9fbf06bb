// What the review of a deploy has found.
import { setTimeout as delay } from 'node:timers/promises';
import { Option } from 'clipanion';
import { type Answer, customCommand } from '../lib/command.ts';
import { EXIT } from '../lib/exit-codes.ts';
import { plain, type Output } from '../lib/output.ts';

type Review = Answer<'agents.latestReviewRun'>;

const lookEveryMs = 500;
const waitMs = 120_000;

export const commands = [
  customCommand('review', {
    about: 'show what the review of your newest deploy found',
    details:
      'The platform reviews each version after it goes live; no deploy waits for it. A comment `svc-accept: <rule> <why>` on the line, or the line before, accepts a finding. Exits 1 when there is a critical finding.',
    examples: [
      ['The project in this folder', 'svc review'],
      ['The reviews before, one line each', 'svc review greeter --list'],
      ['One of them', 'svc review greeter --id rev_0192f0c4-7b1e-7a3c-9d2e-5f6a7b8c9d0e'],
    ],
    ofProject: true,
    options: () => ({
      list: Option.Boolean('--list', false, { description: 'all reviews, newest first' }),
      reviewId: Option.String('--id', { description: 'this review instead of the newest' }),
    }),
    run: async ({ agent: name, list, reviewId: review_id }, { client: { agents } }) => {
      if (list) return { reviews: await agents.reviewRuns({ params: { name }, query: { limit: 100 } }) };
      return {
        review: await ended(() => (review_id === undefined ? agents.latestReviewRun({ params: { name } }) : agents.reviewRun({ params: { name, review_id } }))),
      };
    },
    json: ({ reviews, review }) => reviews ?? review,
    lines: ({ reviews = [], review }, _, output) =>
      review ? linesOf(review, output) : reviews.map((one) => `${one.created_at.slice(0, 16)}  ${one.review_id}  ${one.status.padEnd(8)} ${one.summary}`),
    hint: ({ review }) => (review && isUnderWay(review) ? 'The review is not over yet. Look again with: svc review' : undefined),
    exit: ({ review }) => (review?.status === 'failed' ? EXIT.failure : EXIT.ok),
  }),
];

const isUnderWay = ({ status }: Review): boolean => status === 'queued' || status === 'running';

/** A review takes a moment after its deploy. */
async function ended(read: () => Promise<Review>): Promise<Review> {
  for (const until = Date.now() + waitMs; ;) {
    const review = await read();
    if (!isUnderWay(review) || Date.now() > until) return review;
    await delay(lookEveryMs);
  }
}

function linesOf(review: Review, output: Output): string[] {
  const { status, summary, findings, error, deploy_id } = review;
  const verdict = `${review.agent}: ${status}, ${summary}${error ? `: ${plain(error.message)}` : ''} (${deploy_id})`;
  return [
    status === 'failed' ? output.bad(verdict) : status === 'passed' ? output.good(verdict) : verdict,
    ...findings.flatMap(({ severity, rule, path, line, title, message, accepted }) => [
      '',
      `${severity}  ${plain(title)}  ${output.dim(rule)}`,
      `  ${path === null ? 'card' : `${plain(path)}${line === null ? '' : `:${line}`}`}`,
      `  ${plain(accepted === null ? message : `Accepted: ${accepted}`)}`,
    ]),
  ];
}
