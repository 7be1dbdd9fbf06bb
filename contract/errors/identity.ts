// Who calls: sign-in, sessions, tokens and codes.
import { errors } from './kit.ts';

export const identityErrors = errors({
  unauthenticated: { status: 401, meaning: 'The request carries no credentials.', remedy: 'Sign in and send the access token as a bearer token.' },
  authorization_malformed: { status: 401, meaning: 'The Authorization header cannot be read.', remedy: 'Send Authorization: Bearer <token>.' },
  token_invalid: { status: 401, meaning: 'The token or session is unknown, revoked or not valid here.', remedy: 'Sign in again, or make a new token.' },
  token_expired: { status: 401, meaning: 'The access token has expired.', remedy: 'Refresh it, or sign in again.' },
  email_missing: { status: 401, meaning: 'The access token names no email address.', remedy: 'Ask the identity provider for the scope email.' },
  user_gone: { status: 401, meaning: 'The account no longer exists.', remedy: 'Sign in again.' },
  sign_in_refused: { status: 401, meaning: 'The identity provider or the person refused the sign-in.', remedy: 'Start the sign-in again.' },
  insufficient_scope: { status: 403, meaning: 'The token lacks the scope for calls to agents.', remedy: 'Sign in again with the scope named in the message.' },
  wrong_scope: { status: 403, meaning: 'Credentials of this kind may not use the route.', remedy: 'Use the kind of credentials that the route names.' },
  another_account: {
    status: 403,
    meaning: 'The access token belongs to another account than the one that asks.',
    remedy: 'Send a token of your own account.',
  },
  user_required: { status: 403, meaning: 'The route needs a signed-in user.', remedy: 'Sign in as a user.' },
  account_suspended: { status: 403, meaning: 'An operator has suspended the account.', remedy: 'Ask the operators of the installation.' },
  not_permitted: {
    status: 403,
    meaning: 'An operator does not allow the account to do this; permission in details names what.',
    remedy: 'Ask the operators of the installation.',
  },
  organization_not_yours: {
    status: 403,
    meaning: 'The header Svc-Organization names no organization of which the caller is an active member.',
    remedy: 'List your organizations (svc orgs list), or ask an admin of it for an invitation.',
  },
  sso_required: {
    status: 403,
    meaning: 'The organization takes only sessions of its own sign-in that are not too old; sign_in_path stands in details.',
    remedy: 'Sign in by the organization: open sign_in_path, or svc login --org SLUG.',
  },
  sso_limited: {
    status: 403,
    meaning:
      "The sign-in was made by an organization's provider, and acts for that organization only; organization stands in details. Its person has not linked the account.",
    remedy: 'Act for that organization, or sign in without it (svc login). Linked on its page Sign-in, the account is open to the provider as a whole.',
  },
  role_not_allowed: {
    status: 403,
    meaning: "The caller's role in the organization does not allow this; action and role stand in details.",
    remedy: 'Ask an owner or admin of the organization.',
  },
  personal_only: { status: 403, meaning: 'This belongs to a person, not to an organization.', remedy: 'Send the request without Svc-Organization.' },
  operator_required: { status: 403, meaning: 'Only an operator may do this.', remedy: 'Ask an operator of the platform.' },
  bearer_required: { status: 403, meaning: 'A browser session cannot do this.', remedy: 'Use an access token, for example after svc login.' },
  other_account: { status: 403, meaning: 'The code belongs to another account.', remedy: 'Redeem it in a browser signed in to that account.' },
  nothing_to_confirm: { status: 403, meaning: 'This browser has no sign-in to confirm.', remedy: 'Open the sign-in link in this browser first.' },
  code_unknown: { status: 403, meaning: 'The code was not issued, or not for this agent.', remedy: 'Ask for a new code.' },
  code_just_used: { status: 409, meaning: 'The same person used the code a moment ago.', remedy: 'Continue where it led.' },
  code_gone: { status: 410, meaning: 'The code was used or has expired.', remedy: 'Ask for a new code.' },
  wrong_origin: { status: 403, meaning: "Another origin than the agent's tried to redeem the code.", remedy: "Redeem it from the agent's own origin." },
  wrong_browser: { status: 403, meaning: 'The sign-in was started in another browser.', remedy: 'Start it in this browser.' },
  sign_in_not_begun_here: {
    status: 403,
    meaning: 'The sign-in was not started in this browser, was used, or took too long.',
    remedy: 'Start the sign-in again.',
  },
  consent_required: { status: 403, meaning: 'The user has not yet agreed that the agent learns who they are.', remedy: 'Open consent_url in the browser.' },
  form_invalid: { status: 403, meaning: 'The form was not made for this session.', remedy: 'Open the page again.' },
  form_too_large: { status: 403, meaning: 'The form is larger than any of ours.', remedy: 'Open the page again.' },
  callback_incomplete: { status: 400, meaning: 'The address is only for the identity provider.', remedy: 'Start at /v1/auth/oidc/start.' },
  sign_in_unavailable: { status: 404, meaning: 'No identity provider is set up or reachable.', remedy: 'Try again in a minute, or set OIDC_ISSUER.' },
  identity_provider_failed: { status: 502, meaning: 'The identity provider failed during the sign-in.', remedy: 'Sign in again in a minute.' },
  identity_provider_unreachable: { status: 503, meaning: 'The identity provider cannot be reached to check the token.', remedy: 'Try again in a minute.' },
});
