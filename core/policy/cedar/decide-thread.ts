// The thread that decides by long sets of rules; process-engine.ts sends it one question at a time.
import { answerTasks } from '../../kernel/answer-tasks.ts';
import { Engine } from './engine.ts';
import type { DecideTask } from './process-engine.ts';

const engine = new Engine();

answerTasks(({ set, facts }: DecideTask) => (facts === null ? { broken: engine.brokenBy(set) } : { verdict: engine.decide(set, facts) }));
