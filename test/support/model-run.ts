// A run whose agent asks its caller's language model, of people who have nothing else.
import { type Ctx } from '#core/kernel/ctx.ts';
import { newId } from '#core/kernel/ids.ts';
import { mintRunCredential } from '#core/runs/run/credential.ts';
import { liveAgent, runOf } from './runs.ts';
import { addUser } from './verbs.ts';

/** Its run credential. */
export async function callerPaidRun(ctx: Ctx): Promise<string> {
  const [author, caller] = [await addUser(ctx.db, 'author'), await addUser(ctx.db, 'caller')];
  const agent = await liveAgent(ctx, author);
  await ctx
    .db('deployments')
    .where({ deploy_id: agent.deployId })
    .update({ manifest: JSON.stringify({ models: { paid_by: 'caller' } }) });
  await ctx.db('llm_credentials').insert({
    credential_id: newId('llc'),
    user_id: caller,
    name: 'main',
    provider: 'openai_compatible',
    protocol: 'openai',
    base_url: 'https://models.example.com/v1',
    model: 'm-1',
    agent_run_budget_micros: 1_000_000,
  });
  return mintRunCredential(ctx.drivers.vault, runOf(ctx, agent, caller).actor, Date.now() + 3_600_000);
}
