// The thread that reads large cards for dossiers; card-facts.ts sends it one at a time.
import { answerTasks } from '../../kernel/answer-tasks.ts';
import { cardFactsHere } from './card-facts.ts';

answerTasks(cardFactsHere);
