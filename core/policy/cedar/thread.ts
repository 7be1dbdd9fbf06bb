// The thread that parses and tries rules of users; apart.ts sends one task at a time.
import { answerTasks } from '../../kernel/answer-tasks.ts';
import { Engine } from './engine.ts';
import { inspect } from './inspect.ts';
import type { InspectTask, RuleTrial } from './apart.ts';
import { type CedarModule, loadCedar } from './load.ts';

let cedar: CedarModule | undefined;

function load(fresh: boolean): CedarModule {
  if (fresh) cedar = undefined;
  return (cedar ??= loadCedar());
}

answerTasks(({ set, facts }: InspectTask): RuleTrial => {
  const inspected = inspect(load, set);
  if (inspected.problems.length > 0) return { inspected, verdicts: [] };
  const engine = new Engine(load);
  return { inspected, verdicts: facts.map((one) => engine.decide(set, one)) };
});
