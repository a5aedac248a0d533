/** An operator opens or closes deposits, or recognises a difference between venue and book. */
import { harvestFrom, isFresh, isTooCoarse, MarketError, recogniseHarvest, shrinkHarvests, spreadLoss } from '@market/contract';
import type { HandlersOf } from '../../../access/call.ts';
import { ChainUnavailable } from '../../../platform/chains/chain.ts';
import { reachCrashPoint } from '../../../platform/crash-points.ts';
import type { Tx } from '../../../platform/db/database.ts';
import { recordAdminAction } from '../../moderation/index.ts';
import { presentAdminVaults } from '../administration.ts';
import { type Comparison, readComparison } from '../compare-units.ts';
import type { EarnContext, VaultSetting } from '../earn-context.ts';
import { settleIfPaid } from '../end-redeem.ts';
import { insertHarvest, listHarvests, writeHarvests } from '../harvest-repository.ts';
import { listRedeeming } from '../intent-repository.ts';
import { bookOf, insertEarnMovement, lockVault, setDepositsOpen, setImpaired, type VaultRow, writeBook } from '../vault-repository.ts';
import { findVaultSetting } from '../vaults.ts';
import { lockQueue, spreadOver } from '../withdrawal-repository.ts';

export function manageVault(context: EarnContext): HandlersOf<'earn'>['manageVault'] {
  return async ({ key, deposits_open: depositsOpen, recognise, reason }, call) => {
    const setting = findVaultSetting(context, key);
    if (setting === undefined) throw new MarketError('earn_vault_not_found');
    // The book first: when it changes after the chain was read, the two do not belong together.
    const seen = recognise === undefined ? undefined : await readDifference(context, setting);
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

/** The book first: when it changes after the chain was read, the two do not belong together. */
async function readDifference(context: EarnContext, setting: VaultSetting): Promise<Comparison> {
  try {
    return await readComparison(context, setting);
  } catch (error) {
    if (error instanceof ChainUnavailable) throw new MarketError('earn_venue_unavailable', { retryAfterSeconds: 5, cause: error });
    throw error;
  }
}

/** Deposits under way are not in the book yet and bear nothing. Redemptions may take units at the old number, so they end first. */
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
  // As these writes left it: opening deposits counts as a change, too.
  await setImpaired(tx, await lockVault(tx, vault.key), 0n);
  return difference;
}

/** Over holders, queue and what has not accrued, in proportion of their units. */
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

/** To those who hold shares from now on, evenly. Who waits in the queue has left. */
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
