/** The operators' view of Earn: vaults with their chain, held deposits, activity. */
import { formatSixUsd, heldBy, type OperationAnswer, type Operations, toWireTime } from '@market/contract';
import type { HandlersOf } from '../../access/call.ts';
import { findDeposit, listHeldDeposits } from './deposit-repository.ts';
import type { EarnContext, VaultSetting } from './earn-context.ts';
import { listActivity, readAgentNames, readDepositLinks, readOpenDeposits, readTotals } from './movement-repository.ts';
import { valueOfUnits } from './share-price.ts';
import { bookOf, countHolders, listVaults } from './vault-repository.ts';
import { findVenuePort, requireEarn } from './vaults.ts';
import { countWaiting, findWithdrawal, listParts } from './withdrawal-repository.ts';

type AdminVault = OperationAnswer<Operations['earn']['overview']>['data']['vaults'][number];
type Activity = OperationAnswer<Operations['earn']['activity']>['data']['entries'][number];

export function earnAdministrationQueries(context: EarnContext): Pick<HandlersOf<'earn'>, 'overview' | 'activity'> {
  const { db } = context.database;
  return {
    async overview() {
      requireEarn(context);
      const [held, totals] = [await listHeldDeposits(db), await readTotals(db)];
      return {
        data: {
          vaults: await presentAdminVaults(context),
          held: held.map((deposit) => ({
            deposit_id: deposit.id,
            key: deposit.vaultKey,
            amount_usd: formatSixUsd(deposit.amountMicros),
            payer: deposit.payer,
            owner: `${deposit.ownerKind}:${deposit.ownerId}`,
            reason: deposit.reason,
            incoming_tx_hash: deposit.reference,
            created_at: toWireTime(deposit.createdAt),
          })),
          totals: {
            deposits_micro: String(totals.depositsMicros),
            paid_micro: String(totals.paidMicros),
            owed_micro: String(totals.owedMicros),
          },
        },
      };
    },

    async activity({ direction, ...page }) {
      requireEarn(context);
      const { rows, total } = await listActivity(db, direction, page);
      const entries = await Promise.all(
        rows.map(({ id, kind }) => (kind === 'deposit' ? ofDeposit(context, id) : ofWithdrawal(context, id))),
      );
      return { data: { entries: entries.flat(), total } };
    },
  };
}

export async function presentAdminVaults(context: EarnContext): Promise<AdminVault[]> {
  const { db } = context.database;
  const [rows, holders] = [await listVaults(db), await countHolders(db)];
  const [waiting, open] = [await countWaiting(db), await readOpenDeposits(db)];
  return await Promise.all(
    [...context.vaults.values()].flatMap((setting) => {
      const row = rows.find(({ key }) => key === setting.key);
      if (row === undefined) return [];
      return [
        readChain(context, setting).then(({ problem, heldUnits, price }) => ({
          ...{ key: setting.key, label: setting.label, venue: setting.venue, market: setting.market },
          ...{ network: setting.network, strategy: setting.strategy },
          venue_address: setting.at.venue,
          router_address: setting.at.router,
          problem,
          deposits_open: row.depositsOpen,
          impaired_at: row.impairedAt === null ? null : toWireTime(row.impairedAt),
          total_shares: String(row.totalShares),
          total_units: String(row.totalUnits),
          queued_units: String(row.queuedUnits),
          unvested_units: String(row.unvestedUnits),
          held_units: heldUnits === null ? null : String(heldUnits),
          drift_units: heldUnits === null ? null : String(heldUnits - heldBy(bookOf(row))),
          holders: holders.get(row.key) ?? 0,
          waiting: waiting.get(row.key) ?? 0,
          open_deposits_micro: String(open.get(row.key) ?? 0n),
          pool_value_micro: price === null ? null : String(valueOfUnits(row.totalUnits, price)),
        })),
      ];
    }),
  );
}

async function readChain(context: EarnContext, { key, network, at }: VaultSetting) {
  const port = findVenuePort(context, key);
  if (port === undefined) return { problem: `no node for venues on ${network}`, heldUnits: null, price: null };
  try {
    const problem = (await port.venues.check(at)) ?? null;
    const reading = await port.venues.read(at);
    return { problem, heldUnits: reading.heldUnits, price: reading };
  } catch (error) {
    return { problem: error instanceof Error ? error.message : String(error), heldUnits: null, price: null };
  }
}

async function ofDeposit(context: EarnContext, id: string): Promise<Activity[]> {
  const { db } = context.database;
  const deposit = await findDeposit(db, id);
  if (deposit === undefined) return [];
  const links = (await readDepositLinks(db, [id])).get(id);
  return [
    {
      ...(await ownerFields(context, deposit)),
      id,
      direction: 'deposit',
      poolMarket: deposit.vaultKey,
      amountUsd: formatSixUsd(deposit.amountMicros),
      status: deposit.status,
      txHash: links?.deployReference ?? deposit.reference,
      destination: null,
      createdAt: toWireTime(deposit.createdAt),
    },
  ];
}

async function ofWithdrawal(context: EarnContext, id: string): Promise<Activity[]> {
  const { db } = context.database;
  const withdrawal = await findWithdrawal(db, id);
  if (withdrawal === undefined) return [];
  return [
    {
      ...(await ownerFields(context, withdrawal)),
      id,
      direction: 'withdraw',
      poolMarket: withdrawal.vaultKey,
      amountUsd: formatSixUsd(withdrawal.receivedMicros),
      status: withdrawal.status,
      txHash: (await listParts(db, [id])).at(-1)?.sentReference ?? null,
      destination: withdrawal.destination,
      createdAt: toWireTime(withdrawal.createdAt),
    },
  ];
}

async function ownerFields({ database }: EarnContext, { ownerKind, ownerId }: { ownerKind: Activity['ownerKind']; ownerId: string }) {
  const agent = ownerKind === 'agent' ? (await readAgentNames(database.db, [ownerId])).get(ownerId) : undefined;
  return { ownerKind, ownerId, ownerName: agent?.name ?? null, ownerAvatarUrl: agent?.avatarUrl ?? null };
}
