/** Which orders of a wallet are its holder's. */
import { type RawBuilder, type SqlBool, sql } from 'kysely';
import type { ContractPlaces } from '../caller.ts';

/**
 * As `walletsOf(caller, network)` in SQL. A machine hired by paying, so a contract wallet counts on the network of that payment only: elsewhere
 * another person may hold its address. Other buyers signed.
 */
export function isHeldThere({ addresses, places }: ContractPlaces, order: 'o' | 'orders'): RawBuilder<SqlBool> {
  if (addresses.length === 0) return sql<SqlBool>`true`;
  const of = (column: string) => sql.ref(`${order}.${column}`);
  return sql<SqlBool>`(${of('kind')} <> 'machine' or ${of('payment_network')} is null or ${of('client_wallet')} is null
    or not ${of('client_wallet')} = any(${[...addresses]}::text[]) or (${of('client_wallet')} || ' ' || ${of('payment_network')}) = any(${[...places]}::text[]))`;
}
