-- why: holds the number of another branch; remove this file when that branch is merged
select 1;
