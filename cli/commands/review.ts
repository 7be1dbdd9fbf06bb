import { setTimeout as delay } from 'node:timers/promises';
import { Command, Option } from 'clipanion';
import type { Api } from '../lib/api.ts';
import { ApiCommand } from '../lib/api-command.ts';
import { EXIT } from '../lib/exit-codes.ts';
import { plain, type Output } from '../lib/output.ts';
import { agentName } from '../project/name.ts';

type Review = Awaited<ReturnType<Api['agents']['latestReviewRun']>>;

const lookEveryMs = 500;
const waitMs = 120_000;

export class ReviewCommand extends ApiCommand {
  static override paths = [['review']];
  static override usage = Command.Usage({
    description: 'show what the review of your newest deploy found',
    details:
      'The platform reviews each version after it goes live; no deploy waits for it. A comment `svc-accept: <rule> <why>` on the line, or the line before, accepts a finding. Exits 1 when there is a critical finding.',
    examples: [
      ['The project in this folder', 'svc review'],
      ['The reviews before, one line each', 'svc review greeter --list'],
      ['One of them', 'svc review greeter --id rev_0192f0c4-7b1e-7a3c-9d2e-5f6a7b8c9d0e'],
    ],
  });

  agent = Option.String({ required: false, name: 'AGENT' });
  project = Option.String('--project,-p', '.', { description: 'folder of the project, when no agent is named' });
  list = Option.Boolean('--list', false, { description: 'all reviews, newest first' });
  reviewId = Option.String('--id', { description: 'this review instead of the newest' });
  json = Option.Boolean('--json', false, { description: 'print JSON' });

  async execute(): Promise<number> {
    const name = await agentName(this.agent, this.project);
    const [client, output] = [this.client(), this.output(this.json)];
    if (this.list) {
      const reviews = await client.agents.reviewRuns({ params: { name }, query: { limit: 100 } });
      output.result(reviews, () => reviews.map((one) => `${one.created_at.slice(0, 16)}  ${one.review_id}  ${one.status.padEnd(8)} ${one.summary}`));
      return EXIT.ok;
    }
    const review = await ended(async () =>
      this.reviewId === undefined
        ? client.agents.latestReviewRun({ params: { name } })
        : client.agents.reviewRun({ params: { name, review_id: this.reviewId } }),
    );
    output.result(review, () => linesOf(review, output));
    if (review.status === 'queued' || review.status === 'running') output.hint('The review is not over yet. Look again with: svc review');
    return review.status === 'failed' ? EXIT.failure : EXIT.ok;
  }
}

/** A review takes a moment after its deploy. */
async function ended(read: () => Promise<Review>): Promise<Review> {
  for (const until = Date.now() + waitMs; ;) {
    const review = await read();
    if ((review.status !== 'queued' && review.status !== 'running') || Date.now() > until) return review;
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
