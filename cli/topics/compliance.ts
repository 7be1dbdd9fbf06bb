import { ComplianceAgentsCommand } from '../commands/compliance/agents.ts';
import { ComplianceEnforceCommand } from '../commands/compliance/enforce.ts';
import { ComplianceExportCommand } from '../commands/compliance/export.ts';
import { CompliancePolicyCommand } from '../commands/compliance/policy.ts';
import { ComplianceRecordCommand, ComplianceRecordsCommand } from '../commands/compliance/records.ts';
import { ComplianceStatusCommand } from '../commands/compliance/status.ts';
import { ComplianceVerifyCommand } from '../commands/compliance/verify.ts';

export const commands = [
  ComplianceStatusCommand,
  CompliancePolicyCommand,
  ComplianceAgentsCommand,
  ComplianceRecordsCommand,
  ComplianceRecordCommand,
  ComplianceExportCommand,
  ComplianceVerifyCommand,
  ComplianceEnforceCommand,
];
