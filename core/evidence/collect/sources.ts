// All kinds of evidence. A new kind is a line here: graph, timeline, access and pages follow.
import { decisionSource, grantSource, handoffsBySource, handoffsToSource } from './authority.ts';
import { findingSource, ownProofSource, reviewSource, roomTrialSource, shownProofSource, trialSource } from './checks.ts';
import type { Source } from './source.ts';
import { agentSource, deploymentSource, repairSource, templateSource } from './versions.ts';
import { jobSource, modelUsageSource, receiptSource, sessionSource } from './work.ts';

export const SOURCES: readonly Source[] = [
  agentSource,
  deploymentSource,
  repairSource,
  templateSource,
  reviewSource,
  findingSource,
  ownProofSource,
  shownProofSource,
  trialSource,
  roomTrialSource,
  grantSource,
  handoffsToSource,
  handoffsBySource,
  sessionSource,
  receiptSource,
  jobSource,
  modelUsageSource,
  decisionSource,
];
