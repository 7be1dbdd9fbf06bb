// States, roles and kinds of organizations, their members and their compliance.

/** Of an account. */
export const ACCOUNT_KINDS = ['person', 'organization'] as const;
export type AccountKind = (typeof ACCOUNT_KINDS)[number];
export const ORGANIZATION_ROLES = ['owner', 'admin', 'developer', 'operator', 'auditor', 'billing'] as const;
export type OrganizationRole = (typeof ORGANIZATION_ROLES)[number];
/**
 * `suspended`: by the organization or its identity provider; the member has no rights and is still listed.
 */
export const MEMBER_STATES = ['invited', 'active', 'suspended'] as const;
/** Of a domain that an organization claims. `lapsed`: it was verified, and its record is gone. */
export const ORGANIZATION_DOMAIN_STATES = ['pending', 'verified', 'lapsed'] as const;
export const AUTO_JOIN_ROLES = ['developer', 'auditor'] as const;
/**
 * Who made a member one: a person by invitation, the identity provider by SCIM or at sign-in, or a domain
 * that the organization proved.
 */
export const MEMBER_SOURCES = ['person', 'scim', 'domain', 'sso'] as const;
export type MemberSource = (typeof MEMBER_SOURCES)[number];
/** As what an organization's own sign-in makes somebody a member: never an owner. */
export const SSO_ROLES = ['admin', 'developer', 'operator', 'auditor', 'billing'] as const;
export type SsoRole = (typeof SSO_ROLES)[number];
/**
 * Of a group that an identity provider sends. Highest first: of several groups the highest role counts. A
 * group cannot give the role owner.
 */
export const SCIM_ROLES = ['admin', 'developer', 'operator', 'billing', 'auditor'] as const;
export type ScimRole = (typeof SCIM_ROLES)[number];
/** Sets of controls that an organization can be held to. */
export const COMPLIANCE_FRAMEWORKS = ['eu_ai_act', 'nist_ai_rmf_1_1', 'iso_42001'] as const;
export type ComplianceFramework = (typeof COMPLIANCE_FRAMEWORKS)[number];
/** What an organization says of the risk of an agent. unacceptable: it is not published, and not deployed. */
export const RISK_TIERS = ['unclassified', 'minimal', 'limited', 'high', 'unacceptable'] as const;
export type RiskTier = (typeof RISK_TIERS)[number];
/** Kinds of decisions: a skill was performed, an action was allowed or refused, a user changed something. */
export const DECISION_KINDS = ['skill_execution', 'authorization', 'admin_action'] as const;
export type DecisionKind = (typeof DECISION_KINDS)[number];
/** How a decision came out: of calls, of rules, of persons, of changes. */
export const DECISION_OUTCOMES = ['ok', 'error', 'cancelled', 'allow', 'ask', 'deny', 'pending', 'answered', 'approved', 'denied', 'expired', 'done'] as const;
export type DecisionOutcome = (typeof DECISION_OUTCOMES)[number];
export const SIGNATURE_STATUSES = ['valid', 'invalid', 'not_applicable'] as const;
/**
 * partly: some of what proves it is there. not_applicable: there is nothing to prove it of, or it is proved
 * outside of the platform.
 */
export const CONTROL_STATES = ['met', 'partly', 'not_met', 'not_applicable'] as const;
export type ControlState = (typeof CONTROL_STATES)[number];
