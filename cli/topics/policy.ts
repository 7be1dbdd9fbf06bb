import { PolicyDecisionsCommand } from '../commands/policy/decisions.ts';
import { PolicyDenialsCommand } from '../commands/policy/denials.ts';
import { PolicyRulesCommand, PolicyRulesPullCommand, PolicyRulesPushCommand, PolicyRulesValidateCommand } from '../commands/policy/rules.ts';
import { PolicySetCommand } from '../commands/policy/set.ts';
import { PolicyShowCommand } from '../commands/policy/show.ts';
import { PolicyTestCommand } from '../commands/policy/test.ts';

export const commands = [
  PolicyRulesCommand,
  PolicyRulesPullCommand,
  PolicyRulesPushCommand,
  PolicyRulesValidateCommand,
  PolicyTestCommand,
  PolicyDecisionsCommand,
  PolicyShowCommand,
  PolicySetCommand,
  PolicyDenialsCommand,
];
