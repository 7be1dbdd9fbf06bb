// What a client of tools/call gets besides a run's result.
import type { CallToolResult, ServerContext, Tool } from '@modelcontextprotocol/server';
import type { ProgressPayload } from '../../../../contract/wire/events.ts';
import type { Question } from './attended.ts';
import type { Caller } from './caller.ts';
import { ANSWER_TOOL, toAnswerText } from './asking.ts';
import { QUESTION_FORM } from './question-form.ts';

/** @param apps the client shows pages: then the tool without an answer shows the question as a form */
export function answerTool({ apps }: { apps: boolean }): Tool {
  const shows = apps ? ' Without an answer it shows the question to the user as a form.' : '';
  return {
    name: ANSWER_TOOL,
    description: `Answers a question that a tool of this agent has asked, and continues that tool.${shows}`,
    inputSchema: {
      type: 'object',
      properties: {
        question_id: { type: 'string', description: 'As the tool named it.' },
        answer: { type: 'string', description: 'Text; where a form was asked for, JSON that fits its schema.' },
      },
      required: apps ? ['question_id'] : ['question_id', 'answer'],
      additionalProperties: false,
    },
    ...(apps && { _meta: { ui: { resourceUri: QUESTION_FORM, visibility: ['model', 'app'] } } }),
  };
}

/** Numbers of `progress` must grow, whatever the skill reports. */
export function progressReporter({ mcpReq }: ServerContext, { reads }: Pick<Caller, 'reads'>): (payload: ProgressPayload) => Promise<void> | undefined {
  const token = mcpReq._meta?.progressToken;
  let last = -1;
  return ({ message, progress, total }) => {
    if (token === undefined || reads === 'json') return undefined;
    last = progress !== undefined && progress > last ? progress : last + 1;
    const params = { progressToken: token, progress: last, message, ...(progress !== undefined && total !== undefined && { total }) };
    // A reader that went away is noticed by the signal; the skill need not hear of it here.
    return mcpReq.notify({ method: 'notifications/progress', params }).catch(() => {});
  };
}

// Marked as an error, so that no client holds it for the tool's own result and checks it against the output
// schema.
export function toAnswer(question: Question, skill: string, { apps }: { apps: boolean }): CallToolResult {
  const form = apps ? ` To show it to the user as a form, call ${ANSWER_TOOL} with only the question_id.` : '';
  return { ...text(toAnswerText(skill)(question) + form, true), _meta: metaOf(question) };
}

/** For the page that draws the form; the model reads that there is one. */
export function shownAsForm(question: Question): CallToolResult {
  return { ...text(`The user sees the question as a form and answers there: ${question.prompt}`, false), _meta: metaOf(question) };
}

export function doesNotFit(question: Question, mistakes: string): CallToolResult {
  return { ...text(`the answer does not fit the form: ${mistakes}`, true), _meta: metaOf(question) };
}

export function gone(): CallToolResult {
  return text('not_found: this run is not here any more; call the tool again from the start', true);
}

export function text(message: string, isError: boolean): CallToolResult {
  return { isError, content: [{ type: 'text', text: message }] };
}

function metaOf({ question_id, prompt, expires_at, schema }: Question): CallToolResult['_meta'] {
  return { 'svc/question': { question_id, prompt, expires_at, ...(schema && { schema }) } };
}
