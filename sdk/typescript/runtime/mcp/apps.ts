// Questions as apps (extension io.modelcontextprotocol/ui): a host that shows pages of a server shows the
// form of a question beside the tool that answers it. A client that can show an elicitation gets that
// instead.
import { CLIENT_CAPABILITIES_META_KEY, type ServerContext } from '@modelcontextprotocol/server';
import { z } from 'zod';
import type { Contents } from './contents.ts';
import { FORM_TYPE, QUESTION_FORM, QUESTION_PAGE } from './question-form.ts';

export const UI_EXTENSION = 'io.modelcontextprotocol/ui';

const Capabilities = z.object({ extensions: z.object({ [UI_EXTENSION]: z.object({ mimeTypes: z.array(z.string()) }) }) });

/** By what the client declared of itself. */
export function declaresApps(capabilities: unknown): boolean {
  const declared = Capabilities.safeParse(capabilities);
  return declared.success && declared.data.extensions[UI_EXTENSION].mimeTypes.includes(FORM_TYPE);
}

/** @param fromSession what the client of 2025 said at its beginning */
export function showsApps({ mcpReq }: ServerContext, fromSession: boolean): boolean {
  const envelope: Record<string, unknown> = { ...mcpReq.envelope };
  return fromSession || declaresApps(envelope[CLIENT_CAPABILITIES_META_KEY]);
}

/** Nothing from anywhere: neither scripts, nor connections, nor frames. */
const UI_META = { ui: { csp: {}, prefersBorder: true } };

export function appContents(uri: string): Contents | undefined {
  return uri === QUESTION_FORM ? { uri, mimeType: FORM_TYPE, text: QUESTION_PAGE, _meta: UI_META } : undefined;
}
