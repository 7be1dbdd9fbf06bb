// What a request does wrong by the SCIM protocol. api/http/scim-form.ts gives each code its scimType.
import { BadRequest } from '../../kernel/errors.ts';

export function filterInvalid(what: string): BadRequest {
  return new BadRequest('scim_filter_invalid', `The filter cannot be used: ${what}`);
}

export function pathInvalid(what: string): BadRequest {
  return new BadRequest('scim_path_invalid', `The path cannot be used: ${what}`);
}

export function valueInvalid(what: string): BadRequest {
  return new BadRequest('scim_value_invalid', what);
}

export function syntaxInvalid(what: string): BadRequest {
  return new BadRequest('scim_syntax_invalid', what);
}

export function noTarget(what: string): BadRequest {
  return new BadRequest('scim_no_target', what);
}

export function readOnly(name: string): BadRequest {
  return new BadRequest('scim_attribute_read_only', `"${name}" cannot be changed: leave it out`);
}
