// Every recipe, in the order in which they are offered.
import type { StudioRecipe } from '#contract/states.ts';
import { apiWrapper } from './api-wrapper/recipe.ts';
import { approvalDesk } from './approval-desk/recipe.ts';
import { fileRetrieval } from './file-retrieval/recipe.ts';
import { formToRecord } from './form-to-record/recipe.ts';
import { mailTriage } from './mail-triage/recipe.ts';
import { mcpBridge } from './mcp-bridge/recipe.ts';
import { monitorAlert } from './monitor-alert/recipe.ts';
import type { Recipe } from './recipe.ts';
import { scheduledDigest } from './scheduled-digest/recipe.ts';
import { tableReport } from './table-report/recipe.ts';
import { webhookTransformer } from './webhook-transformer/recipe.ts';

export const RECIPES: readonly Recipe[] = [
  apiWrapper,
  webhookTransformer,
  fileRetrieval,
  scheduledDigest,
  formToRecord,
  tableReport,
  mailTriage,
  approvalDesk,
  monitorAlert,
  mcpBridge,
];

export function recipeOf(id: StudioRecipe): Recipe {
  const match = RECIPES.find(({ recipe }) => recipe === id);
  if (!match) throw new Error(`there is no recipe ${id}`);
  return match;
}
