-- Generated from packages/server/src/access/credential-changes-repository.ts by `npm run generate`. Do not edit.

-- listRecentChanges
select id, subject
from credential_changes
where changed_at > clock_timestamp() - make_interval(secs => $1);
