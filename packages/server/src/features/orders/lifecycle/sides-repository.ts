/** Names and owners of both sides of a new order. `repository.ts` reads them with an order that exists. */
import type { AgentId } from '@market/contract';
import { type RawBuilder, sql } from 'kysely';
import type { Db } from '../../../platform/db/database.ts';
import { publicNameBeside } from '../../accounts/identity/index.ts';
import type { OrderRow } from '../repository.ts';

export type OrderSides = Pick<
  OrderRow,
  | 'relatedParty'
  | 'providerName'
  | 'providerSlug'
  | 'providerOwnerWallet'
  | 'providerOwnerUserId'
  | 'providerOnchainId'
  | 'clientAgentName'
  | 'clientOwnerWallet'
  | 'clientOwnerProven'
  | 'clientOwnerUserId'
  | 'clientUserName'
  | 'clientProfileName'
>;

export interface Parties {
  readonly providerAgentId: AgentId;
  readonly clientAgentId?: AgentId | null;
  readonly userId?: string | null;
  readonly clientWallet?: string | null;
  readonly payer?: string | null;
}

/** `related` says whether both sides are the same people. */
export async function readSides(
  db: Db,
  { providerAgentId, clientAgentId = null, userId = null, clientWallet = null, payer = null }: Parties,
  related: boolean | RawBuilder<boolean>,
): Promise<OrderSides> {
  const name = publicNameBeside(sql<string | null>`${clientWallet}::text`, sql<string | null>`${payer}::text`);
  return await db
    .selectFrom('agents as provider')
    .leftJoin('agents as client', (join) => join.on('client.id', '=', clientAgentId))
    .leftJoin('users', (join) => join.on('users.id', '=', userId))
    .leftJoin('walletProfiles', (join) => join.on('walletProfiles.wallet', '=', clientWallet))
    .where('provider.id', '=', providerAgentId)
    .select([
      'provider.name as providerName',
      'provider.slug as providerSlug',
      'provider.ownerWallet as providerOwnerWallet',
      'provider.ownerUserId as providerOwnerUserId',
      'provider.erc8004AgentId as providerOnchainId',
      'client.name as clientAgentName',
      'client.ownerWallet as clientOwnerWallet',
      'client.ownerProven as clientOwnerProven',
      'client.ownerUserId as clientOwnerUserId',
      name.as('clientUserName'),
      'walletProfiles.displayName as clientProfileName',
      sql<boolean>`${related}::boolean`.as('relatedParty'),
    ])
    .executeTakeFirstOrThrow();
}
