/** Which orders placed by a wallet's address belong to its holder. */
import { type RawBuilder, type SqlBool, sql } from 'kysely';
import type { ContractWallets } from '../caller.ts';

/**
 * The SQL twin of `walletsOf(caller, network)`. A machine hires by paying, so a contract wallet counts only on the network of that payment.
 * Elsewhere another person may hold its address. Other buyers signed.
 */
export function isHeldThere({ addresses, pairs }: ContractWallets, order: 'o' | 'orders'): RawBuilder<SqlBool> {
  if (addresses.length === 0) return sql<SqlBool>`true`;
  const of = (column: string) => sql.ref(`${order}.${column}`);
  return sql<SqlBool>`(${of('kind')} <> 'machine' or ${of('payment_network')} is null or ${of('client_wallet')} is null
    or not ${of('client_wallet')} = any(${[...addresses]}::text[]) or (${of('client_wallet')} || ' ' || ${of('payment_network')}) = any(${[...pairs]}::text[]))`;
}
