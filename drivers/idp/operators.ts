// Operators named by this installation, for issuers that cannot carry our claim.

/** Only a verified address counts: an issuer with open sign-up would otherwise give away the installation. */
export function isOperator(operators: readonly string[] | undefined, email: string | undefined, verified: boolean | undefined): boolean {
  return verified === true && email !== undefined && (operators ?? []).some((one) => one.toLowerCase() === email.toLowerCase());
}
