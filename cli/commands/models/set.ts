import { Command, Option } from 'clipanion';
import type { LlmCredentialOut } from '#contract/money/llm-creds.ts';
import { ApiCommand } from '../../lib/api-command.ts';
import { UsageError } from '../../lib/errors.ts';
import { EXIT } from '../../lib/exit-codes.ts';
import { failureOf, keyCell } from './check.ts';
import { dollars, micros } from '../../lib/dollars.ts';
import type { Named, Wish } from './wish.ts';

/** Dollars. */
const MAX_BUDGET = 1_000_000;
const MAX_PRICE = 1_000;

export class ModelsSetCommand extends ApiCommand {
  static override paths = [['models', 'set']];
  static override usage = Command.Usage({
    description: 'set a language model of yours, that svc chat plans with, or change it',
    details:
      'The command asks for the key without showing it, or reads it from @file or @- (standard input) without one newline at the end. It does not ask if no key is needed, or if one is stored. It tests the model by asking for one word; if that fails, the exit code is 1, and the model is stored all the same. Options that you leave out keep the settings of an existing model; a new address needs the key again.',
    examples: [
      ['The first one; its key is asked for', 'svc models set main --provider anthropic --budget 20'],
      ['From another program', 'pass show openai | svc models set main @- --provider openai --model gpt-5.5'],
      ['An endpoint of your own', 'svc models set own --provider openai_compatible --base-url https://models.example.com/v1 --model m-1 --ask-key'],
      ['Another key', 'svc models set main --ask-key'],
      ['Another budget', 'svc models set main --budget 50'],
      ['Let agents of others use it when you call them, each run for at most 20 cents', 'svc models set main --agent-run-budget 0.20'],
    ],
  });

  name = Option.String({ name: 'NAME' });
  source = Option.String({ required: false, name: 'SOURCE' });
  provider = Option.String('--provider', { description: 'whose it is, of a new one; svc models catalog lists them' });
  baseUrl = Option.String('--base-url', { description: 'of an endpoint of your own, with the version' });
  model = Option.String('--model', { description: "as the provider names it (default: the catalog's)" });
  budget = Option.String('--budget', { description: 'in a calendar month (UTC); calls that could cost more are refused' });
  noBudget = Option.Boolean('--no-budget', false, { description: 'take the budget away' });
  agentRunBudget = Option.String('--agent-run-budget', {
    description: "what a run of another user's agent may spend when you call it; without it such agents do not use the model",
  });
  noAgentRunBudget = Option.Boolean('--no-agent-run-budget', false, { description: 'let no agents of others use it any more' });
  priceIn = Option.String('--price-in', { description: 'for a million tokens of input, where the catalog has no price or another' });
  priceOut = Option.String('--price-out', { description: 'for a million tokens of output; with --price-in' });
  default = Option.Boolean('--default', false, { description: 'use it where no other is named; your first one is it anyhow' });
  askKey = Option.Boolean('--ask-key', false, { description: 'ask for a key, also where one is stored or none is needed' });
  probe = Option.Boolean('--probe', true, { description: 'see whether it works: one short call, counted like any use' });
  json = Option.Boolean('--json', false, { description: 'print JSON' });

  async execute(): Promise<number> {
    const named = this.#named();
    const given = this.source === undefined ? undefined : await this.#secret(this.name);
    const client = this.client();
    const { checked, store, wishOf } = await import('./wish.ts');
    const wish = await wishOf(client, named);
    const key = given ?? (await this.#asked(wish));
    const body = key === undefined ? wish.body : checked({ ...wish.body, api_key: key });
    if (this.probe) this.output().note(`Asking ${body.model} for one word …`);
    const credential = await store(client, body);
    if (key === undefined) this.#tellOfKey(wish);
    return this.#tell(credential);
  }

  #named(): Named {
    if (this.budget !== undefined && this.noBudget) throw new UsageError('Choose one of --budget and --no-budget.');
    if (this.agentRunBudget !== undefined && this.noAgentRunBudget) throw new UsageError('Choose one of --agent-run-budget and --no-agent-run-budget.');
    return {
      name: this.name,
      provider: this.provider,
      baseUrl: this.baseUrl,
      model: this.model,
      budget: this.noBudget ? null : this.budget === undefined ? undefined : micros('--budget', this.budget, MAX_BUDGET),
      agentRunBudget: this.noAgentRunBudget
        ? null
        : this.agentRunBudget === undefined
          ? undefined
          : micros('--agent-run-budget', this.agentRunBudget, MAX_BUDGET),
      price: this.#price(),
      default: this.default,
      probe: this.probe,
    };
  }

  #price(): Named['price'] {
    if (this.priceIn === undefined && this.priceOut === undefined) return undefined;
    if (this.priceIn === undefined || this.priceOut === undefined) {
      throw new UsageError('--price-in and --price-out go together, in dollars for a million tokens, e.g. --price-in 0.50 --price-out 2.');
    }
    return {
      input_micros_per_mtok: micros('--price-in', this.priceIn, MAX_PRICE),
      output_micros_per_mtok: micros('--price-out', this.priceOut, MAX_PRICE),
    };
  }

  /** Undefined: none, or the stored one. */
  async #asked({ key, provider }: Wish): Promise<string | undefined> {
    return this.askKey || key === 'needed' ? await this.#secret(provider.needs_key ? provider.title : this.name) : undefined;
  }

  async #secret(whose: string): Promise<string> {
    const { secretValue } = await import('../../ask/secret.ts');
    return await secretValue(this.context, `${whose}'s key`, this.source);
  }

  #tellOfKey({ key, old }: Wish): void {
    const command = `svc models set ${this.name} --ask-key`;
    if (key === 'kept') this.output().hint(`The key that is stored stays. Give another one with: ${command}`);
    else if (old?.has_key) this.output().hint(`The stored key was for ${old.base_url} and was deleted. If the new address needs a key: ${command}`);
  }

  #tell(credential: LlmCredentialOut): number {
    const output = this.output(this.json);
    const { name, check, monthly_budget_micros: budget, agent_run_budget_micros: forAgents } = credential;
    const facts = [
      `${credential.provider}, ${credential.model}`,
      `key ${keyCell(credential)}`,
      budget === null ? 'no budget' : `at most ${dollars(budget)} a month`,
      ...(forAgents === null ? [] : [`agents of others may use it, at most ${dollars(forAgents)} a run`]),
      ...(credential.default ? ['the default'] : []),
    ];
    output.note(`${name} is stored: ${facts.join('; ')}.`);
    if (check.state === 'works')
      output.hint(`${output.good('It works.')} ${credential.default ? 'Try it with: svc chat' : `Use it from now on with: svc models set ${name} --default`}`);
    else if (check.state === 'failed') output.hint(`${output.bad('It does not work yet:')} ${failureOf(credential)}`);
    else output.hint(`It was not checked. Check it with: svc models set ${name}`);
    if (!credential.priced && check.state !== 'failed' && credential.provider !== 'ollama')
      output.hint(`Its price is unknown. Set it with: svc models set ${name} --price-in DOLLARS --price-out DOLLARS`);
    output.result(credential, []);
    return check.state === 'failed' ? EXIT.failure : EXIT.ok;
  }
}
