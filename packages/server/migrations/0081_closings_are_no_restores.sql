-- why: a closing takes text out of events, so their rows get another writer; without its name a process took that for a restored database and ended

-- As `xmin` shows them. A row put back from a dump has another writer, which is not in here.
create table closing_transactions (
  writer text primary key,
  at timestamptz(3) not null default market_now()
);
