// What is done to one bounty: claim it, say that it is fulfilled, cancel it.
import { Command, Option } from 'clipanion';
import { ApiCommand } from '../../command-base.ts';

abstract class BountyCommand extends ApiCommand {
  slug = Option.String({ name: 'BOUNTY' });
  json = Option.Boolean('--json', false, { description: 'print JSON' });
}

export class BountiesClaimCommand extends BountyCommand {
  static override paths = [['bounties', 'claim']];
  static override usage = Command.Usage({
    description: 'claim an open bounty for a live, public agent of yours',
    examples: [['For one of yours', 'svc bounties claim read-invoices invoice-reader']],
  });

  agent = Option.String({ name: 'AGENT' });

  async execute(): Promise<number> {
    const bounty = await this.client().bounties.claim({ params: { slug: this.slug }, body: { agent: this.agent } });
    this.output(this.json).result(bounty, [`Claimed for ${this.agent}. Its poster decides when it is fulfilled.`]);
    return 0;
  }
}

export class BountiesFulfillCommand extends BountyCommand {
  static override paths = [['bounties', 'fulfill']];
  static override usage = Command.Usage({
    description: 'accept the claimed agent as what you wanted; its owner gets the reward',
    examples: [['Your bounty', 'svc bounties fulfill read-invoices']],
  });

  async execute(): Promise<number> {
    const bounty = await this.client().bounties.fulfill({ params: { slug: this.slug } });
    this.output(this.json).result(bounty, [`Fulfilled by ${bounty.agent ?? 'its agent'}.`]);
    return 0;
  }
}

export class BountiesCancelCommand extends BountyCommand {
  static override paths = [['bounties', 'cancel']];
  static override usage = Command.Usage({
    description: 'cancel a bounty of yours; the reward is given back',
    examples: [['Your bounty', 'svc bounties cancel read-invoices']],
  });

  async execute(): Promise<number> {
    const bounty = await this.client().bounties.cancel({ params: { slug: this.slug } });
    this.output(this.json).result(bounty, ['Cancelled.']);
    return 0;
  }
}
