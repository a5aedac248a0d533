/** SQL for the name of a person that others see. The statement must join `users`. */
import { type RawBuilder, sql } from 'kysely';

/**
 * Null unless the person saved a profile. Null also beside a wallet that the person hides, because name and wallet together would reveal the
 * link. If all `wallets` are null, one may be named later, so the person must show every linked wallet.
 */
export function publicNameBeside(...wallets: readonly RawBuilder<string | null>[]): RawBuilder<string | null> {
  const named = sql.join(wallets.map((wallet) => sql`(${wallet})`));
  return sql<
    string | null
  >`case when users.closed_at is not null then 'A closed account' when users.profile_saved_at is not null and case when coalesce(${sql.join([...wallets])}) is null
      then not exists (select 1 from user_wallets l where l.user_id = users.id and not l.shown)
      else not exists (select 1 from (values ${named}) beside(address) where beside.address is not null
        and not exists (select 1 from user_wallets l where l.user_id = users.id and l.address = beside.address and l.shown)) end
    then coalesce(users.display_name, users.username) end`;
}
