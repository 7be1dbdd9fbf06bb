// What the daily look proposes, and what you decide about it.
import { Command, Option } from 'clipanion';
import { PROPOSAL_STATES, STUDIO_REVIEWS } from '#contract/states.ts';
import { ApiCommand, integer, oneOf } from '../../command-base.ts';
import { UsageError } from '../../errors.ts';
import { EXIT } from '../../exit-codes.ts';
import { modelIn } from '../../studio/model-words.ts';

const EXAMPLE = 'prp_01998a2c-6f0a-7cc2-9a3a-0c8f5a2f7e11';

export class AutopilotProposalsCommand extends ApiCommand {
  static override paths = [['autopilot', 'proposals']];
  static override usage = Command.Usage({
    description: 'list what the daily look proposes, newest first',
    examples: [
      ['The open ones', 'svc autopilot proposals'],
      ['All of one agent', 'svc autopilot proposals --state all --agent invoice-reader'],
    ],
  });

  state = Option.String('--state', 'open', { description: `${PROPOSAL_STATES.join(', ')} or all` });
  agent = Option.String('--agent', { description: 'only of this agent' });
  limit = Option.String('--limit,-n', '50', { description: 'how many' });
  json = Option.Boolean('--json', false, { description: 'print JSON' });

  async execute(): Promise<number> {
    const query = {
      state: oneOf('--state', this.state, [...PROPOSAL_STATES, 'all']),
      limit: integer('--limit', this.limit, { min: 1, max: 200 }),
      ...(this.agent !== undefined && { agent: this.agent }),
    };
    const { proposalRows } = await import('../../studio/proposals.ts');
    const { items } = await this.client().agentStudio.proposals({ query });
    const output = this.output(this.json);
    output.result(items, () => proposalRows(items));
    output.hint(items.length === 0 ? 'None. Look now with: svc autopilot look' : 'Read one with: svc autopilot show PROPOSAL');
    return EXIT.ok;
  }
}

export class AutopilotShowCommand extends ApiCommand {
  static override paths = [['autopilot', 'show']];
  static override usage = Command.Usage({ description: 'show a proposal with its evidence', examples: [['One', `svc autopilot show ${EXAMPLE}`]] });

  proposal = Option.String({ name: 'PROPOSAL' });
  json = Option.Boolean('--json', false, { description: 'print JSON' });

  async execute(): Promise<number> {
    const { proposalLines } = await import('../../studio/proposals.ts');
    const proposal = await this.client().agentStudio.proposal({ params: { proposal_id: this.proposal } });
    const output = this.output(this.json);
    output.result(proposal, () => proposalLines(proposal, output));
    if (proposal.state === 'open') output.hint(`Decide with: svc autopilot accept ${this.proposal}, or svc autopilot reject ${this.proposal}`);
    return EXIT.ok;
  }
}

export class AutopilotAcceptCommand extends ApiCommand {
  static override paths = [['autopilot', 'accept']];
  static override usage = Command.Usage({
    description: 'accept a proposal: you do it yourself, or with --carry-out a run of the studio edits the agent',
    details: 'It is refused once the source of the agent has changed: look again then.',
    examples: [
      ['You do it', `svc autopilot accept ${EXAMPLE}`],
      ['A language model of yours edits the agent, for three dollars at most', `svc autopilot accept ${EXAMPLE} --carry-out --model default --budget 300`],
    ],
  });

  proposal = Option.String({ name: 'PROPOSAL' });
  reason = Option.String('--reason', '', { description: 'why; it is kept' });
  carryOut = Option.Boolean('--carry-out', false, { description: 'let a language model of yours edit the agent' });
  budget = Option.String('--budget', '500', { description: 'cents that it may cost, 100 to 3000' });
  model = Option.String('--model', { description: 'which (default: the default one of the credential)' });
  credential = Option.String('--credential', { description: 'the model credential that is used (svc models)' });
  review = Option.String('--review', 'standard', { description: `${STUDIO_REVIEWS.join(', ')}: how strictly it is reviewed` });
  json = Option.Boolean('--json', false, { description: 'print JSON' });

  async execute(): Promise<number> {
    const model = modelIn(this.model, this.credential);
    if (model !== undefined && !this.carryOut) throw new UsageError('A model is for --carry-out.');
    const carry_out = {
      budget_cents: integer('--budget', this.budget, { min: 100, max: 3000 }),
      review: oneOf('--review', this.review, STUDIO_REVIEWS),
      model: model ?? {},
    };
    const proposal = await this.client().agentStudio.decide({
      params: { proposal_id: this.proposal },
      body: { decision: 'accept', reason: this.reason, ...(this.carryOut && { carry_out }) },
    });
    const output = this.output(this.json);
    output.result(proposal, ['Accepted.']);
    if (proposal.run_id !== null) output.hint(`It is being carried out. See it with: svc studio show ${proposal.run_id}`);
    return EXIT.ok;
  }
}

export class AutopilotRejectCommand extends ApiCommand {
  static override paths = [['autopilot', 'reject']];
  static override usage = Command.Usage({
    description: 'reject a proposal',
    examples: [['With a word on why', `svc autopilot reject ${EXAMPLE} --reason "It is slow on purpose"`]],
  });

  proposal = Option.String({ name: 'PROPOSAL' });
  reason = Option.String('--reason', '', { description: 'why; it is kept' });
  json = Option.Boolean('--json', false, { description: 'print JSON' });

  async execute(): Promise<number> {
    const proposal = await this.client().agentStudio.decide({ params: { proposal_id: this.proposal }, body: { decision: 'reject', reason: this.reason } });
    this.output(this.json).result(proposal, ['Rejected.']);
    return EXIT.ok;
  }
}
