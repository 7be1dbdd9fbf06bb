// The thread that reads large answers of models; large-answers.ts sends it one at a time.
import { answerTasks } from '../../kernel/answer-tasks.ts';
import { readHere } from './large-answers.ts';

answerTasks(readHere);
