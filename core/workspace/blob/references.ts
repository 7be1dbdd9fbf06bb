// What refers to a content.

/** Of a row `b` of `blobs`: nothing does. */
export const UNREFERENCED = `not exists (select 1 from files f where f.sha256 = b.sha256)
  and not exists (select 1 from file_upload_parts u where u.sha256 = b.sha256)
  and not exists (select 1 from patches p where p.sha256 = b.sha256)
  and not exists (select 1 from artifacts a where a.sha256 = b.sha256)
  and not exists (select 1 from mail_messages m where m.sha256 = b.sha256)
  and not exists (select 1 from compliance_exports c where c.sha256 = b.sha256)`;
