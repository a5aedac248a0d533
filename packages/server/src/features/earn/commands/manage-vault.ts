/** An operator opens or closes deposits, or recognises a difference between venue and book. */
import { harvestFrom, isFresh, isTooCoarse, MarketError, recogniseHarvest, shrinkHarvests, spreadLoss } from '@market/contract';
import type { HandlersOf } from '../../../access/call.ts';
import { reachCrashPoint } from '../../../platform/crash-points.ts';
import type { Tx } from '../../../platform/db/database.ts';
import { recordAdminAction } from '../../moderation/index.ts';
import { presentAdminVaults } from '../administration.ts';
import { type Comparison, readComparison } from '../compare-units.ts';
import type { EarnContext } from '../earn-context.ts';
import { settleIfPaid } from '../end-redeem.ts';
import { insertHarvest, listHarvests, writeHarvests } from '../harvest-repository.ts';
import { listRedeeming } from '../intent-repository.ts';
import { bookOf, insertEarnMovement, lockVault, setDepositsOpen, setImpaired, type VaultRow, writeBook } from '../vault-repository.ts';
import { orVenueUnavailable, requireVenuePort } from '../vaults.ts';
import { lockQueue, spreadOver } from '../withdrawal-repository.ts';

export function manageVault(context: EarnContext): HandlersOf<'earn'>['manageVault'] {
  return async ({ key, deposits_open: depositsOpen, recognise, reason }, call) => {
    if (!context.vaults.has(key)) throw new MarketError('earn_vault_not_found');
    // Read before the transaction: if the book changes afterwards, nothing is recognised.
    const seen =
      recognise === undefined ? undefined : await orVenueUnavailable(readComparison(context, requireVenuePort(context, { key })));
    const before = await showVault(context, key);
    let recognised: bigint | null = null;
    await call.commit(
      async (tx) => {
        const vault = await lockVault(tx, key);
        if (depositsOpen !== undefined) await setDepositsOpen(tx, key, depositsOpen);
        if (recognise !== undefined && seen !== undefined) recognised = await recogniseDifference(tx, context, vault, recognise, seen);
        reachCrashPoint('earn.before_recognise_commit');
        const action =
          recognise === undefined ? `earn.deposits_${depositsOpen === true ? 'open' : 'closed'}` : `earn.recognise_${recognise}`;
        await recordAdminAction(tx, call.caller, { action, subjectId: key, reason, details: { recognised: String(recognised) } });
        return { data: { ...before, deposits_open: depositsOpen ?? before.deposits_open, recognised_units: textOf(recognised) } };
      },
      { provisional: true },
    );
    return { data: { ...(await showVault(context, key)), recognised_units: textOf(recognised) } };
  };
}

async function showVault(context: EarnContext, key: string) {
  const shown = (await presentAdminVaults(context)).find((vault) => vault.key === key);
  if (shown === undefined) throw new MarketError('earn_vault_not_found');
  return shown;
}

function underWay(): MarketError {
  return new MarketError('earn_nothing_to_recognise', {
    message: 'A redemption is under way, or units have just moved. Try again when it has ended.',
  });
}

function textOf(units: bigint | null): string | null {
  return units === null ? null : String(units);
}

/** Open deposits are not in the book and bear nothing. Open redemptions carry their old number of units, so they must end first. */
async function recogniseDifference(
  tx: Tx,
  context: EarnContext,
  vault: VaultRow,
  kind: 'loss' | 'harvest',
  { difference, isFound, state, version }: Comparison,
): Promise<bigint> {
  const isStill = state !== 'unclear' && vault.version === version && (await listRedeeming(tx, vault.key)).length === 0;
  if (!isStill || (kind === 'harvest' && isFound)) throw underWay();
  if (kind === 'loss' ? difference >= 0n : difference <= 0n) throw new MarketError('earn_nothing_to_recognise');
  await (kind === 'loss' ? recogniseLoss(tx, context, vault, -difference) : accrueHarvest(tx, vault, difference));
  // Locked again: the writes above changed the version.
  await setImpaired(tx, await lockVault(tx, vault.key), 0n);
  return difference;
}

/** Spreads the loss over holders, queue and unaccrued harvests, in proportion to their units. */
async function recogniseLoss(tx: Tx, context: EarnContext, vault: VaultRow, lost: bigint): Promise<void> {
  const { key } = vault;
  const queue = await lockQueue(tx, key);
  const left = queue.map(({ id, unitsLeft }) => ({ id, unitsLeft }));
  const spread = spreadLoss(bookOf(vault), left, lost);
  const { unvestedUnits } = spread.book;
  if (unvestedUnits !== vault.unvestedUnits) {
    const { harvests, now } = await listHarvests(tx, key);
    await writeHarvests(tx, shrinkHarvests(harvests, unvestedUnits, now));
  }
  await writeBook(tx, vault, spread.book);
  await insertEarnMovement(tx, {
    vaultKey: key,
    kind: 'loss',
    units: spread.poolChange,
    unvestedUnits: unvestedUnits - vault.unvestedUnits,
  });
  for (const [index, { id, unitsLeft, ownerKind, ownerId }] of queue.entries()) {
    const after = spread.queue[index]?.unitsLeft ?? unitsLeft;
    if (after === unitsLeft) continue;
    await spreadOver(tx, id, after, after - unitsLeft);
    const owner = { kind: ownerKind, id: ownerId };
    await insertEarnMovement(tx, { vaultKey: key, owner, kind: 'loss', queuedUnits: after - unitsLeft, subjectId: id });
    if (after === 0n) await settleIfPaid(tx, context, id);
  }
}

/** The gain accrues evenly to those who hold shares from now on. Withdrawals in the queue get nothing. */
async function accrueHarvest(tx: Tx, vault: VaultRow, units: bigint): Promise<void> {
  const before = bookOf(vault);
  if (isFresh(before))
    throw new MarketError('earn_nothing_to_recognise', {
      message: 'Nobody holds shares of this vault, so the gain would be of the next depositor. Try again when somebody holds it.',
    });
  if (isTooCoarse(before, units))
    throw new MarketError('earn_nothing_to_recognise', {
      message: 'So few shares are left that the gain would make one too dear to buy. Try again when more is deposited.',
    });
  const { book, accrues } = recogniseHarvest(before, units);
  const { key } = vault;
  await writeBook(tx, vault, book);
  await insertEarnMovement(tx, { vaultKey: key, kind: 'harvest', ...(accrues ? { unvestedUnits: units } : { units }) });
  if (accrues) await insertHarvest(tx, key, { units, ...harvestFrom((await listHarvests(tx, key)).now) });
}
