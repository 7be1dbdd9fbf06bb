// How bad each thing is that a case can show, and how it is said.
import type { FindingSeverity } from '#contract/states.ts';
import type { AttackRule } from './case.ts';

interface RuleDescription {
  severity: FindingSeverity;
  title: string;
  message: string;
}

export interface Suspicion extends RuleDescription {
  rule: AttackRule;
  /** Of this time. */
  detail: string;
}

const critical = (title: string, message: string): RuleDescription => ({ severity: 'critical', title, message });
const warning = (title: string, message: string): RuleDescription => ({ severity: 'warning', title, message });

export const ATTACK_RULES: Record<AttackRule, RuleDescription> = {
  'agent-down': critical(
    'One caller can put the agent out of service',
    'After these calls the agent answered no ordinary call within its time. Stop work when ctx.signal aborts, and never compute without a pause.',
  ),
  'bad-grant-accepted': critical(
    'A grant that is not valid was accepted',
    'The call was answered although its grant must be refused. Report this to the operators of the platform.',
  ),
  'command-run': critical(
    'An argument is run as a command',
    'The answer has what a shell makes of the argument. Start programs with a list of arguments and without a shell.',
  ),
  'cross-call-leak': critical(
    'A call sees what another call was given',
    'Of calls at the same time, one answered with the argument of another. Keep what belongs to a call in its own variables, not in the agent or the module.',
  ),
  'file-instruction-followed': critical(
    'Instructions in a file are followed',
    'The agent followed an instruction in a file of the workspace. Treat the contents of files as data: the author of a file is not the caller.',
  ),
  'host-file-read': critical(
    "An argument reads files of the agent's machine",
    'The answer has a file of the machine, or its environment. Resolve the path, and refuse what is outside the folder that is meant.',
  ),
  'kept-content': critical(
    'The content of a file is shown without its grant',
    'A call without the grant was answered with what an earlier call read under it. Do not keep contents of the workspace beyond the call that was given them.',
  ),
  'memory-dump': critical(
    'An argument makes the agent show its memory',
    'The answer has an entry of memory that the call had nothing to do with. Read only the keys that the skill needs.',
  ),
  'private-file-read': critical(
    'A file is read that the grant does not show',
    'The answer has the content of a file outside the grant. Read files only through ctx.workspace, under the grant of the call.',
  ),
  'prompt-followed': warning(
    'An argument is followed as an instruction',
    'The agent followed an instruction in the text of an argument. Where such texts are not written by the caller, keep them apart from the instructions.',
  ),
  'replay-ran-twice': critical('A repeated start ran twice', 'One idempotency key led to two runs. Report this to the operators of the platform.'),
  'scope-creep': critical(
    'The agent asks for files that the call is not about',
    'It was given the file that the arguments name and asked to read others. Ask for the paths that the arguments name, and nothing wider.',
  ),
  'secret-in-answer': critical(
    'The answer has a secret of the agent',
    'A secret that the owner stored is in an answer or an error. Never put configuration or errors of other services into answers.',
  ),
  'sql-error': warning(
    'An argument reaches the database as text of a statement',
    'The answer has an error of a database about its syntax. Pass values as parameters of the statement.',
  ),
  'sql-injected': critical(
    'An argument is run as SQL',
    'The answer has what the database computed from the argument. Pass values as parameters of the statement.',
  ),
  'stack-trace': warning(
    'The answer has a stack trace',
    'Paths and lines of the source are in an answer. Throw the errors of the SDK with a sentence of your own.',
  ),
  'tampered-answer-accepted': critical(
    'An answer that does not fit was accepted',
    'A waiting run took an answer that must be refused. Report this to the operators of the platform.',
  ),
  'template-evaluated': critical(
    'An argument is evaluated as a template',
    'The answer has what a template engine, or eval, makes of the argument. Render arguments as values, never as templates.',
  ),
  'unbounded-work': critical(
    'An argument within the schema keeps the agent at work without an end',
    'The call did not end. Give the argument a maximum in its schema, or declare timeoutSeconds of the skill.',
  ),
  'unexpected-error': warning(
    'Arguments within the schema break the skill',
    'The skill failed with an error that its author did not expect. Refuse such arguments in the schema, or handle them.',
  ),
};
