-- why: uploaded files: what they are, whose they are, and what they belong to

create table uploads (
  id text primary key,
  -- 128 random bits; nothing of the caller's is part of where the bytes lie.
  storage_key text not null unique,
  -- storing: the object may not be there yet · ready · removing: first the object goes, then the row. So no object is ever without its row.
  state text not null default 'storing' check (state in ('storing', 'ready', 'removing')),
  purpose text not null check (purpose in ('deliverable', 'brief_image')),
  visibility text not null default 'private' check (visibility in ('private', 'public')),
  -- Everything the uploader proved to be, and the owner of the agent whose key was used.
  agent_id text references agents (id),
  user_id text,
  wallet text,
  content_type text not null,
  media_type text not null check (media_type in ('image', 'video', 'document', 'text', 'code')),
  size_bytes integer not null check (size_bytes > 0),
  sha256 text not null,
  file_name text not null,
  width integer,
  height integer,
  preview_key text,
  preview_size_bytes integer,
  -- True with the first attachment; kept here so that removal and attachment meet on one row.
  attached boolean not null default false,
  created_at timestamptz not null default market_now(),
  check (agent_id is not null or user_id is not null or wallet is not null),
  check ((preview_key is null) = (preview_size_bytes is null))
);
create index uploads_not_attached on uploads (created_at) where not attached;
create index uploads_loose_of_agent on uploads (agent_id) where not attached and agent_id is not null;
create index uploads_loose_of_user on uploads (user_id) where not attached and user_id is not null;
create index uploads_loose_of_wallet on uploads (wallet) where not attached and wallet is not null;

create table upload_attachments (
  upload_id text not null references uploads (id),
  -- The order, bounty or message it is part of.
  subject_id text not null,
  created_at timestamptz not null default market_now(),
  primary key (upload_id, subject_id)
);
