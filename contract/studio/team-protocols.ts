// How a team works, as data: who is needed, what is done in which order, where a person opens a gate, and
// what must be there at the end.
import type { BudgetClass, Risk } from '../states.ts';

export interface TeamRole {
  role: string;
  about: string;
  /** Words by which an agent for it is found. */
  words: readonly string[];
  at_least: number;
  at_most: number;
  /** Done by another agent than every other role. */
  apart?: true;
}

export interface TeamStep {
  step: string;
  role: string;
  /** What it is asked to do, before the goal. */
  instruction: string;
  after: readonly string[];
  /** Every member of the role does it; else only the first. */
  each?: true;
  /** `inputs.items` is divided among the members. */
  divides?: true;
  /** Its failure does not stop the team, as long as another member did it. */
  may_fail?: true;
  /** A person opens it, from this risk on. */
  gate?: Risk;
}

/**
 * receipts: each step that was done has one · checked: the last step was done by another agent than the work
 * that it looks at · approved: a person opened each gate.
 */
export const TEAM_EVIDENCE = ['receipts', 'checked', 'approved'] as const;
export type TeamEvidence = (typeof TEAM_EVIDENCE)[number];

export interface TeamProtocol {
  protocol: string;
  title: string;
  about: string;
  roles: readonly TeamRole[];
  steps: readonly TeamStep[];
  required_evidence: readonly TeamEvidence[];
  budget_class: BudgetClass;
}

/** Cents. */
export const BUDGET_CENTS: Record<BudgetClass, number> = { low: 100, standard: 500, high: 2_000 };

const role = (name: string, about: string, words: string, more: Partial<TeamRole> = {}): TeamRole => ({
  role: name,
  about,
  words: words.split(' '),
  at_least: 1,
  at_most: 1,
  ...more,
});

export const TEAM_PROTOCOLS: readonly TeamProtocol[] = [
  {
    protocol: 'single_agent_task',
    title: 'One agent',
    about: 'The agent that fits best does it; the next best takes its place when it fails.',
    roles: [role('worker', 'Does the task', '')],
    steps: [{ step: 'work', role: 'worker', instruction: '', after: [] }],
    required_evidence: ['receipts'],
    budget_class: 'low',
  },
  {
    protocol: 'research_parallel_scouts',
    title: 'Research by parallel scouts',
    about: 'Several agents look at the question independently; one combines their findings.',
    roles: [
      role('scout', 'Looks for what is known', 'research search find look read analyze', { at_least: 1, at_most: 4 }),
      role('writer', 'Puts the findings together', 'write summarize summary report compose combine'),
    ],
    steps: [
      { step: 'scout', role: 'scout', instruction: 'Find what is known about this, with its sources.', after: [], each: true, may_fail: true },
      { step: 'report', role: 'writer', instruction: 'Put together what was found. Say where findings differ.', after: ['scout'] },
    ],
    required_evidence: ['receipts'],
    budget_class: 'standard',
  },
  {
    protocol: 'code_change_with_review',
    title: 'Code change with review',
    about: 'One agent makes the change, another reviews it, and a person accepts it.',
    roles: [
      role('author', 'Makes the change', 'code change write program implement fix develop'),
      role('reviewer', 'Reviews it', 'review check lint test inspect critique', { apart: true }),
    ],
    steps: [
      { step: 'change', role: 'author', instruction: 'Make this change.', after: [] },
      { step: 'review', role: 'reviewer', instruction: 'Review the change. Name each fault with its place, and how grave it is.', after: ['change'] },
      { step: 'finish', role: 'author', instruction: 'Mend what the review found, and give the finished change.', after: ['change', 'review'], gate: 'medium' },
    ],
    required_evidence: ['receipts', 'checked', 'approved'],
    budget_class: 'standard',
  },
  {
    protocol: 'security_review',
    title: 'Security review',
    about: 'Scanners look side by side; another agent judges what they report, and a person sees it before it is final.',
    roles: [
      role('scanner', 'Looks for weaknesses', 'security scan vulnerability audit review check', { at_most: 3 }),
      role('judge', 'Judges the reports', 'security judge review triage assess report', { apart: true }),
    ],
    steps: [
      { step: 'scan', role: 'scanner', instruction: 'Look for weaknesses. Report each with how it is shown.', after: [], each: true, may_fail: true },
      { step: 'judge', role: 'judge', instruction: 'Judge each reported weakness: real or not, how grave, what to do.', after: ['scan'], gate: 'high' },
    ],
    required_evidence: ['receipts', 'checked', 'approved'],
    budget_class: 'standard',
  },
  {
    protocol: 'docs_update',
    title: 'Update of documentation',
    about: 'One agent writes, another checks it against the sources.',
    roles: [
      role('writer', 'Writes the text', 'write docs documentation text edit summarize'),
      role('checker', 'Checks it', 'check review proofread verify edit', { apart: true }),
    ],
    steps: [
      { step: 'draft', role: 'writer', instruction: 'Write this part of the documentation.', after: [] },
      { step: 'check', role: 'checker', instruction: 'Check the draft: what is wrong, what is missing, what is hard to read.', after: ['draft'] },
      { step: 'final', role: 'writer', instruction: 'Write the final text, with the remarks taken in.', after: ['draft', 'check'], gate: 'medium' },
    ],
    required_evidence: ['receipts', 'checked'],
    budget_class: 'low',
  },
  {
    protocol: 'debate_with_judge',
    title: 'Debate with a judge',
    about: 'Two agents answer against each other, read the other answer, and a third decides.',
    roles: [
      role('debater', 'Argues for an answer', 'answer argue reason analyze write', { at_least: 2, at_most: 2 }),
      role('judge', 'Decides', 'judge decide compare review choose', { apart: true }),
    ],
    steps: [
      { step: 'answer', role: 'debater', instruction: 'Answer this, and give your reasons.', after: [], each: true },
      {
        step: 'reply',
        role: 'debater',
        instruction: 'Read all answers. Say what is wrong with them, and give your best answer.',
        after: ['answer'],
        each: true,
        may_fail: true,
      },
      { step: 'verdict', role: 'judge', instruction: 'Decide which answer is right, and why.', after: ['answer', 'reply'], gate: 'high' },
    ],
    required_evidence: ['receipts', 'checked'],
    budget_class: 'standard',
  },
  {
    protocol: 'map_reduce',
    title: 'Map and reduce',
    about: 'The items of the inputs are divided among several agents; one brings their results together.',
    roles: [
      role('mapper', 'Works through its share', 'process transform extract classify read', { at_most: 8 }),
      role('reducer', 'Brings the results together', 'combine merge summarize report aggregate count'),
    ],
    steps: [
      { step: 'map', role: 'mapper', instruction: 'Do this for each of your items.', after: [], each: true, divides: true },
      { step: 'reduce', role: 'reducer', instruction: 'Bring these results together.', after: ['map'] },
    ],
    required_evidence: ['receipts'],
    budget_class: 'standard',
  },
];

export const TEAM_PROTOCOL_NAMES = ['single_agent_task', 'research_parallel_scouts', 'code_change_with_review', 'security_review', 'docs_update', 'debate_with_judge', 'map_reduce'] as const; // prettier-ignore
export type TeamProtocolName = (typeof TEAM_PROTOCOL_NAMES)[number];

export function protocolOf(name: TeamProtocolName): TeamProtocol {
  const teamProtocol = TEAM_PROTOCOLS.find(({ protocol }) => protocol === name);
  if (!teamProtocol) throw new Error(`there is no protocol ${name}`);
  return teamProtocol;
}
