/** Makes PostgreSQL refuse writes with one of its own error codes. */
import type pg from 'pg';

/** Fails each write to `table` with `code` while `condition` holds for a counter that no rollback resets. The returned function ends it. */
export async function failWrites(pool: pg.Pool, table: string, code: string, condition = '> 0'): Promise<() => Promise<void>> {
  await pool.query(`
    create sequence faults;
    create function induce_fault() returns trigger language plpgsql as $$
    begin
      if nextval('faults') ${condition} then raise exception 'induced' using errcode = '${code}'; end if;
      return new;
    end $$;
    create trigger induce_fault after insert or update on ${table} for each row execute function induce_fault()`);
  return async () => void (await pool.query(`drop trigger induce_fault on ${table}; drop function induce_fault; drop sequence faults`));
}

/** Errors with which PostgreSQL refuses a correct statement. */
export const refusals = [
  ['40001', 'a serialization failure that does not end'],
  ['40P01', 'a deadlock that does not end'],
  ['55P03', 'a lock that is not granted in time'],
  ['57014', 'a statement that takes too long'],
  ['53100', 'a full disk'],
  ['53300', 'too many connections'],
  ['25006', 'a database that became read-only'],
] as const;
