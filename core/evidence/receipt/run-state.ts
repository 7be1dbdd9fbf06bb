/** SQL: the state in which a receipt's run ended. `status`: an expression of ours, never input. */
export function stateOfReceipt(status: string): string {
  return `case ${status} when 'ok' then 'succeeded' when 'cancelled' then 'cancelled' else 'failed' end`;
}
