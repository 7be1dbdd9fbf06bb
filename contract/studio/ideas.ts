// A hundred ideas for agents on one theme, scored by fixed weights that are shown.
import { z } from 'zod';
import { trimmedText } from '../shared.ts';
import { STUDIO_RECIPES } from '../states.ts';
import { StudioBrief, StudioRunOut } from './studio-brief.ts';

/** What each part of a score counts; they sum to 100. */
export const IDEA_WEIGHTS = { demand: 30, fit: 25, feasibility: 20, gap: 15, cost: 10 } as const;
export type IdeaPart = keyof typeof IDEA_WEIGHTS;

export const IdeasIn = z
  .strictObject({
    theme: trimmedText(200).meta({ description: 'A trade, a place, a problem: "small harbours".' }),
    build_top_three: z.boolean().default(false).meta({ description: 'Runs of the studio are started for the best three that need no further input.' }),
    total_budget_cents: z.int().min(300).max(9000).default(3000).meta({ description: 'Budget of the three together, each a third.' }),
    model: StudioBrief.shape.model,
  })
  .meta({ id: 'IdeasIn', examples: [{ theme: 'small harbours' }] });
export type IdeasIn = z.output<typeof IdeasIn>;

const part = z.number().min(0).max(1);
export const IdeaOut = z
  .strictObject({
    rank: z.int().min(1).max(100),
    name: z.string(),
    title: z.string(),
    goal: z.string(),
    audience: z.string(),
    recipe: z.enum(STUDIO_RECIPES),
    score: z.number().min(0).max(100),
    parts: z.strictObject({ demand: part, fit: part, feasibility: part, gap: part, cost: part }).meta({ id: 'IdeaParts' }),
    reason: z.string(),
    missing: z.array(z.string()).meta({ description: 'Inputs that its recipe needs.' }),
  })
  .meta({ id: 'IdeaOut' });
export type IdeaOut = z.infer<typeof IdeaOut>;

export const IdeasOut = z
  .strictObject({
    theme: z.string(),
    weights: z.strictObject({ demand: z.int(), fit: z.int(), feasibility: z.int(), gap: z.int(), cost: z.int() }),
    items: z.array(IdeaOut).meta({ description: '100, best first. The same theme gives the same ideas; what is on the platform decides the gap.' }),
    runs: z.array(StudioRunOut),
  })
  .meta({ id: 'IdeasOut' });
export type IdeasOut = z.infer<typeof IdeasOut>;
