// Signals, updates and queries that workflows answer to, and what goes in and out of them.
import { defineSignal } from '@temporalio/workflow';

/** To a queued deployment: the one before it is decided. */
export const turn = defineSignal('turn');

export interface DeployIn {
  deploy_id: string;
}

export interface RetireIn {
  agent_id: string;
}
