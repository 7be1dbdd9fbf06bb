// Messages between the API and the thread in which it renders pages of the dashboard (web/server/worker.ts).

/** What a page reads of the API. */
export interface ReadingRequest {
  method: string;
  path: string;
  headers: Record<string, string>;
  body?: string;
}

/** Its answer. */
export interface ReadingAnswer {
  status: number;
  headers: Record<string, string>;
  body: string;
}

export interface RenderedPage {
  /** Of the element with the id `root`. */
  html: string;
  /** What was read for it: JSON that may stand in a script element. */
  state: string;
}

/**
 * To the thread. `render`: path and query of the address; `nonce`: what style elements carry; `stop`: nobody
 * waits for it any more.
 */
export type ToRenderer =
  | { visit: number; render: string; origin: string; nonce: string }
  | { visit: number; stop: true }
  | { reading: number; answer: ReadingAnswer };

/** From it. Without `page` the browser makes the page; `why`: what failed, where that is a fault. */
export type FromRenderer = { visit: number; page?: RenderedPage; why?: string } | { visit: number; reading: number; ask: ReadingRequest };
