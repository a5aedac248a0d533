-- why: an intent that a restored database still has queued may have been sent from the lost one, so it must not be signed again

-- Names this database: another one restored from its dump or files has another name.
create function database_place() returns text language sql stable as
$$ select (select oid from pg_database where datname = current_database())::text || '/' || s.system_identifier || '/' || c.timeline_id
   from pg_control_system() s, pg_control_checkpoint() c $$;

-- Where the intent was ordered.
alter table wallet_movements add column place text not null default database_place();
alter table creator_fee_payouts add column place text not null default database_place();
