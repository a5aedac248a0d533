-- why: logs and histories keep addresses, so a signature that stood in one only reads from then on, wherever a copy of it appears

-- Names wallet and time of signing, or the text of a message. Kept for as long as a signature is good.
create table addressed_signatures (
  digest bytea primary key,
  expires_at timestamptz not null
);
create index addressed_signatures_expiry on addressed_signatures (expires_at);
