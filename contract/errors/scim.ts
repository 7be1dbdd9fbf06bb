// Provisioning by SCIM. Its answers carry a scimType of the protocol instead of these codes; logs carry the
// codes.
import { errors } from './kit.ts';

export const scimErrors = errors({
  scim_filter_invalid: { status: 400, meaning: 'The filter is invalid, or names an attribute that does not exist.', remedy: 'Correct the filter.' },
  scim_path_invalid: { status: 400, meaning: 'The path of an operation names no attribute.', remedy: 'Take the names from Schemas.' },
  scim_value_invalid: { status: 400, meaning: 'A value does not fit its attribute, or a required one is missing.', remedy: 'Correct the value.' },
  scim_syntax_invalid: { status: 400, meaning: 'The request does not have the structure of its message.', remedy: 'Correct the request.' },
  scim_no_target: { status: 400, meaning: 'No value fits the path of an operation.', remedy: 'Add the value first.' },
  scim_attribute_read_only: { status: 400, meaning: 'The attribute cannot be changed or removed.', remedy: 'Leave it out.' },
  scim_user_not_found: { status: 404, meaning: 'The organization has no provisioned user of this id.', remedy: 'Look the user up by userName.' },
  scim_group_not_found: { status: 404, meaning: 'The organization has no provisioned group of this id.', remedy: 'Look the group up by displayName.' },
  scim_not_unique: { status: 409, meaning: 'The organization has a resource of this name or address.', remedy: 'Change that one, or use another name.' },
  scim_reference_failed: {
    status: 409,
    meaning: 'An operation of the bulk request, which this one refers to, has failed.',
    remedy: 'Correct that one, then send both again.',
  },
  scim_version: { status: 412, meaning: 'The resource has changed since the version that If-Match names.', remedy: 'Read it again.' },
  scim_too_many: { status: 409, meaning: 'The organization has as many provisioned resources as allowed.', remedy: 'Remove some first.' },
  scim_description_not_found: { status: 404, meaning: 'There is no such schema or type of resources.', remedy: 'List them.' },
});
