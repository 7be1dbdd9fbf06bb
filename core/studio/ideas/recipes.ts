// What ideas are made of: ten kinds of agents and ten groups of people. The figures are what we think of a
// kind before anything is known of it.
import { STUDIO_RECIPES, type StudioRecipe } from '#contract/states.ts';
import { recipeOf } from '../recipe/index.ts';
import { needsOf } from '../recipe/inputs.ts';

export type RecipeNeeds = Readonly<Record<StudioRecipe, readonly string[]>>;

/** Inputs without which a recipe cannot be filled. Safe: the keys are all recipes. */
export const RECIPE_NEEDS: RecipeNeeds = Object.fromEntries(STUDIO_RECIPES.map((recipe) => [recipe, needsOf(recipeOf(recipe))])) as Record<
  StudioRecipe,
  string[]
>;

export interface RecipeKind {
  /** In names of agents. */
  word: string;
  title: string;
  /** After "An agent for <audience> that should". */
  does: string;
  /** That speak for it, in a theme and in what agents say of themselves. */
  words: readonly string[];
  /** Secrets that it mostly needs. */
  secrets: number;
  /** How wanted such agents are where the platform knows nothing of the theme; 0 to 1. */
  prior: number;
  /** How cheap a call is: 1 without a language model, a timer or much memory. */
  cheap: number;
}

export const KINDS: Readonly<Record<StudioRecipe, RecipeKind>> = {
  api_wrapper: {
    word: 'api',
    title: 'Service behind a skill',
    does: 'ask a web service and answer with what it says in a fixed form',
    words: ['api', 'service', 'data', 'lookup', 'price', 'weather', 'rest', 'query'],
    secrets: 1,
    prior: 0.6,
    cheap: 0.9,
  },
  webhook_transformer: {
    word: 'hook',
    title: 'Events from one system to another',
    does: 'take in events of one system, bring them into the form of another and pass them on',
    words: ['webhook', 'event', 'integration', 'sync', 'forward', 'transform'],
    secrets: 1,
    prior: 0.45,
    cheap: 0.95,
  },
  file_retrieval: {
    word: 'files',
    title: 'Answers from files',
    does: 'find passages in files and answer with the place where each stands',
    words: ['file', 'document', 'search', 'manual', 'archive', 'library', 'knowledge', 'law'],
    secrets: 0,
    prior: 0.7,
    cheap: 0.6,
  },
  scheduled_digest: {
    word: 'digest',
    title: 'Summary at a fixed time',
    does: 'collect what is new and write a summary of it at a fixed time',
    words: ['digest', 'news', 'daily', 'weekly', 'summary', 'newsletter', 'calendar'],
    secrets: 0,
    prior: 0.6,
    cheap: 0.55,
  },
  form_to_record: {
    word: 'form',
    title: 'Form to record',
    does: 'take in a form, check what it says and keep it as a record',
    words: ['form', 'registration', 'booking', 'intake', 'order', 'application', 'visitor'],
    secrets: 0,
    prior: 0.5,
    cheap: 0.95,
  },
  table_report: {
    word: 'report',
    title: 'Report of a table',
    does: 'read a table and write a report of its sums, its changes and what stands out',
    words: ['table', 'report', 'csv', 'statistics', 'budget', 'inventory', 'sales', 'figures'],
    secrets: 0,
    prior: 0.55,
    cheap: 0.8,
  },
  mail_triage: {
    word: 'mail',
    title: 'Sorted mail',
    does: 'read mail that comes in, sort it and write a draft of each answer',
    words: ['mail', 'email', 'inbox', 'support', 'complaint', 'letter'],
    secrets: 0,
    prior: 0.65,
    cheap: 0.5,
  },
  approval_desk: {
    word: 'approval',
    title: 'Desk of approvals',
    does: 'collect requests, let a person approve or refuse each and keep what was decided',
    words: ['approval', 'request', 'leave', 'purchase', 'permit', 'licence', 'expense'],
    secrets: 0,
    prior: 0.4,
    cheap: 0.9,
  },
  monitor_alert: {
    word: 'watch',
    title: 'Watch that tells',
    does: 'watch a page or a service and tell when it changes or stops answering',
    words: ['monitor', 'alert', 'watch', 'status', 'outage', 'uptime', 'warning', 'safety'],
    secrets: 0,
    prior: 0.6,
    cheap: 0.7,
  },
  mcp_bridge: {
    word: 'bridge',
    title: 'Tools as skills',
    does: 'offer tools of an MCP server as skills with rules for who may use them',
    words: ['mcp', 'tool', 'bridge', 'server', 'connector', 'plugin'],
    secrets: 1,
    prior: 0.35,
    cheap: 0.85,
  },
};

export interface Audience {
  /** In names of agents. */
  word: string;
  title: string;
  /** By which agents for them are found. */
  words: readonly string[];
  /** Kinds of agents that go with what they do all day. */
  suits: readonly StudioRecipe[];
}

export const AUDIENCES: readonly Audience[] = [
  { word: 'owners', title: 'owners of small businesses', words: ['business', 'shop', 'owner'], suits: ['form_to_record', 'table_report', 'mail_triage'] },
  { word: 'support', title: 'support teams', words: ['support', 'customer', 'helpdesk'], suits: ['mail_triage', 'file_retrieval', 'form_to_record'] },
  { word: 'sales', title: 'sales teams', words: ['sales', 'lead', 'crm'], suits: ['table_report', 'api_wrapper', 'webhook_transformer'] },
  { word: 'books', title: 'bookkeepers', words: ['invoice', 'accounting', 'finance'], suits: ['table_report', 'approval_desk', 'mail_triage'] },
  { word: 'ops', title: 'operations managers', words: ['operations', 'logistics', 'maintenance'], suits: ['monitor_alert', 'table_report', 'approval_desk'] },
  { word: 'devs', title: 'developers', words: ['developer', 'code', 'software'], suits: ['api_wrapper', 'webhook_transformer', 'mcp_bridge'] },
  { word: 'research', title: 'researchers', words: ['research', 'science', 'study'], suits: ['file_retrieval', 'scheduled_digest', 'table_report'] },
  { word: 'teachers', title: 'teachers', words: ['teacher', 'school', 'course'], suits: ['file_retrieval', 'form_to_record', 'scheduled_digest'] },
  { word: 'editors', title: 'editors and journalists', words: ['editor', 'news', 'press'], suits: ['scheduled_digest', 'monitor_alert', 'file_retrieval'] },
  { word: 'offices', title: 'public offices', words: ['public', 'city', 'citizen'], suits: ['form_to_record', 'approval_desk', 'file_retrieval'] },
];
