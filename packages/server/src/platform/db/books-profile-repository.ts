/** Whether the coins in these books are worthless or real. The first process that uses them decides, and a process of the other profile ends. */
import { sql } from 'kysely';
import type { Db } from './handles.ts';

type Profile = 'sandbox' | 'production';

/** Throws when these books belong to the other profile. Call it before migrations, too: on the wrong books nothing may change. */
export async function requireProfile(db: Db, profile: Profile): Promise<void> {
  refuseOther(await readProfile(db), profile);
}

/** As `requireProfile`, and the books belong to this profile from now on. The migrated books must have been used. */
export async function claimProfile(db: Db, profile: Profile): Promise<void> {
  // Where it is recorded, this waits for nobody who has locked the row.
  await sql`update known_place set profile = ${profile} where profile is null`.execute(db);
  refuseOther(await readProfile(db), profile);
}

/** Undefined where no process has recorded it: the books are new, or of an earlier release. */
async function readProfile(db: Db): Promise<Profile | undefined> {
  const { rows } = await sql<{ known: boolean }>`select to_regclass('known_place') is not null as known`.execute(db);
  if (rows[0]?.known !== true) return undefined;
  // The column may be missing, too.
  const { rows: found } = await sql<{ profile: Profile | null }>`select to_jsonb(k)->>'profile' as profile from known_place k`.execute(db);
  return found[0]?.profile ?? undefined;
}

function refuseOther(found: Profile | undefined, profile: Profile): void {
  if (found === undefined || found === profile) return;
  throw new Error(
    found === 'production'
      ? 'This database holds the books of a production, and this process is a sandbox, whose coins are worthless. Give it the settings of the production, or another database.'
      : 'This database holds the books of a sandbox, whose coins are worthless, and this process is a production. Give it another database.',
  );
}
