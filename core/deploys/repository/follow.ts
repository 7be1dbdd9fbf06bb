// A deployment as lines of text, for who pushed: its stages and its build log, then how it ended.
import { BuildLine, lineText, WAITING_EVENT } from '#contract/deploys/build-line.ts';
import type { Ctx } from '../../kernel/ctx.ts';
import { followDeployment, getDeployment } from '../deployment/read.ts';
import { agentUrl } from '../../agents/agent/url.ts';

/** A push waits no longer; the deployment does not need it. */
const FOLLOWED_MS = 20 * 60_000;
/** Log lines of one deployment that a push shows. */
const MAX_LOG_LINES = 2_000;

export interface FollowedDeployment {
  name: string;
  deploy_id: string;
}

/** `signal`: who pushed has gone, or this process ends. */
export async function* deploymentLines(ctx: Ctx, i: FollowedDeployment, signal: AbortSignal): AsyncGenerator<string> {
  let logged = 0;
  const patience = AbortSignal.any([signal, AbortSignal.timeout(FOLLOWED_MS)]);
  for await (const { kind, payload } of await followDeployment(ctx, { ...i, after: 0, signal: patience })) {
    if (kind === 'stage' && typeof payload.stage === 'string') yield `● ${payload.stage}`;
    else if (kind === WAITING_EVENT) yield `○ waiting for a builder (${lineText(BuildLine.parse(payload))})`;
    else if (kind === 'log' && typeof payload.text === 'string' && (logged += 1) <= MAX_LOG_LINES) yield `  ${payload.text}`;
  }
  const { state, version, error } = await getDeployment(ctx, i);
  if (state === 'live') yield `Live: ${i.name} ${version ?? ''} at ${agentUrl(ctx.config, i.name)}`;
  else if (state === 'failed' || state === 'cancelled') {
    yield `Not deployed: ${error?.message ?? state}`;
    yield 'The commits are stored, and the live version is unchanged. Correct them and push again.';
  } else yield `The deployment continues without this push. Follow it with: svc logs ${i.name} --deploy ${i.deploy_id} -f`;
}
