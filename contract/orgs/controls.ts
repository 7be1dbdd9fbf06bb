// The controls of each framework, in our own words, and which evidence of the platform proves them. What no
// evidence is named for is proved outside of it.
import type { ComplianceFramework } from '../states.ts';

/** What the platform can look at, and what it looks for. */
export const EVIDENCE = {
  records: 'A signed receipt of every call',
  signatures: 'Receipts whose signature holds today',
  retention: 'A policy that says how long records are kept',
  enforcement: 'A removal of old contents that ran in the last two days',
  risk_tiers: 'A risk tier of every agent',
  purposes: 'An intended purpose of every agent',
  oversight: 'A person who oversees each agent of high risk, and a rule that asks one',
  approvals: 'Rules that ask a person before agents act',
  prohibited: 'No live or listed agent of unacceptable risk',
  limits: 'Limits of what agents may do and spend',
  reviews: 'A review of each live version, and no open critical finding',
  tests: 'A proof or an evaluation of each live agent in the last 90 days',
  monitoring: 'Checks that score the runs of each live agent',
  incidents: 'No repair that waits for a person, and no open critical finding',
  documents: 'A card of each live agent that says what it does, takes and gives',
  roles: 'Two people who administer, and an auditor',
  audit_log: 'An audit row of every change',
  exports: 'An export of decision records in the last 90 days',
} as const;
export type EvidenceName = keyof typeof EVIDENCE;

export interface Control {
  control_id: string;
  framework: ComplianceFramework;
  /** Where the framework has it. */
  reference: string;
  title: string;
  evidence: readonly EvidenceName[];
  /** Where there is no evidence: who proves it instead. */
  outside?: string;
}

type Row = [reference: string, title: string, evidence: readonly EvidenceName[], outside?: string];

const EU_AI_ACT: readonly Row[] = [
  ['Article 4', 'People who work with AI know enough of it', [], 'Keep records of training'],
  ['Article 5', 'No practice that the act prohibits', ['risk_tiers', 'prohibited']],
  ['Article 9', 'Risks are known, rated and treated', ['risk_tiers', 'reviews', 'limits']],
  ['Article 10', 'Data for training is governed', [], 'Keep what you know of the models and data you use'],
  ['Article 11', 'Technical documentation', ['documents', 'purposes']],
  ['Article 12', 'Events are recorded automatically', ['records', 'signatures', 'audit_log']],
  ['Article 13', 'Deployers get the information they need', ['documents', 'purposes']],
  ['Article 14', 'People oversee agents of high risk', ['oversight', 'approvals']],
  ['Article 15', 'Accuracy, robustness and security', ['tests', 'reviews', 'limits']],
  ['Article 19', 'Logs are kept for six months at least', ['records', 'retention']],
  ['Article 26', 'Deployers use, oversee and monitor as intended', ['purposes', 'oversight', 'monitoring']],
  ['Article 27', 'The impact on fundamental rights is assessed', [], 'Assess it before the first use, and note it in the profile of the agent'],
  ['Article 50', 'People know that they deal with an AI', [], 'Say it where people meet the agent'],
  ['Article 72', 'What is in use is monitored', ['monitoring', 'records']],
  ['Article 73', 'Serious incidents are handled and reported', ['incidents', 'exports']],
];

const NIST_AI_RMF: readonly Row[] = [
  ['GOVERN 1.2', 'Properties of trustworthy AI are part of policies', ['limits', 'retention']],
  ['GOVERN 1.6', 'AI systems are listed', ['risk_tiers', 'documents']],
  ['GOVERN 2.1', 'Roles and responsibilities are clear', ['roles']],
  ['GOVERN 2.2', 'People are trained', [], 'Keep records of training'],
  ['GOVERN 4.3', 'Tests, incidents and what was learned are shared', ['tests', 'incidents', 'exports']],
  ['MAP 1.1', 'Purpose and setting of use are known', ['purposes']],
  ['MAP 1.5', 'The accepted risk is written down', ['risk_tiers']],
  ['MAP 3.5', 'Oversight by people is defined', ['oversight', 'approvals']],
  ['MAP 5.1', 'Impacts are assessed', [], 'Assess them, and note them in the profile of the agent'],
  ['MEASURE 2.3', 'Performance is measured', ['tests', 'monitoring']],
  ['MEASURE 2.4', 'Behaviour in use is monitored', ['monitoring', 'records']],
  ['MEASURE 2.7', 'Security and resilience are evaluated', ['reviews', 'limits']],
  ['MEASURE 2.8', 'It can be traced who decided what', ['records', 'signatures', 'audit_log']],
  ['MANAGE 1.3', 'Answers to high risks are planned', ['oversight', 'prohibited']],
  ['MANAGE 2.4', 'Agents can be stopped', ['approvals', 'limits']],
  ['MANAGE 4.1', 'Plans for monitoring are carried out', ['monitoring', 'enforcement']],
  ['MANAGE 4.3', 'Incidents and errors are followed up', ['incidents']],
];

const ISO_42001: readonly Row[] = [
  ['A.2.2', 'A policy for AI', ['retention', 'limits']],
  ['A.3.2', 'Roles and responsibilities', ['roles']],
  ['A.3.3', 'Concerns can be reported', [], 'Name a contact outside of the platform'],
  ['A.4.2', 'Resources are documented', ['documents']],
  ['A.5.2', 'Impacts are assessed', ['risk_tiers', 'purposes']],
  ['A.6.2.4', 'AI systems are verified and validated', ['tests', 'reviews']],
  ['A.6.2.6', 'Operation is monitored', ['monitoring', 'incidents']],
  ['A.6.2.7', 'Technical documentation', ['documents']],
  ['A.6.2.8', 'Event logs are recorded', ['records', 'signatures', 'retention', 'enforcement']],
  ['A.7.2', 'Data is managed', [], 'Keep what you know of the models and data you use'],
  ['A.8.2', 'Users get documentation', ['documents', 'purposes']],
  ['A.8.4', 'Incidents are communicated', ['incidents', 'exports']],
  ['A.9.2', 'Use is responsible', ['oversight', 'approvals', 'audit_log']],
  ['A.9.4', 'Use is as intended', ['purposes', 'prohibited']],
  ['A.10.2', 'Responsibilities of third parties are clear', [], 'Keep your contracts'],
];

export const FRAMEWORK_TITLES: Record<ComplianceFramework, string> = {
  eu_ai_act: 'EU AI Act (Regulation (EU) 2024/1689)',
  nist_ai_rmf_1_1: 'NIST AI Risk Management Framework',
  iso_42001: 'ISO/IEC 42001, Annex A',
};

const ROWS: Record<ComplianceFramework, readonly Row[]> = { eu_ai_act: EU_AI_ACT, nist_ai_rmf_1_1: NIST_AI_RMF, iso_42001: ISO_42001 };

export function controlsOf(framework: ComplianceFramework): Control[] {
  return ROWS[framework].map(([reference, title, evidence, outside]) => ({
    control_id: `${framework}/${reference.toLowerCase().replaceAll(' ', '-')}`,
    framework,
    reference,
    title,
    evidence,
    ...(outside !== undefined && { outside }),
  }));
}
