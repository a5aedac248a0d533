-- Generated from packages/server/src/features/sandbox/demo/repository.ts by `npm run generate`. Do not edit.

-- findDemo
select "sealed_seed", "completed_at"
from "demo_content";

-- insertDemo
insert into "demo_content" ("sealed_seed")
values ($1);

-- markComplete
update "demo_content"
set "completed_at" = $1;
