// The thread in which large cards are signed; apart.ts sends it one at a time.
import { answerTasks } from '../../kernel/answer-tasks.ts';
import { signCard, type CardToSign } from './sign.ts';

answerTasks(async (task: CardToSign) => ({ signed: await signCard(task) }));
