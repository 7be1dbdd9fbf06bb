// Every workflow type; the registry the worker's bundle is made from.
export { dagRun } from './dag-run.ts';
export { deployAgent } from './deploy-agent.ts';
export { deliverMail, sendMail } from './mail.ts';
export { humanWait } from './human-wait.ts';
export { proveSkill } from './prove-skill.ts';
export { kernelRun } from './kernel-run.ts';
export { provisionMailbox } from './provision-mailbox.ts';
export { purgeAccounts } from './purge-accounts.ts';
export { rehearse } from './rehearse.ts';
export { renewCertificate } from './renew-certificate.ts';
export { retireAgent } from './retire-agent.ts';
export { reviewLoop } from './review-loop.ts';
export { reviewAgent } from './review-agent.ts';
export { runSkill } from './run-skill.ts';
export { scheduledRun } from './scheduled-run.ts';
export { selfHeal } from './self-heal.ts';
export { retention } from './retention.ts';
export { verifyDomain } from './verify-domain.ts';
