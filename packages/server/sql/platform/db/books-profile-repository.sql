-- Generated from packages/server/src/platform/db/books-profile-repository.ts by `npm run generate`. Do not edit.

-- claimProfile
update known_place
set profile = $1
where profile is null;
select to_regclass('known_place') is not null as known;

-- requireProfile
select to_regclass('known_place') is not null as known;
