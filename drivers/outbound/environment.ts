// Variables of what people may have the platform call, which the API and the worker share.
import { listed } from '../environment-lists.ts';

export const outboundVariables = {
  /**
   * `host` or `host:port`, separated by commas: internal addresses that people may name as endpoints of
   * language models.
   */
  SVC_LLM_LOCAL_HOSTS: listed.optional(),
  /**
   * `host` or `host:port`, separated by commas: internal addresses that people may import agents from, over
   * plain http too.
   */
  SVC_IMPORT_LOCAL_HOSTS: listed.optional(),
  /**
   * `host` or `host:port`, separated by commas: internal addresses to which callers of agents may have
   * changes of their tasks pushed, over plain http too.
   */
  SVC_PUSH_LOCAL_HOSTS: listed.optional(),
};
