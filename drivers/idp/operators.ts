// Operators named by this installation, for issuers that cannot carry our claim.

/** Only a verified address counts: an issuer where anybody may sign up would otherwise hand out the installation. */
export function isOperator(operators: readonly string[] | undefined, email: string | undefined, verified: boolean | undefined): boolean {
  return verified === true && email !== undefined && (operators ?? []).some((one) => one.toLowerCase() === email.toLowerCase());
}
