// The thread that checks large receipts; check.ts sends it one at a time.
import { answerTasks } from '../../kernel/answer-tasks.ts';
import { checkHere } from './check.ts';

answerTasks(checkHere);
