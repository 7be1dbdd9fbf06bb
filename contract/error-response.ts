// The one shape of every refusal.
import { z } from 'zod';

const InputIssue = z.strictObject({
  path: z.array(z.union([z.string(), z.number()])).describe('Where in the request: params, query or body first, then member names and list positions'),
  message: z.string(),
  code: z.string().optional(),
});
type InputIssue = z.infer<typeof InputIssue>;

export const ErrorResponse = z
  .object({
    detail: z.looseObject({
      code: z.string().describe('Stable; branch on the status, then on this'),
      message: z.string().describe('For people; states what to do next'),
      request_id: z.string().describe('Name it when asking for help'),
      issues: z
        .array(InputIssue)
        .optional()
        .describe("With 422: everything that is wrong with the input; with an agent's own error: with the arguments or the result"),
      agent_status: z.number().int().optional().describe("The agent's own status code, where one was observed; never with 504"),
    }),
  })
  .meta({ id: 'ErrorResponse' });
export type ErrorResponse = z.infer<typeof ErrorResponse>;
